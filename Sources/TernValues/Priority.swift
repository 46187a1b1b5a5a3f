/// The priority with which an event is kept and sent.
public enum Priority: String, Sendable, CaseIterable {
  /// Sent with the next batch; evicted first when the queue is full.
  case normal
  /// Sent at once and before normal events; evicted only for other critical events.
  case critical
}
