import HTTP

/// The collector's ability to store events, judged by the latest commits.
///
/// A failure counts only for a limited time: without new requests, nothing else would show that the problem is solved.
struct Readiness: Sendable {
  /// The time after a failure during which the collector is not ready.
  let memory: Duration
  /// The minimum time between a failure or write probe and the next probe.
  let probeInterval: Duration
  private var lastFailure: Duration?
  private var lastAttempt = Duration.zero

  init(memory: Duration = .seconds(10), probeInterval: Duration = .seconds(1)) {
    self.memory = memory
    self.probeInterval = probeInterval
  }

  /// Records a successful commit or write probe.
  mutating func succeeded() { lastFailure = nil }

  /// Records a commit or write probe that failed for a reason that affects every batch.
  mutating func failed(at now: Duration) {
    lastFailure = now
    lastAttempt = now
  }

  /// Returns true if load balancers should send requests to the collector.
  func isReady(at now: Duration) -> Bool {
    guard let lastFailure else { return true }
    return now - lastFailure >= memory
  }

  /// The health of storing, as reported to a client's health probe.
  enum WriteHealth: Equatable {
    /// The last attempt to store succeeded, or there was none.
    case healthy
    /// The last attempt failed recently.
    case failing
    /// The last attempt failed some time ago: the caller must run a write probe and record its outcome.
    case needsProbe
  }

  /// Returns the health of storing. Unlike ``isReady(at:)``, it never forgets a failure: otherwise, clients that send
  /// health probes instead of events would take the mere passing of time for the end of an outage.
  mutating func writeHealth(at now: Duration) -> WriteHealth {
    guard lastFailure != nil else { return .healthy }
    guard now - lastAttempt >= probeInterval else { return .failing }
    lastAttempt = now
    return .needsProbe
  }
}
