package import Alerts
import Outgoing
import Portal
package import Warehouse

/// A report by mail in the JSON of the API and of `tern mail-reports`.
package struct MailReportDescription: Encodable, Sendable {
  private let id: Int64
  private let app: Int64
  private let name: String
  private let dashboard: Int64?
  private let every: MailReport.Cadence
  private let hour: Int
  private let recipients: [String]
  private let author: String
  private let created: String

  /// Describes a report.
  ///
  /// - Parameter dashboards: The dashboards of the app, which have names.
  package init(_ report: MailReport, _ dashboards: [Dashboard]) {
    (id, app, name) = (report.id, report.app.rawValue, report.name(among: dashboards))
    dashboard = report.subject.dashboard
    (every, hour, recipients) = (report.cadence, report.hour, report.recipients.map(\.text))
    (author, created) = (report.author, report.created.utcText(withMilliseconds: false))
  }
}
