import TernBase
import TernDelivery
import TernEvents
import TernLog

extension TernClient {
  /// The parts of a client's recording that an app can disable separately.
  public enum Part: String, Sendable, Hashable, CaseIterable, Codable {
    /// Events, screens and sessions.
    case usage
    /// Handled errors, crashes and what is attached to them.
    case errors
  }

  /// Returns true if a part is recorded; kept over launches, true at first.
  ///
  /// ``isEnabled`` is above it: nothing is recorded while that is false.
  public func isRecording(_ part: Part) -> Bool {
    engine.recorder.withLock { !$0.off.contains(part) }
  }

  /// Enables or disables the recording of a part; kept over launches.
  ///
  /// Off erases what waits of the part and leaves the rest; without usage there is no session. Like ``isEnabled`` it is
  /// done, and written down, on return.
  public func setRecording(_ isOn: Bool, of part: Part) {
    engine.setRecording(isOn, of: part)
  }
}

extension TernClient.Part {
  /// The log's epoch for erasing the part.
  var erasure: UInt32 {
    switch self {
    case .usage: RecordEpoch.allUsage
    case .errors: RecordEpoch.allErrors
    }
  }
}

extension EventKind {
  /// The part that the kind belongs to; `nil` for reports of drops, which are about both.
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
    // One lock over all of it: of two threads that switch at the same time, one is first in every respect.
    files.withLock { files in
      let isNew = recorder.withLock { recorder in
        guard !recorder.isClosed, recorder.off.contains(part) == isOn else { return false }
        if isOn { recorder.off.remove(part) } else { recorder.off.insert(part) }
        if !isOn, part == .usage { recorder.sessions.end() }
        return true
      }
      guard isNew else {
        // It may be news to the file.
        if files.areSettingsUnknown { files.unsaved.parts[part] = isOn }
        return
      }
      files.unsaved.parts[part] = isOn
      let isSaved = files.save()
      if !isOn {
        erase(recordEpoch: part.erasure)
        if !isSaved { files.save() }
      }
      mailbox.post(.input(.erased))
      if isOn, part == .usage { beginSession { $0.enabled() } }
    }
  }
}
