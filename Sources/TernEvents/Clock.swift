/// The time as the SDK sees it: a parameter everywhere, so that a month of device life runs in milliseconds in a test.
public protocol TernClock: Sendable {
  /// The wall time.
  var wallTime: Timestamp { get }
  /// Time since some fixed point of this boot; never jumps, and counts on while the device sleeps where the system can.
  var uptime: Duration { get }
  /// Waits until `uptime` has reached `deadline`; returns early, without an error, when the task is cancelled.
  func sleep(until deadline: Duration) async
}
