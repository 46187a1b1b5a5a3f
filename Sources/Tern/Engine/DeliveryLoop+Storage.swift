import TernBase
import TernDelivery
import TernEvents

extension DeliveryLoop {
  /// Retries a failing disk if an attempt is due; after a recovery, the buffered events are sent immediately.
  mutating func tryStorage(_ trigger: StorageBackoff.Trigger) {
    guard engine.isBuffering else {
      if storageBackoff != nil { storageRecovered() }
      return
    }
    let now = engine.environment.clock.uptime
    // The failed append counts as the first attempt.
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

  /// Schedules retries while the settings cannot be read or saved.
  mutating func lookForSettings() {
    guard engine.files.withLock({ $0.areSettingsUnknown || $0.hasUnsaved }) else {
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
  /// The trigger that the message is for retrying a failing disk.
  var trigger: StorageBackoff.Trigger {
    switch self {
    case .appended: .event
    case .filesAvailable, .input(.enteredForeground), .input(.enteredBackground): .lifecycle
    case .input(.flushRequested), .input(.batchRequested): .request
    default: .timer
    }
  }
}
