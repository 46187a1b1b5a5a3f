import Alerts
import AppCatalog
import Outgoing
import TernEvents

extension NotifyCommand.Test {
  /// The time that the server has for sending: it looks for messages every few seconds, and an attempt takes 30.
  private static let patience = Duration.seconds(120)
  private static let pause = Duration.milliseconds(500)

  /// Has the running server send a message with its own settings, and returns the outcomes in the order of the
  /// destinations. Nothing is tried twice.
  static func send(
    _ message: OutgoingMessage, to destinations: [Destination], byServerOf catalog: Catalog,
    sleep: (Duration) async throws -> Void = { try await Task.sleep(for: $0) }, isServed: () throws -> Bool = { true }
  ) async throws -> [Outcome] {
    try catalog.addTest(message, to: destinations)
    defer { try? catalog.removeTest(message.id) }
    var waited = Duration.zero
    while waited < patience,
      try catalog.testDeliveries(of: message.id).contains(where: { $0.status == .waiting && $0.failures == 0 }),
      try isServed()
    {
      try await sleep(pause)
      waited += pause
    }
    return try catalog.testDeliveries(of: message.id).map { delivery in
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
