import Alerts
import Foundation
import Outgoing
import Reports
import Warehouse

/// The page of an app's reports by mail, which posts to `/apps/ID/mail-reports`.
package struct MailReportsPage: AppPage {
  package static let place = AppPlace.mailReports

  let visit: PageVisit
  let reports: [StoredMailReport]
  let history: [AlertNotification]
  let dashboards: [Dashboard]
  let form: MailReportForm
  let app: App
  let apps: [App]
  let result: FormResult

  /// - Parameters:
  ///   - history: The latest mails, latest first.
  ///   - form: The fields of the form that creates or changes a report.
  init(
    _ visit: PageVisit, _ reports: [StoredMailReport], history: [AlertNotification], dashboards: [Dashboard],
    form: MailReportForm = MailReportForm(), app: App, apps: [App], result: FormResult = FormResult()
  ) {
    (self.visit, self.reports, self.history, self.dashboards, self.form, self.app, self.apps, self.result) = (
      visit, reports, history, dashboards, form, app, apps, result
    )
  }

  /// The most mails on the page.
  private static let mails = 50

  package init(_ request: some PageRequest) async throws {
    let (app, catalog) = (request.app, request.catalog)
    let reports = try catalog.mailReports(app: app.id)
    let edited = reports.first { $0.report.id.description == request.parameters["edit"] }
    let form = request.fields.map { MailReportForm($0) } ?? edited.map { MailReportForm($0.report) } ?? MailReportForm()
    let history = try reports.flatMap {
      try catalog.mailReportNotifications(of: $0.report.id, limit: Self.mails)
    }.sorted { ($1.message.time, $1.message.id) < ($0.message.time, $0.message.id) }.prefix(Self.mails)
    self.init(
      try await request.visit(), reports, history: Array(history), dashboards: try catalog.dashboards(app: app.id),
      form: form, app: app, apps: request.apps, result: request.result)
  }

  package func html() -> String {
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
        shown(mail.deliveries.map(\.text).joined(separator: "; "), empty: "–"),
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
    return visit.management(page, app: app, apps: apps, place: .mailReports)
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
}

extension AppPlace {
  package static let mailReports = AppPlace("Reports by mail", "mail-reports")
}
