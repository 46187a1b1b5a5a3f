package import Outgoing
import TernEvents

extension OutgoingMessage {
  /// The event of test messages. Each is tried once, because its sender may have stopped waiting for the outcome.
  package static let testEvent = "notify.test"
}

/// A message that a running server sends to try destinations.
package enum TestMessage {
  /// The outcome of one destination.
  package struct Outcome: Sendable, Equatable {
    /// The destination as shown to people.
    package let destination: String
    package let isAccepted: Bool
    package let answer: String

    package init(destination: String, isAccepted: Bool, answer: String) {
      (self.destination, self.isAccepted, self.answer) = (destination, isAccepted, answer)
    }
  }

  private static let pause = Duration.milliseconds(500)

  /// Has the running server send a message with its own settings, and returns the outcomes in the order of the
  /// destinations. Nothing is tried twice.
  ///
  /// - Parameters:
  ///   - patience: The time that the server has: it looks for messages every few seconds, and an attempt takes 30.
  ///   - isServed: Returns false once the server has ended.
  package static func send(
    _ message: OutgoingMessage, to destinations: [Destination], in store: any AlertStore, patience: Duration,
    sleep: (Duration) async throws -> Void, isServed: () throws -> Bool = { true }
  ) async throws -> [Outcome] {
    try store.addTest(message, to: destinations)
    defer { try? store.removeTest(message.id) }
    var waited = Duration.zero
    while waited < patience,
      try store.testDeliveries(of: message.id).contains(where: { $0.status == .waiting && $0.failures == 0 }),
      try isServed()
    {
      try await sleep(pause)
      waited += pause
    }
    return try store.testDeliveries(of: message.id).map { delivery in
      let isTried = delivery.status != .waiting || delivery.failures > 0
      return Outcome(
        destination: delivery.destination, isAccepted: delivery.status == .delivered,
        answer: isTried
          ? delivery.answer
          : waited < patience
            ? "The server ended before it sent it. Start it, or name a mail server with --smtp."
            : "The server hasn't sent it within \(patience.components.seconds) seconds. Its log may say why.")
    }
  }
}
