package import TernEvents
package import Warehouse

/// The alerts that people see and change in the portal and through the HTTP API. Every change is recorded in the audit log.
package protocol AlertStore: Sendable {
  /// Returns the alerts of an app, or of the server for `nil`, with what they remember, ordered by number.
  func alerts(app: AppID?) throws -> [StoredAlert]
  /// Creates an alert. Whether its question can be asked is for the caller to check.
  ///
  /// - Throws: ``Warehouse/WarehouseError`` with code `invalid` if a value isn't allowed or there are too many.
  func createAlert(_ alert: Alert) throws -> Alert
  /// Mutes an alert until a time, or ends that for `nil`. Returns `nil` if the app has none with this number.
  func muteAlert(_ id: Int64, app: AppID?, until time: Timestamp?) throws -> Alert?
  /// Removes an alert with its history and the messages that wait. Returns `nil` if the app has none with this number.
  func removeAlert(_ id: Int64, app: AppID?) throws -> Alert?
  /// Returns the latest notifications of an alert, latest first.
  func notifications(of alert: Int64, limit: Int) throws -> [AlertNotification]
}
