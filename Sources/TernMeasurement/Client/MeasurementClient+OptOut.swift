import Tern
import TernEvents
import TernLog

/// The user's wish not to be measured, as this client knows it.
struct OptOut {
  var isOptedOut: Bool
  /// What the app said last could not be written down yet: it counts, whatever the file says.
  var isUnsaved = false
  /// By uptime, when the file was looked at.
  var lastLook: Duration

  /// How long another process's wish may go unnoticed, but for requests: before each of them the file is looked at.
  static let patience = Duration.seconds(1)
}

extension StateFiles {
  private static let optOutName = "opt-out"

  /// Whether the user does not want to be measured; `nil` when the disk does not say.
  var savedOptOut: Bool? {
    do throws(FileError) {
      return try read(Self.optOutName) == Array("1".utf8)
    } catch {
      return nil
    }
  }

  /// Writes the user's wish down; false when the disk refuses.
  func save(isOptedOut: Bool) -> Bool {
    (try? replace(Self.optOutName, with: Array((isOptedOut ? "1" : "0").utf8), isFlushed: isOptedOut)) != nil
  }
}

extension MeasurementClient {
  /// Whether the user does not want to be measured: nothing is recorded, and what waited is erased.
  ///
  /// Kept over launches, and shared by the processes of an app.
  package var optOut: Bool {
    get {
      state.withLock { state in
        followOptOut(&state)
        return state.optOut.isOptedOut
      }
    }
    set {
      let isWritten = state.withLock { state -> Bool in
        // Also when it is set to what it is: it may not be written down yet.
        state.optOut.isUnsaved = state.files.savedOptOut != newValue && !state.files.save(isOptedOut: newValue)
        become(newValue, &state)
        // What was erased may have made the room that was lacking.
        if newValue, state.optOut.isUnsaved { state.optOut.isUnsaved = !state.files.save(isOptedOut: newValue) }
        return !state.optOut.isUnsaved
      }
      if !isWritten {
        log(.error, "The opt-out could not be written down. It holds in this process, and is tried again every second.")
      }
    }
  }

  /// Looks what other processes of the app were told, unless that was done a moment ago.
  func followOptOut(_ state: inout State, isUrgent: Bool = false) {
    let now = environment.clock.uptime
    guard isUrgent || now - state.optOut.lastLook >= OptOut.patience else { return }
    state.optOut.lastLook = now
    if state.optOut.isUnsaved {
      state.optOut.isUnsaved = !state.files.save(isOptedOut: state.optOut.isOptedOut)
    } else if let saved = state.files.savedOptOut {
      become(saved, &state)
    }
  }

  private func become(_ isOptedOut: Bool, _ state: inout State) {
    guard state.optOut.isOptedOut != isOptedOut else { return }
    state.optOut.isOptedOut = isOptedOut
    if isOptedOut { eraseAll(&state) }
    feed(.optOutSet(isOptedOut), &state)
  }
}
