import TernBase
import TernEvents

/// A source of hints that the network came back or changed.
///
/// A hint makes a client end its own backoff and retry at once. It is not a precondition: without hints, a client still
/// retries on its own schedule. `SystemReachability` is the default: rtnetlink on Linux, `NWPathMonitor` on Apple
/// platforms.
public protocol Reachability: Sendable {
  /// Calls `onChange` from any thread whenever the network comes back or changes, until the observation ends.
  ///
  /// The initial state is not a change. Several changes may be reported as one, and one as several. A source without
  /// notifications returns an observation that never reports anything.
  func observe(_ onChange: @escaping @Sendable () -> Void) -> ReachabilityObservation
}

/// An active observation, which ends when it is stopped or deallocated.
public final class ReachabilityObservation: Sendable {
  /// Ends the observation; calls its argument once nothing is left running.
  private let end: Locked<(@Sendable (_ whenEnded: @escaping @Sendable () -> Void) -> Void)?>

  /// Creates an observation.
  ///
  /// - Parameter end: Called once, to end the observation; must call its argument once nothing is left running.
  public init(_ end: @escaping @Sendable (_ whenEnded: @escaping @Sendable () -> Void) -> Void) {
    self.end = Locked(end)
  }

  deinit { take()?({}) }

  /// Ends the observation and waits until nothing is left running; later calls return immediately.
  public func stop() async {
    guard let end = take() else { return }
    await withCheckedContinuation { continuation in end { continuation.resume() } }
  }

  private func take() -> (@Sendable (@escaping @Sendable () -> Void) -> Void)? {
    end.withLock { end in
      defer { end = nil }
      return end
    }
  }
}
