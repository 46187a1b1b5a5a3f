import TernDelivery
import TernEvents

extension RunLoop {
  /// Tries the disk again if it takes nothing and it is time; what it then holds has waited long enough.
  mutating func tryStorage(_ occasion: DiskRetry.Occasion) {
    guard engine.isHolding else {
      if storageRetry != nil { reopened() }
      return
    }
    let now = engine.environment.clock.uptime
    // Whoever found out has tried it a moment ago.
    if storageRetry == nil, engine.board.state.withLock({ $0.storageError == nil }) {
      engine.board.take(storage: engine.refusal)
    }
    var retry = storageRetry ?? DiskRetry(failedAt: now)
    if retry.isDue(occasion, at: now) {
      if engine.openStorage() { return reopened() }
      retry.failed(at: now)
    }
    storageRetry = retry
    engine.recorder.withLock { $0.holding?.eventIsReasonFrom = retry.dueForEvent }
  }

  private mutating func reopened() {
    storageRetry = nil
    guard engine.waiting.total > 0 else { return }
    adoptions += 1
    feed(.launched)
  }

  /// Remembers to look for switches that cannot be read: whoever has nothing to do looks by time alone.
  mutating func lookForSwitches() {
    guard engine.files.withLock({ $0.areSwitchesUnknown }) else {
      switchesRetry = nil
      return
    }
    let now = engine.environment.clock.uptime
    guard switchesRetry?.isDue(.time, at: now) ?? true else { return }
    if switchesRetry == nil { switchesRetry = DiskRetry(failedAt: now) } else { switchesRetry?.failed(at: now) }
  }

  /// The machine wants to be woken then, or not at all.
  mutating func wake(at deadline: Duration?) {
    machineDeadline = deadline
    isTimerDue = true
  }

  /// Sets the one timer for whatever comes first.
  mutating func setTimer() {
    // Each try of the storage is a look at the switches as well.
    let next = [machineDeadline, storageRetry?.due ?? switchesRetry?.due].compactMap { $0 }.min()
    guard isTimerDue || next != timer else { return }
    isTimerDue = false
    timer = next
    effects.setTimer(next)
  }
}

extension Message {
  /// What the message is reason for, where the disk refused something before.
  var occasion: DiskRetry.Occasion {
    switch self {
    case .appended: .event
    case .filesAvailable, .input(.enteredForeground), .input(.enteredBackground): .lifecycle
    case .input(.flushRequested): .asked
    default: .time
    }
  }
}
