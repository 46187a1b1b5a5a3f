package import TernEvents
package import TernLog

/// The time that hits have waited.
package struct QueueTime: Sendable {
  /// The clocks at the time of the attempt.
  package var wallTime: Timestamp
  package var uptime: Duration
  /// This boot of the device; `nil` when unknown.
  package var boot: UniqueID?

  package init(wallTime: Timestamp, uptime: Duration, boot: UniqueID?) {
    self.wallTime = wallTime
    self.uptime = uptime
    self.boot = boot
  }

  /// Milliseconds since the hit: by the clock that never jumps within one boot, else by the wall clock, never below 0.
  package func milliseconds(of record: LogRecord) -> Int64 {
    let passed = boot == record.bootID ? uptime - record.uptime : wallTime.since(record.time)
    return max(passed, .zero).wholeMilliseconds
  }
}
