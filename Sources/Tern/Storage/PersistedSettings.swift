import TernLog

/// What a client remembers from launch to launch, beside the queue.
struct PersistedSettings: Codable, Equatable, Sendable {
  /// Whether the client records and sends.
  var isEnabled = true
  /// The user named by `identify`.
  var user: String?
  /// Counts the changes of user.
  var epoch: UInt32 = 0
  /// The parts that are not recorded; `nil` when all are.
  var off: Set<TernClient.Part>?
  /// Whether requests may be made; `nil` means true.
  var allowsRequests: Bool?
  /// The queue's limit, where the app set it while it ran.
  var queueBytes: Int?
  /// Counts how often recording was switched off, for those who look only after it is on again; `nil` means never.
  var optOuts: Int?
  /// Whether the user agreed to all reports of crashes to come; `nil` means no.
  var sendsCrashes: Bool?

  /// Whether anything is switched off: the user's will, which must outlast a loss of power too.
  var holdBack: Bool { !isEnabled || off != nil || allowsRequests == false }
}

/// What one client changed of the settings.
struct SettingsPatch: Equatable, Sendable {
  struct User: Equatable, Sendable {
    var name: String?
    /// The least number it may get.
    var epoch: UInt32
  }

  var isEnabled: Bool?
  /// How often this client switched recording off.
  var optOuts = 0
  var user: User?
  var parts: [TernClient.Part: Bool] = [:]
  var allowsRequests: Bool?
  var queueBytes: Int?
  var sendsCrashes: Bool?

  func applied(to old: PersistedSettings) -> PersistedSettings {
    var settings = old
    if let isEnabled { settings.isEnabled = isEnabled }
    if optOuts > 0 { settings.optOuts = (old.optOuts ?? 0) &+ optOuts }
    if let user {
      settings.user = user.name
      // Another process may have counted further meanwhile.
      settings.epoch = max(old.epoch &+ 1, user.epoch) & RecordEpoch.identityMask
    }
    for (part, isOn) in parts {
      var off = settings.off ?? []
      if isOn { off.remove(part) } else { off.insert(part) }
      settings.off = off.isEmpty ? nil : off
    }
    if let allowsRequests { settings.allowsRequests = allowsRequests ? nil : false }
    if let queueBytes { settings.queueBytes = queueBytes }
    if let sendsCrashes { settings.sendsCrashes = sendsCrashes ? true : nil }
    return settings
  }
}
