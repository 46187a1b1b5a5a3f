import TernDelivery
import TernEvents

extension DeliveryLoop {
  /// Tries the disk again if it takes nothing and it is time; what it then holds has waited long enough.
  mutating func tryStorage(_ trigger: StorageBackoff.Trigger) {
    guard engine.isBuffering else {
      if storageBackoff != nil { reopened() }
      return
    }
    let now = engine.environment.clock.uptime
    // Whoever found out has tried it a moment ago.
    if storageBackoff == nil, engine.clientState.withLock({ $0.storageError == nil }) {
      engine.clientState.take(storage: engine.refusal)
    }
    var retry = storageBackoff ?? StorageBackoff(failedAt: now)
    if retry.isDue(trigger, at: now) {
      if engine.openStorage() { return reopened() }
      retry.failed(at: now)
    }
    storageBackoff = retry
    engine.recorder.withLock { $0.outage?.eventIsReasonFrom = retry.dueForEvent }
  }

  private mutating func reopened() {
    storageBackoff = nil
    guard engine.waiting.total > 0 else { return }
    adoptions += 1
    feed(.launched)
  }

  /// Remembers to look for switches that cannot be read: whoever has nothing to do looks by time alone.
  mutating func lookForSettings() {
    guard engine.files.withLock({ $0.areSettingsUnknown }) else {
      settingsBackoff = nil
      return
    }
    let now = engine.environment.clock.uptime
    guard settingsBackoff?.isDue(.time, at: now) ?? true else { return }
    if settingsBackoff == nil {
      settingsBackoff = StorageBackoff(failedAt: now)
    } else {
      settingsBackoff?.failed(at: now)
    }
  }

  /// The machine wants to be woken then, or not at all.
  mutating func wake(at deadline: Duration?) {
    machineDeadline = deadline
    isTimerDue = true
  }

  /// Sets the one timer for whatever comes first.
  mutating func setTimer() {
    // Each try of the storage is a look at the switches as well.
    let next = [machineDeadline, storageBackoff?.due ?? settingsBackoff?.due].compactMap { $0 }.min()
    guard isTimerDue || next != timer else { return }
    isTimerDue = false
    timer = next
    effects.setTimer(next)
  }
}

extension Message {
  /// What the message is reason for, where the disk refused something before.
  var trigger: StorageBackoff.Trigger {
    switch self {
    case .appended: .event
    case .filesAvailable, .input(.enteredForeground), .input(.enteredBackground): .lifecycle
    case .input(.flushRequested): .asked
    default: .time
    }
  }
}
