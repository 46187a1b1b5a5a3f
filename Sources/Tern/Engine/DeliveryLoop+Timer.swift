import TernBase
import TernDelivery
import TernEvents
import TernLog

// The loop's single timer serves the machine, the disk, the settings and the drop counts.
extension DeliveryLoop {
  /// Replaces the machine's deadline; `nil` removes it.
  mutating func wake(at deadline: Duration?) {
    machineDeadline = deadline
    isTimerDue = true
  }

  /// Sets the timer to the earliest deadline.
  mutating func setTimer() {
    // Each attempt to use the storage also rereads the settings.
    let deadlines = [
      machineDeadline, storageBackoff?.due ?? settingsBackoff?.due, hasUnsavedDrops ? nextCountSave : nil,
    ]
    let next = deadlines.compactMap { $0 }.min()
    guard isTimerDue || next != timer else { return }
    isTimerDue = false
    timer = next
    effects.setTimer(next)
  }

  /// Saves the drop counts, at most once a second: a full queue drops an event with almost every `track`.
  mutating func saveDrops() {
    hasUnsavedDrops = engine.recorder.withLock { $0.hasNewDrops }
    let now = engine.environment.clock.uptime
    guard hasUnsavedDrops, now >= nextCountSave else { return }
    // Clear the flag first: it must catch drops during the save.
    engine.recorder.withLock { $0.hasNewDrops = false }
    engine.log.saveCounts()
    hasUnsavedDrops = false
    nextCountSave = now + .seconds(1)
  }
}
