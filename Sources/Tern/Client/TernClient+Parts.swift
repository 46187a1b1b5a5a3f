import TernBase
import TernDelivery
import TernEvents
import TernLog

extension TernClient {
  /// A part of recording that an app can disable separately.
  public enum Part: String, Sendable, Hashable, CaseIterable, Codable {
    /// Events, screens and sessions.
    case usage
    /// Handled errors, crashes and their attachments.
    case errors
  }

  /// Returns true if the part is enabled; saved across launches. The default is true.
  ///
  /// While ``isEnabled`` is false, nothing is recorded regardless.
  public func isRecording(_ part: Part) -> Bool {
    engine.recorder.withLock { !$0.off.contains(part) }
  }

  /// Enables or disables the recording of a part; saved across launches.
  ///
  /// Disabling a part erases its waiting events and no others; disabling usage also ends the session. As with
  /// ``isEnabled``, the change is applied and saved before this returns.
  public func setRecording(_ isOn: Bool, of part: Part) {
    engine.setRecording(isOn, of: part)
  }
}

extension TernClient.Part {
  /// The events to erase once the part is disabled.
  var erasure: ErasureTarget {
    switch self {
    case .usage: .part(.usage)
    case .errors: .part(.errors)
    }
  }
}

extension EventKind {
  /// The part to which the kind belongs; `nil` for drop reports, which cover both parts.
  var part: TernClient.Part? {
    switch self {
    case .event, .screen, .sessionStart: .usage
    case .handledError, .crash, .attachment: .errors
    case .drops: nil
    }
  }
}

extension Engine {
  func setRecording(_ isOn: Bool, of part: TernClient.Part) {
    // Hold the lock for the whole change, so that concurrent changes do not interleave.
    files.withLock { files in
      let isNew = recorder.withLock { recorder in
        guard !recorder.isClosed, recorder.off.contains(part) == isOn else { return false }
        if isOn { recorder.off.remove(part) } else { recorder.off.insert(part) }
        if !isOn, part == .usage { recorder.sessions.end() }
        return true
      }
      refreshCrashContext()
      guard isNew else {
        // The file is unreadable so far and may say otherwise.
        if files.areSettingsUnknown { files.unsaved.parts[part] = isOn }
        return
      }
      files.unsaved.parts[part] = isOn
      let isSaved = files.save()
      if !isOn {
        erase(part.erasure)
        if !isSaved { files.save() }
      }
      mailbox.post(.input(.erased))
      if isOn, part == .usage { beginSession { $0.enabled() } }
    }
  }
}
