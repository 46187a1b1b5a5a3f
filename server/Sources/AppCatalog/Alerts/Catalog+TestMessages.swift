package import Alerts
import GRDB
package import Outgoing
package import TernEvents
import Warehouse

/// Test messages that a command has the running server send. They belong to no alert and to no report.
extension Catalog {
  /// The age from which a test message is one that an interrupted command has left.
  private static let maximumTestAge = Duration.seconds(3_600)

  /// Stores a test message with a pending delivery to each destination.
  package func addTest(_ message: OutgoingMessage, to destinations: [Destination]) throws {
    try writing { database in
      let oldest = message.time - Self.maximumTestAge
      try Self.removeNotifications(
        "alert IS NULL AND report IS NULL AND time < ?", [oldest.millisecondsSince1970], database)
      try insert(message, of: .alert, nil, to: destinations, database)
    }
  }

  /// Returns the deliveries of a test message, in the order of its destinations.
  package func testDeliveries(of message: UniqueID) throws -> [AlertNotification.Delivery] {
    try reading { try Self.deliveries(of: message.description, $0) }
  }

  /// Removes a test message, so that nothing is sent again.
  package func removeTest(_ message: UniqueID) throws {
    try writing { try Self.removeNotifications("id = ?", [message.description], $0) }
  }
}
