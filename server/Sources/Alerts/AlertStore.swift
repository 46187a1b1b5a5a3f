package import Outgoing
package import TernEvents
package import Warehouse

/// The alerts, as the portal and the HTTP API show and change them. Every change is recorded in the audit log.
package protocol AlertStore: Sendable {
  /// Returns the alerts of an app with their state, ordered by number; for `nil` those about the server.
  func alerts(app: AppID?) throws -> [StoredAlert]
  /// Creates an alert. The caller checks that its question can be asked.
  ///
  /// - Throws: ``Warehouse/WarehouseError`` with code `invalid` if a value isn't allowed or there are too many.
  func createAlert(_ alert: Alert) throws -> Alert
  /// Replaces the name, the condition, the minimum of users and the destinations of the alert with the same number and
  /// app. Changing the condition resets the state: if the figure is outside the new limit, that is reported; the end of
  /// an earlier breach is not. The caller checks that its question can be asked.
  ///
  /// Returns `nil` if the app has no alert with this number.
  ///
  /// - Throws: ``Warehouse/WarehouseError`` with code `invalid` if a value isn't allowed.
  func changeAlert(_ alert: Alert) throws -> Alert?
  /// Mutes an alert until a time, or unmutes it for `nil`. Returns `nil` if the app has no alert with this number.
  func muteAlert(_ id: Int64, app: AppID?, until time: Timestamp?) throws -> Alert?
  /// Removes an alert with its history and pending messages. Returns `nil` if the app has no alert with this number.
  func removeAlert(_ id: Int64, app: AppID?) throws -> Alert?
  /// Returns the latest notifications of an alert, latest first.
  func notifications(of alert: Int64, limit: Int) throws -> [AlertNotification]
  /// Stores a test message with a pending delivery to each destination.
  func addTest(_ message: OutgoingMessage, to destinations: [Destination]) throws
  /// Returns the deliveries of a test message, in the order of its destinations.
  func testDeliveries(of message: UniqueID) throws -> [AlertNotification.Delivery]
  /// Removes a test message, so that nothing is sent again.
  func removeTest(_ message: UniqueID) throws
}
