package import Tern
import TernBase
package import TernValues

/// The settings that Microsoft's SDK left on the device. An app that switches to Tern stays the same install and keeps
/// the user's choices.
///
/// Read once, if Tern has no settings yet. The original's values are left for older versions of the app. Its unsent
/// events are not imported.
package struct PreviousSDK: Sendable, Hashable {
  package var installID: UniqueID
  package var isEnabled = true
  package var allowsRequests = true
  package var partsOff: Set<TernClient.Part> = []

  /// Reads the original's user defaults, whose keys begin with `MSAppCenter`.
  ///
  /// - Parameter value: Returns the value of a key.
  /// - Returns: `nil` if the original never ran.
  package init?(_ value: (String) -> Any?) {
    guard let id = (value("MSAppCenterInstallId") as? String).flatMap({ UniqueID($0) }) else { return nil }
    installID = id
    // In the original, disabling the core disabled each service, and enabling it enabled all.
    isEnabled = value("MSAppCenterAppCenterIsEnabled") as? Bool ?? true
    func isOff(_ key: String) -> Bool { value("MSAppCenter" + key) as? Bool == false }
    allowsRequests = !isOff("NetworkRequestsAllowed")
    guard isEnabled else { return }
    if isOff("AnalyticsIsEnabled") { partsOff.insert(.usage) }
    if isOff("CrashesIsEnabled") { partsOff.insert(.errors) }
  }
}

extension AppCenterCore {
  /// The stored settings, usable before there is a client.
  package var store: ClientStore {
    adoptPrevious()
    return files
  }

  /// Imports the original's settings once, if Tern has none.
  func adoptPrevious() {
    hasAdopted.withLock { hasAdopted in
      guard !hasAdopted else { return }
      hasAdopted = true
      files.adopt {
        environment.previous().map {
          ClientStore.Beginning(
            installID: $0.installID, isEnabled: $0.isEnabled, allowsRequests: $0.allowsRequests, partsOff: $0.partsOff)
        }
      }
    }
  }
}
