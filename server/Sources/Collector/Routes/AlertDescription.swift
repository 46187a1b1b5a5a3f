package import Alerts
import Outgoing
package import TernEvents
import Warehouse

/// An alert in the JSON of the API and of `tern alerts`.
package struct AlertDescription: Encodable, Sendable {
  private let id: Int64
  private let app: Int64?
  private let name: String
  private let condition: AlertCondition
  private let text: String
  private let minimumUsers: Int
  private let destinations: [String]
  private let status: String
  private let failure: String?
  private let mutedUntil: String?
  private let author: String
  private let changed: String

  /// Describes an alert.
  ///
  /// - Parameter now: The current time, which determines whether it is muted.
  package init(_ stored: StoredAlert, now: Timestamp) {
    let alert = stored.alert
    (id, app, name) = (alert.id, alert.app?.rawValue, alert.name)
    (condition, text) = (alert.condition, alert.condition.text)
    (minimumUsers, destinations) = (alert.minimumUsers, alert.destinations.map(\.shown))
    (status, failure) = (stored.status(at: now).rawValue, stored.state.failure?.reason)
    mutedUntil = alert.isMuted(at: now) ? alert.mutedUntil?.utcText(withMilliseconds: false) : nil
    (author, changed) = (alert.author, alert.changed.utcText(withMilliseconds: false))
  }
}
