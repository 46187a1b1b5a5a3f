import Alerts
import AppCatalog
import Outgoing

extension NotifyCommand.Test {
  /// Has the running server send a message with its own settings, and returns the outcomes in the order of the
  /// destinations. Nothing is tried twice.
  static func send(
    _ message: OutgoingMessage, to destinations: [Destination], byServerOf catalog: Catalog,
    sleep: (Duration) async throws -> Void = { try await Task.sleep(for: $0) }, isServed: () throws -> Bool = { true }
  ) async throws -> [TestMessage.Outcome] {
    try await TestMessage.send(
      message, to: destinations, in: catalog, patience: .seconds(120), sleep: sleep, isServed: isServed)
  }
}
