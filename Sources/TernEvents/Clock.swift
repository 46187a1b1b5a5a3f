/// The SDK's source of time, passed as a parameter everywhere, so that tests can run a month of device life in
/// milliseconds.
public protocol TernClock: Sendable {
  /// The wall time.
  var wallTime: Timestamp { get }
  /// The time since a fixed point of this boot. It never jumps, and where possible includes time asleep.
  var uptime: Duration { get }
  /// Waits until `uptime` reaches `deadline`; returns early, without an error, if the task is cancelled.
  func sleep(until deadline: Duration) async
}
