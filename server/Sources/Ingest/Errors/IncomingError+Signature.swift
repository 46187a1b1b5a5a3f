package import ErrorGrouping
import TernBase

extension IncomingError {
  /// The maximum length of the text by which an app puts errors into one group, in bytes.
  static let maximumFingerprintBytes = 512

  /// Returns an error's signature, which is the same before it is stored and when it is made of what is stored.
  ///
  /// - Parameters:
  ///   - raw: The error as sent; the exception's `fingerprint` is the app's own choice of a group.
  ///   - appBuild: The app's version and build, for which a mapping may have the names.
  package static func signature(
    kind: StoredKind, type: String, message: String, stack: String, raw: [UInt8], appBuild: String
  ) -> Signature {
    let fingerprint = raw.withUnsafeBytes {
      RawJSON($0).member("exception")?.member("fingerprint")?.text(limit: maximumFingerprintBytes) ?? ""
    }
    return Signature(
      GroupingError(
        isCrash: kind == .crash, type: type, message: message, stack: stack, fingerprint: fingerprint,
        appBuild: appBuild))
  }

  /// Gives the error the signature of its texts.
  package mutating func sign(kind: StoredKind, device: IncomingDevice = IncomingDevice()) {
    let signature = newSignature(kind: kind, appBuild: device.appBuildName)
    (self.signature, fingerprint) = (signature, signature.hash(type: type, place: place))
  }

  /// Gives the signature back to an error that was stored before. Without its texts, or if an earlier version made its
  /// fingerprint in another way, it stays in the group of its fingerprint.
  package mutating func restoreSignature(kind: StoredKind, device: IncomingDevice) {
    // Earlier versions made fingerprints without the app's build.
    let known = [device.appBuildName, ""].map { newSignature(kind: kind, appBuild: $0) }
    signature = known.first { $0.hash(type: type, place: place) == fingerprint }
  }

  private func newSignature(kind: StoredKind, appBuild: String) -> Signature {
    Self.signature(kind: kind, type: type, message: message, stack: stack, raw: raw, appBuild: appBuild)
  }
}

extension IncomingDevice {
  /// The app's version and build, by which a mapping of its names is found; empty unless both are known.
  package var appBuildName: String { ErrorGrouping.appBuildName(version: appVersion, build: appBuild) }
}
