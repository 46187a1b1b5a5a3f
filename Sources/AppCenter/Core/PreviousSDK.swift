package import Tern
package import TernEvents

/// What Microsoft's SDK left on the device: an app that changes the package stays the same install, and who had switched
/// something off finds it off.
///
/// Read once, when there is nothing of ours yet. The original's values stay, so that an older version of the app still
/// finds them. Events that it had not sent are not taken over: its log is its own.
package struct PreviousSDK: Sendable, Hashable {
  package var installID: UniqueID
  package var isEnabled = true
  package var allowsRequests = true
  package var partsOff: Set<TernClient.Part> = []

  /// Reads the original's user defaults (spec §2.3: each key begins with `MSAppCenter`).
  ///
  /// - Parameter value: what is kept under a key, of whatever type.
  /// - Returns: `nil` where the original never ran.
  package init?(_ value: (String) -> Any?) {
    guard let id = (value("MSAppCenterInstallId") as? String).flatMap({ UniqueID($0) }) else { return nil }
    installID = id
    // Switching everything off switched off each service too, and switching on brought all back.
    isEnabled = value("MSAppCenterAppCenterIsEnabled") as? Bool ?? true
    func isOff(_ key: String) -> Bool { value("MSAppCenter" + key) as? Bool == false }
    allowsRequests = !isOff("NetworkRequestsAllowed")
    guard isEnabled else { return }
    if isOff("AnalyticsIsEnabled") { partsOff.insert(.usage) }
    if isOff("CrashesIsEnabled") { partsOff.insert(.errors) }
  }
}

extension AppCenterCore {
  /// What is kept before there is a client.
  package var store: ClientStore {
    adoptPrevious()
    return files
  }

  /// Takes over what the original left, at the first call of a process that finds nothing of ours.
  func adoptPrevious() {
    hasAdopted.withLock { hasAdopted in
      guard !hasAdopted else { return }
      hasAdopted = true
      files.adopt {
        world.previous().map {
          ClientStore.Beginning(
            installID: $0.installID, isEnabled: $0.isEnabled, allowsRequests: $0.allowsRequests, partsOff: $0.partsOff)
        }
      }
    }
  }
}
