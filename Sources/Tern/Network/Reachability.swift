import TernBase
import TernEvents

/// A source of hints that the network came back, or that another one took its place.
///
/// A hint makes a client forget its own pause after failures and try at once. It is never a permission: without hints,
/// or while they say nothing, a client tries all the same, in its own time. `SystemReachability` is the usual source:
/// rtnetlink on Linux, `NWPathMonitor` on Apple's systems.
public protocol Reachability: Sendable {
  /// Calls `onChange` each time that the network came back or changed, from any thread, until the observation ends.
  ///
  /// The state at the start is not a change. Several changes in a row may be told as one, and one as several. A system
  /// without notifications returns an observation all the same.
  func observe(_ onChange: @escaping @Sendable () -> Void) -> ReachabilityObservation
}

/// An observation under way; it ends when it is stopped or let go of.
public final class ReachabilityObservation: Sendable {
  /// Ends the observation; calls its argument once nothing of it is left running.
  private let end: Locked<(@Sendable (_ whenEnded: @escaping @Sendable () -> Void) -> Void)?>

  /// Creates an observation.
  ///
  /// - Parameter end: Called once, to end it; has to call its argument when nothing of it is left running.
  public init(_ end: @escaping @Sendable (_ whenEnded: @escaping @Sendable () -> Void) -> Void) {
    self.end = Locked(end)
  }

  deinit { take()?({}) }

  /// Ends the observation and returns when nothing of it is left running; later calls return at once.
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
