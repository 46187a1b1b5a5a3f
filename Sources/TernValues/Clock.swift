/// The SDK's source of time, passed as a parameter everywhere, so that tests can run a month of device life in
/// milliseconds.
public protocol TernClock: Sendable {
  /// The wall time.
  var wallTime: Timestamp { get }
  /// The wall time in microseconds since 1970-01-01 00:00:00 UTC. By default that of ``wallTime``, for clocks that know no more.
  var wallMicroseconds: Int64 { get }
  /// The time since a fixed point of this boot. It never jumps, and where possible includes time asleep.
  var uptime: Duration { get }
  /// Waits until `uptime` reaches `deadline`; returns early, without an error, if the task is cancelled.
  func sleep(until deadline: Duration) async
}

extension TernClock {
  /// The wall time in microseconds, by default without those within a millisecond.
  public var wallMicroseconds: Int64 {
    let (microseconds, overflow) = wallTime.millisecondsSince1970.multipliedReportingOverflow(by: 1_000)
    return overflow ? (wallTime.millisecondsSince1970 < 0 ? .min : .max) : microseconds
  }
}
