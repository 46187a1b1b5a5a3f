/// Whether events can be stored, judged by the last commits.
///
/// A failure counts for a while only: without new requests nothing would ever show that the fault is gone.
struct Readiness: Sendable {
  /// How long a failure keeps the collector from being ready.
  let memory: Duration
  /// How long after a failure, or after somebody began to try, nobody need try again.
  let pause: Duration
  private var failed: Duration?
  private var tried = Duration.zero

  init(memory: Duration = .seconds(10), pause: Duration = .seconds(1)) {
    self.memory = memory
    self.pause = pause
  }

  /// A commit worked.
  mutating func succeeded() { failed = nil }

  /// A commit failed for a reason that concerns every batch.
  mutating func failed(at now: Duration) {
    failed = now
    tried = now
  }

  /// Whether the collector should be sent requests.
  func isReady(at now: Duration) -> Bool {
    guard let failed else { return true }
    return now - failed >= memory
  }

  /// What to tell a client that asks whether it may send.
  enum Outlook: Equatable {
    /// The last attempt to store worked, or there was none.
    case good
    /// The last attempt failed, a moment ago.
    case bad
    /// The last attempt failed some time ago: whoever asks must try, and report what came of it.
    case mustTry
  }

  /// Whether the next batch can be stored. Unlike ``isReady(at:)`` it never forgets a failure: clients that ask instead
  /// of sending would otherwise be told that all is well by the mere passing of time.
  mutating func outlook(at now: Duration) -> Outlook {
    guard failed != nil else { return .good }
    guard now - tried >= pause else { return .bad }
    tried = now
    return .mustTry
  }
}
