package import ErrorGrouping
import TernBase

extension IncomingError {
  /// The maximum length of the text by which an app puts errors into one group, in bytes.
  static let maximumFingerprintBytes = 512

  /// Returns an error's signature, which is the same before it is stored and when it is made of what is stored.
  ///
  /// - Parameter raw: The error as sent; the exception's `fingerprint` is the app's own choice of a group.
  package static func signature(
    kind: StoredKind, type: String, message: String, stack: String, raw: [UInt8]
  ) -> Signature {
    let fingerprint = raw.withUnsafeBytes {
      RawJSON($0).member("exception")?.member("fingerprint")?.text(limit: maximumFingerprintBytes) ?? ""
    }
    return Signature(
      GroupingError(
        isCrash: kind == .crash, type: type, message: message, stack: stack, fingerprint: fingerprint))
  }

  /// Gives the error the signature of its texts.
  package mutating func sign(kind: StoredKind) {
    let signature = Self.signature(kind: kind, type: type, message: message, stack: stack, raw: raw)
    (self.signature, fingerprint) = (signature, signature.hash(type: type, place: place))
  }

  /// Gives the signature back to an error that was stored before. Without its texts, or if an earlier version made its
  /// fingerprint in another way, it stays in the group of its fingerprint.
  package mutating func restoreSignature(kind: StoredKind) {
    let signature = Self.signature(kind: kind, type: type, message: message, stack: stack, raw: raw)
    self.signature = signature.hash(type: type, place: place) == fingerprint ? signature : nil
  }
}
