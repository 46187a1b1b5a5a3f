package import Alerts
import Foundation
import Outgoing
import Reports
package import Warehouse

/// The form that creates or changes a report by mail.
package struct MailReportForm: Sendable {
  /// The fields as the reader has filled them in.
  package var fields: [String: String]

  package init(_ fields: [String: String] = [:]) { self.fields = fields }

  /// Creates a form that changes a report.
  package init(_ report: MailReport) {
    fields = [
      "id": "\(report.id)", "subject": report.subject.dashboard.map { "\($0)" } ?? Self.overview,
      "every": report.cadence.rawValue, "hour": "\(report.hour)",
      "to": report.recipients.map(\.text).joined(separator: "\n"), "recipients": Self.list(report),
    ]
  }

  /// False if a recipient has unsubscribed, or the list has changed otherwise, since the form was opened: saving it would
  /// subscribe a removed recipient again.
  package func recipientsAreUnchanged(in report: MailReport) -> Bool { fields["recipients"] == Self.list(report) }

  private static func list(_ report: MailReport) -> String {
    report.recipients.map(\.text).joined(separator: ",")
  }

  /// The report.
  ///
  /// Throws ``Warehouse/WarehouseError`` with code `invalid` if a field is missing or has an unknown value.
  package func report(of app: AppID) throws(WarehouseError) -> MailReport {
    let text = fields["subject"] ?? ""
    let subject: MailReport.Subject? = text == Self.overview ? .overview : Int64(text).map { .dashboard($0) }
    guard let subject else { throw WarehouseError(.invalid, "Choose the overview or a dashboard.") }
    guard let cadence = MailReport.Cadence(rawValue: fields["every"] ?? "") else {
      throw WarehouseError(.invalid, "Choose how often the report is sent.")
    }
    guard let hour = Int(fields["hour"] ?? "") else { throw WarehouseError(.invalid, "Choose an hour.") }
    var recipients: [MailAddress] = []
    for line in lines {
      do throws(OutgoingError) { recipients.append(try MailAddress.parse(line)) } catch {
        throw WarehouseError(.invalid, "“\(visible(line))” can't be a recipient. \(error.message)")
      }
    }
    return MailReport(app: app, subject: subject, cadence: cadence, hour: hour, recipients: recipients)
  }

  static let overview = "overview"

  /// The recipients, separated by line ends, commas or spaces.
  var lines: [String] {
    (fields["to"] ?? "").split { $0.isNewline || $0 == "," || $0 == " " }.map { String($0) }
  }
}
