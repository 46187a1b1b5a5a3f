import Alerts
import AppCatalog
import Outgoing
import Portal
import Questions
import TernEvents
import Warehouse

/// Composes reports that are due, and stores each mail together with the day on which it was due.
struct MailReportEvaluator: Sendable {
  /// Reads the figures of a report; `nil` if its dashboard is gone.
  typealias Compose = @Sendable (MailReport, App, MailPeriod, _ now: Timestamp) async throws -> MailReportContent?

  let catalog: Catalog
  let compose: Compose
  /// Makes identifiers of mails.
  let newID: @Sendable (Timestamp) -> UniqueID
  /// The address of the portal in links; `nil` if unknown.
  let portal: @Sendable () -> String?

  /// Evaluates one report. Returns true if there is a mail to send.
  ///
  /// A crash before the transaction changes nothing: the next evaluation finds the same period, or a later one. A crash
  /// after it leaves the mail pending.
  @discardableResult
  func evaluate(_ stored: StoredMailReport, now: Timestamp) async throws -> Bool {
    let report = stored.report
    guard let app = try catalog.app(report.app), let due = Self.due(stored, app, now),
      let content = try await compose(report, app, due.period, now)
    else { return false }
    let mail = OutgoingMessage(
      id: newID(now), time: now, event: "report.mail", title: "\(AlertText.short(app.name)): \(content.title)",
      text: content.text, sections: content.sections, link: portal().map { $0 + content.path })
    return try catalog.store(mail, of: stored, sent: due.sent)
  }

  private static func due(_ stored: StoredMailReport, _ app: App, _ now: Timestamp) -> (period: MailPeriod, sent: Day)?
  {
    stored.due(at: now, in: QuestionCalendar(app.zone))
  }
}
