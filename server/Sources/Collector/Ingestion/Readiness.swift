/// The collector's ability to store events, judged by the last commits.
///
/// A failure counts for a limited time: without new requests nothing would ever show that the fault is gone.
struct Readiness: Sendable {
  /// The time after a failure during which the collector is not ready.
  let memory: Duration
  /// The shortest time between a failure or write probe and the next probe.
  let probeInterval: Duration
  private var lastFailure: Duration?
  private var lastAttempt = Duration.zero

  init(memory: Duration = .seconds(10), probeInterval: Duration = .seconds(1)) {
    self.memory = memory
    self.probeInterval = probeInterval
  }

  /// Records a commit or write probe that worked.
  mutating func succeeded() { lastFailure = nil }

  /// Records a commit or write probe that failed for a reason that concerns every batch.
  mutating func failed(at now: Duration) {
    lastFailure = now
    lastAttempt = now
  }

  /// Returns true if load balancers should send requests to the collector.
  func isReady(at now: Duration) -> Bool {
    guard let lastFailure else { return true }
    return now - lastFailure >= memory
  }

  /// The answer to a client's health probe.
  enum WriteHealth: Equatable {
    /// The last attempt to store worked, or there was none.
    case healthy
    /// The last attempt failed a moment ago.
    case failing
    /// The last attempt failed a while ago: the caller must run a write probe and record its outcome.
    case needsProbe
  }

  /// Returns the health of storing. Unlike ``isReady(at:)`` it never forgets a failure: clients that send health probes
  /// instead of events would otherwise see an outage end by the mere passing of time.
  mutating func writeHealth(at now: Duration) -> WriteHealth {
    guard lastFailure != nil else { return .healthy }
    guard now - lastAttempt >= probeInterval else { return .failing }
    lastAttempt = now
    return .needsProbe
  }
}
