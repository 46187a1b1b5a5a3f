package import Outgoing
package import Warehouse

/// The reports by mail that people see and change in the portal and through the HTTP API. Every change is recorded in the
/// audit log.
package protocol MailReportStore: Sendable {
  /// Returns the reports of an app, ordered by number.
  func mailReports(app: AppID) throws -> [StoredMailReport]
  /// Creates a report. Its first mail is the next one.
  ///
  /// - Throws: ``Warehouse/WarehouseError`` with code `invalid` if a value isn't allowed, the dashboard isn't one of the app or
  ///   there are too many.
  func createMailReport(_ report: MailReport) throws -> MailReport
  /// Has a report sent now, about the last period that has ended. Returns `nil` if the app has none with this number.
  func requestMailReport(_ id: Int64, app: AppID) throws -> MailReport?
  /// Removes a report with its history and the mails that wait. Returns `nil` if the app has none with this number.
  func removeMailReport(_ id: Int64, app: AppID) throws -> MailReport?
  /// Returns the latest mails of a report, latest first.
  func mailReportNotifications(of report: Int64, limit: Int) throws -> [AlertNotification]
  /// Returns what a receiver's token is for; `nil` if the server didn't make it.
  func subscription(token: String) throws -> MailSubscription?
  /// Removes the receiver that a token names from its report, with the mails that wait. Returns false if the server didn't
  /// make the token; repeats change nothing.
  func unsubscribe(token: String) throws -> Bool
}

/// The meaning of a receiver's token.
package enum MailSubscription: Sendable, Hashable {
  /// The receiver gets the report.
  case active(MailReport, MailAddress)
  /// The receiver gets it no more, or there is no such report.
  case ended
}
