import TernLog

/// The settings that a client saves across launches, in a file next to the queue.
struct PersistedSettings: Codable, Equatable, Sendable {
  /// True if the client records and sends.
  var isEnabled = true
  /// The user set by `identify`.
  var user: String?
  /// The number of the current identity; each change of user increments it.
  var epoch: UInt32 = 0
  /// The disabled parts; `nil` if there are none.
  var off: Set<TernClient.Part>?
  /// False if requests are not allowed; `nil` means true.
  var allowsRequests: Bool?
  /// The queue's size limit, if the app set one at run time.
  var queueBytes: Int?
  /// The number of opt-outs, so that a process notices one that was reverted before it looked; `nil` means none.
  var optOuts: Int?
  /// True if the user agreed to send all future crash reports; `nil` means false.
  var sendsCrashes: Bool?

  /// True if anything is disabled: such a decision of the user must survive even power loss.
  var holdBack: Bool { !isEnabled || off != nil || allowsRequests == false }

  /// The user's decisions alone.
  var decisions: PersistedSettings {
    PersistedSettings(isEnabled: isEnabled, off: off, allowsRequests: allowsRequests, optOuts: optOuts)
  }
}

/// One client's changes to the settings.
struct SettingsPatch: Equatable, Sendable {
  struct User: Equatable, Sendable {
    var name: String?
    /// The lowest number that the new identity may get.
    var epoch: UInt32
  }

  var isEnabled: Bool?
  /// The number of opt-outs by this client.
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
      // Another process may have incremented the number in the meantime.
      settings.epoch = max(old.epoch &+ 1, user.epoch)
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
