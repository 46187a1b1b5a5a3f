package import Alerts
import Foundation
import Outgoing
import Reports
package import Warehouse

/// The form that creates a report by mail.
package struct MailReportForm: Sendable {
  /// The fields as the reader filled them in.
  package var fields: [String: String]

  package init(_ fields: [String: String] = [:]) { self.fields = fields }

  /// The report.
  ///
  /// Throws ``Warehouse/WarehouseError`` with code `invalid` if a field is missing or has no meaning.
  package func report(of app: AppID) throws(WarehouseError) -> MailReport {
    let text = fields["subject"] ?? ""
    let subject: MailReport.Subject? = text == Self.overview ? .overview : Int64(text).map { .dashboard($0) }
    guard let subject else { throw Self.invalid("Choose the overview or a dashboard.") }
    guard let cadence = MailReport.Cadence(rawValue: fields["every"] ?? "") else {
      throw Self.invalid("Choose how often the report is sent.")
    }
    guard let hour = Int(fields["hour"] ?? "") else { throw Self.invalid("Choose an hour.") }
    var recipients: [MailAddress] = []
    for line in lines {
      guard let address = MailAddress(line) else {
        throw Self.invalid("“\(visible(line))” is no address of mail. Enter one such as someone@example.org.")
      }
      recipients.append(address)
    }
    return MailReport(app: app, subject: subject, cadence: cadence, hour: hour, recipients: recipients)
  }

  fileprivate static let overview = "overview"

  /// The receivers, one a line.
  fileprivate var lines: [String] {
    (fields["to"] ?? "").split { $0.isNewline || $0 == "," || $0 == " " }.map { String($0) }
  }

  private static func invalid(_ message: String) -> WarehouseError { WarehouseError(code: .invalid, message: message) }
}

extension PortalPages {
  /// The page of an app's reports by mail, which posts to `/apps/ID/mail-reports`.
  ///
  /// - Parameters:
  ///   - history: The latest mails, latest first.
  ///   - form: The fields of the form that creates a report.
  package func mailReports(
    _ reports: [StoredMailReport], history: [AlertNotification], dashboards: [Dashboard],
    form: MailReportForm = MailReportForm(), app: App, apps: [App], result: FormResult = FormResult()
  ) -> String {
    let address = PortalLinks(app: app.id).mailReports
    let rows = reports.map { stored -> TemplateValues in
      let report = stored.report
      let to = report.recipients.map(\.text).joined(separator: ", ")
      return .row(
        [
          report.name(among: dashboards), titled(report.schedule),
          shown(to, empty: "Nobody: all have unsubscribed", limit: 2_000), stored.isRequested ? "Being sent" : "",
        ],
        (report.recipients.isEmpty ? [] : [.button("Send now", "send", id: report.id, to: address)])
          + [.button("Delete", "delete", id: report.id, to: address, destroys: true)])
    }
    let mails = history.map { mail in
      TemplateValues.row([
        listed(mail.message.time, of: app), shown(mail.message.title),
        shown(mail.deliveries.map(delivery).joined(separator: "; "), empty: "–"),
      ])
    }
    var page = ManagementPage(
      title: "Reports by mail",
      lead: "The figures of the day, week or month that has ended, with their changes, for people who don't log in.",
      result: result,
      tables: [
        .list("Reports", ["Of", "Sent", "To", "State"], rows, empty: "No reports by mail yet. Add one below."),
        .list("History", ["Time", "Mail", "Arrived"], mails, empty: "No mail was sent yet."),
      ])
    page.forms = [creation(form, dashboards, app, address)]
    return management(page, app: app, apps: apps, place: .mailReports)
  }

  private func creation(
    _ form: MailReportForm, _ dashboards: [Dashboard], _ app: App, _ address: String
  ) -> TemplateValues {
    let fields = form.fields
    let subjects = [(MailReportForm.overview, "Overview")] + dashboards.map { ("\($0.id)", shown($0.name)) }
    return .form(
      "Add a report", button: "Add", "create", to: address,
      help: "Every mail has a link with which its receiver ends further ones.",
      [
        .choice("Of", "subject", subjects, chosen: fields["subject"]),
        .choice(
          "Sent", "every", MailReport.Cadence.allCases.map { ($0.rawValue, titled($0.text)) }, chosen: fields["every"]),
        .choice(
          "At, in \(app.timeZone)", "hour", (0..<24).map { ("\($0)", "\(padded($0)):00") },
          chosen: fields["hour"] ?? "7"),
        .area(
          "To", "to", form.lines.map { visible($0) }.joined(separator: "\n"), placeholder: "someone@example.org"),
      ])
  }

  /// The page of the link in a report by mail. It changes nothing: programs open links to look at them.
  ///
  /// - Parameters:
  ///   - subject: What is sent, for example `Overview of Radio, every day at 07:00`; `nil` after the end.
  ///   - address: The receiver.
  package func unsubscribing(_ subject: String?, address: String = "") -> String {
    let values: TemplateValues = [
      "tern": Icon.tern, "isActive": subject != nil, "subject": subject.map { shown($0) }, "receiver": shown(address),
    ]
    return layout(title: "Reports by mail", body: templates.render("unsubscribe", values))
  }

  /// The page of a link that no mail has.
  package func unknownSubscription() -> String {
    error(status: 404, message: "This link is not from a mail of this server. Open it from the mail again.")
  }
}

extension PortalLinks {
  /// The address of the app's reports by mail.
  var mailReports: String { "/apps/\(app)/mail-reports" }
}
