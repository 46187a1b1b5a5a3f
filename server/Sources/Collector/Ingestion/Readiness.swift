/// Whether events can be stored, judged by the last commits.
///
/// A failure counts for a while only: without new requests nothing would ever show that the fault is gone.
struct Readiness: Sendable {
  /// How long a failure keeps the collector from being ready.
  let memory: Duration
  private var failed: Duration?

  init(memory: Duration = .seconds(10)) {
    self.memory = memory
  }

  /// A commit worked.
  mutating func succeeded() { failed = nil }

  /// A commit failed for a reason that concerns every batch.
  mutating func failed(at now: Duration) { failed = now }

  /// Whether the collector should be sent requests.
  func isReady(at now: Duration) -> Bool {
    guard let failed else { return true }
    return now - failed >= memory
  }
}
