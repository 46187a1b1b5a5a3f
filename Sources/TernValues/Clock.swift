/// The SDK's source of time, passed as a parameter everywhere, so that tests can run a month of device life in
/// milliseconds.
public protocol TernClock: Sendable {
  /// The wall time.
  var wallTime: Timestamp { get }
  /// The wall time in microseconds since 1970-01-01 00:00:00 UTC. By default that of ``wallTime``, for clocks that know no more.
  var wallMicroseconds: Int64 { get }
  /// The time since a fixed point of this boot. It never jumps, and where possible includes time asleep.
  var uptime: Duration { get }
  /// The uptime in whole microseconds; by default that of ``uptime``, which takes longer to convert than a clock takes to read.
  var uptimeMicroseconds: Int64 { get }
  /// Waits until `uptime` reaches `deadline`; returns early, without an error, if the task is cancelled.
  func sleep(until deadline: Duration) async
}

extension TernClock {
  /// The wall time in microseconds, by default without those within a millisecond.
  public var wallMicroseconds: Int64 {
    let (microseconds, overflow) = wallTime.millisecondsSince1970.multipliedReportingOverflow(by: 1_000)
    return overflow ? (wallTime.millisecondsSince1970 < 0 ? .min : .max) : microseconds
  }

  /// The uptime in microseconds, rounded toward zero and clamped to the range of `Int64`.
  public var uptimeMicroseconds: Int64 {
    let (seconds, attoseconds) = min(max(uptime, .microseconds(Int64.min)), .microseconds(Int64.max)).components
    return seconds * 1_000_000 + attoseconds / 1_000_000_000_000
  }
}
