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

  fileprivate static let overview = "overview"

  /// The recipients, separated by line ends, commas or spaces.
  fileprivate var lines: [String] {
    (fields["to"] ?? "").split { $0.isNewline || $0 == "," || $0 == " " }.map { String($0) }
  }
}

extension PortalPages {
  /// The page of an app's reports by mail, which posts to `/apps/ID/mail-reports`.
  ///
  /// - Parameters:
  ///   - history: The latest mails, latest first.
  ///   - form: The fields of the form that creates or changes a report.
  package func mailReports(
    _ reports: [StoredMailReport], history: [AlertNotification], dashboards: [Dashboard],
    form: MailReportForm = MailReportForm(), app: App, apps: [App], result: FormResult = FormResult()
  ) -> String {
    let address = PortalLinks(app: app.id).page(.mailReports)
    let rows = reports.map { stored -> TemplateValues in
      let report = stored.report
      let to = report.recipients.map(\.text).joined(separator: ", ")
      return .row(
        [
          report.name(among: dashboards), titled(report.schedule),
          shown(to, empty: "No one: all have unsubscribed", limit: 2_000), stored.isRequested ? "Sending" : "",
        ],
        [.changeLink(report.id, on: address)]
          + (report.recipients.isEmpty ? [] : [.button("Send now", "send", id: report.id, to: address)])
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
        .list("Reports", ["Report", "Schedule", "To", "State"], rows, empty: "No reports by mail yet. Add one below."),
        .list("History", ["Time", "Mail", "Delivered"], mails, empty: "No mails yet."),
      ])
    page.forms = [createOrChangeForm(form, reports, dashboards, app, address)]
    return management(page, app: app, apps: apps, place: .mailReports)
  }

  /// Returns the form that creates a report, or changes the one that it names.
  private func createOrChangeForm(
    _ form: MailReportForm, _ reports: [StoredMailReport], _ dashboards: [Dashboard], _ app: App, _ address: String
  ) -> TemplateValues {
    let fields = form.fields
    let subjects = [(MailReportForm.overview, "Overview")] + dashboards.map { ("\($0.id)", shown($0.name)) }
    let edited = fields["id"].flatMap { Int64($0) }
    let report = reports.first { $0.report.id == edited }?.report
    let name = report.map { shown("\($0.name(among: dashboards)), \($0.schedule)") } ?? "a report"
    return .form(
      edited == nil ? "Add a report" : "Change \(name)", button: edited == nil ? "Add" : "Save",
      edited == nil ? "create" : "change", to: address, anchor: "form",
      help: "Every mail has a link with which its recipient can unsubscribe.",
      (edited.map { [.hidden("id", "\($0)"), .hidden("recipients", fields["recipients"] ?? "")] } ?? []) + [
        .choice("Report", "subject", subjects, chosen: fields["subject"]),
        .choice(
          "Schedule", "every", MailReport.Cadence.allCases.map { ($0.rawValue, titled($0.text)) },
          chosen: fields["every"]),
        .choice(
          "At, in \(app.timeZone)", "hour", (0..<24).map { ("\($0)", "\(padded($0)):00") },
          chosen: fields["hour"] ?? "7"),
        .area(
          "To", "to", form.lines.map { visible($0) }.joined(separator: "\n"), placeholder: "someone@example.org"),
      ])
  }

  /// The page of an unsubscribe link. Opening it changes nothing, because mail programs open links to check them.
  ///
  /// - Parameters:
  ///   - subject: The report, for example `Overview of Radio, every day at 07:00`; `nil` if the recipient has unsubscribed.
  ///   - address: The recipient's address.
  package func unsubscribing(_ subject: String?, address: String = "") -> String {
    let values: TemplateValues = [
      "tern": Icon.tern, "isActive": subject != nil, "subject": subject.map { shown($0) }, "receiver": shown(address),
    ]
    return layout(title: "Reports by mail", body: templates.render("unsubscribe", values))
  }

  /// The page of a link that this server didn't issue.
  package func unknownSubscription() -> String {
    error(status: 404, message: "This unsubscribe link is not valid. Copy the whole link from the mail.")
  }
}

extension AppPlace {
  package static let mailReports = AppPlace("Reports by mail", "mail-reports")
}
