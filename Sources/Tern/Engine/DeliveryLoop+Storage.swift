import TernBase
import TernDelivery
import TernEvents

extension DeliveryLoop {
  /// Tries to use a failing disk again if it is time; events held in memory have then waited long enough.
  mutating func tryStorage(_ trigger: StorageBackoff.Trigger) {
    guard engine.isBuffering else {
      if storageBackoff != nil { storageRecovered() }
      return
    }
    let now = engine.environment.clock.uptime
    // The failed append was an attempt.
    if storageBackoff == nil, engine.clientState.withLock({ $0.storageError == nil }) {
      engine.clientState.recordStorage(engine.storageRefusal)
    }
    var backoff = storageBackoff ?? StorageBackoff(failedAt: now)
    if backoff.isDue(trigger, at: now) {
      if engine.openStorage() { return storageRecovered() }
      backoff.failed(at: now)
    }
    storageBackoff = backoff
    engine.recorder.withLock { $0.outage?.eventIsReasonFrom = backoff.dueForEvent }
  }

  private mutating func storageRecovered() {
    storageBackoff = nil
    guard engine.waiting.total > 0 else { return }
    adoptions += 1
    feed(.launched)
  }

  /// Schedules further looks at settings that cannot be read, or confirmed under their lock.
  mutating func lookForSettings() {
    guard engine.files.withLock({ $0.areSettingsUnknown || $0.isUnconfirmed }) else {
      settingsBackoff = nil
      return
    }
    let now = engine.environment.clock.uptime
    guard settingsBackoff?.isDue(.timer, at: now) ?? true else { return }
    if settingsBackoff == nil {
      settingsBackoff = StorageBackoff(failedAt: now)
    } else {
      settingsBackoff?.failed(at: now)
    }
  }
}

extension Message {
  /// The reason that the message gives for using a failing disk again.
  var trigger: StorageBackoff.Trigger {
    switch self {
    case .appended: .event
    case .filesAvailable, .input(.enteredForeground), .input(.enteredBackground): .lifecycle
    case .input(.flushRequested), .input(.batchRequested): .request
    default: .timer
    }
  }
}
