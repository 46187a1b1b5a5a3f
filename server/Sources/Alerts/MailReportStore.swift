package import Outgoing
package import Warehouse

/// The reports by mail, as the portal and the HTTP API show and change them. Every change is recorded in the audit log.
package protocol MailReportStore: Sendable {
  /// Returns the reports of an app, ordered by number.
  func mailReports(app: AppID) throws -> [StoredMailReport]
  /// Creates a report. Its first mail is the next one that is due.
  ///
  /// - Throws: ``Warehouse/WarehouseError`` with code `invalid` if a value isn't allowed, the app has no such dashboard, or
  ///   there are too many reports.
  func createMailReport(_ report: MailReport) throws -> MailReport
  /// Replaces the subject, the schedule and the recipients of the report with the same number and app. Never sends a
  /// mail twice. If the new schedule had a send time after the last mail, that mail is due at once.
  ///
  /// Returns `nil` if the app has no report with this number.
  ///
  /// - Throws: ``Warehouse/WarehouseError`` with code `invalid` if a value isn't allowed, or the app has no such dashboard.
  func changeMailReport(_ report: MailReport) throws -> MailReport?
  /// Requests a mail now, about the last period that has ended. Returns `nil` if the app has no report with this
  /// number.
  func requestMailReport(_ id: Int64, app: AppID) throws -> MailReport?
  /// Removes a report with its history and pending mails. Returns `nil` if the app has no report with this number.
  func removeMailReport(_ id: Int64, app: AppID) throws -> MailReport?
  /// Returns the latest mails of a report, latest first.
  func mailReportNotifications(of report: Int64, limit: Int) throws -> [AlertNotification]
  /// Returns the subscription that an unsubscribe token stands for; `nil` if this server didn't issue the token.
  func subscription(token: String) throws -> MailSubscription?
  /// Removes the recipient that a token names from its report, and cancels pending mails. Repeating it changes nothing.
  /// Returns false if this server didn't issue the token.
  func unsubscribe(token: String) throws -> Bool
}

/// The subscription that an unsubscribe token stands for.
package enum MailSubscription: Sendable, Hashable {
  /// The recipient gets the report.
  case active(MailReport, MailAddress)
  /// The recipient has unsubscribed, or the report is gone.
  case ended
}
