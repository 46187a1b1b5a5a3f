import TernBase
package import TernEvents
package import TernLog

/// Computes the time that hits have waited.
package struct QueueTime: Sendable {
  /// The clocks at the time of the attempt.
  package var wallTime: Timestamp
  package var uptime: Duration
  /// The identifier of the current boot; `nil` if unknown.
  package var boot: UniqueID?

  package init(wallTime: Timestamp, uptime: Duration, boot: UniqueID?) {
    self.wallTime = wallTime
    self.uptime = uptime
    self.boot = boot
  }

  /// The milliseconds since the hit, never negative: by uptime within one boot, otherwise by the wall clock.
  ///
  /// A hit whose app says that it happened before the boot has the uptime zero, and only its wall time is right.
  package func milliseconds(of record: LogRecord) -> Int64 {
    let passed = boot == record.bootID && record.uptime > .zero ? uptime - record.uptime : wallTime.since(record.time)
    return max(passed, .zero).wholeMilliseconds
  }
}
