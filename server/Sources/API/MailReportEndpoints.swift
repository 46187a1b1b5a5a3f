import Alerts
import Answering
import HTTP
import HTTPTypes
import JSON
import Portal
import Warehouse

/// `/api/v1/apps/{app}/mail-reports`: reports by mail.
struct MailReportEndpoints: Sendable {
  let catalog: any CollectorCatalog

  /// The most mails of one answer.
  private static let mails = 100
  private static let report = JSONAnswer("MailReport", ShownMailReport.members)
  private static let newReport = JSONBody("MailReportInput", MailReport.members.ignoring(ShownMailReport.members))

  func add(to api: EndpointGroup) {
    // Recipients are people's addresses, so those who may only read don't see reports by mail.
    let reports = api.group("/apps/:app/mail-reports", .edit)
    let item = Item(Self.report) { call in
      let number = try call.number("report", else: .unknownMailReport)
      guard let found = try shown(call).first(where: { $0.report.id == number }) else {
        throw APIError.unknownMailReport
      }
      return found
    }
    reports.get("", "listMailReports", "The reports by mail of an app.", .list("mailReports", of: Self.report)) {
      try shown($0)
    }
    reports.create(
      "", "createMailReport", "Has the server mail the overview or a dashboard regularly.", Self.newReport, item
    ) { call, sent in
      let app = try call.app.id
      let created = try catalog.createMailReport(try sent.value(from: MailReport(app: app)))
      return ShownMailReport(created, name: created.name(among: try catalog.dashboards(app: app)))
    }
    reports.show("/:report", "mailReport", "One report by mail.", item)
    reports.change(
      .put, "/:report", "changeMailReport", "Replaces a report's subject, schedule and recipients.", Self.newReport,
      item
    ) { _, old, sent in
      _ = try catalog.changeMailReport(try sent.value(from: MailReport(id: old.report.id, app: old.report.app)))
    }
    reports.remove("/:report", "removeMailReport", "Deletes a report by mail with its history.", item) { _, old in
      _ = try catalog.removeMailReport(old.report.id, app: old.report.app)
    }
    reports.on(
      .post, "/:report/send", "sendMailReport", "Sends a report now, about the last period that has ended.",
      errors: [400]
    ) { call in
      let number = try call.number("report", else: .unknownMailReport)
      guard try catalog.requestMailReport(number, app: try call.app.id) != nil else {
        throw APIError.unknownMailReport
      }
    }
    reports.get(
      "/:report/notifications", "listMails", "The mails of a report, latest first, and whether they arrived.",
      .list("notifications", of: AlertEndpoints.notification)
    ) { try catalog.mailReportNotifications(of: try item.find($0).report.id, limit: Self.mails) }
  }

  private func shown(_ call: Call) throws -> [ShownMailReport] {
    let app = try call.app.id
    let dashboards = try catalog.dashboards(app: app)
    return try catalog.mailReports(app: app).map { ShownMailReport($0.report, name: $0.report.name(among: dashboards)) }
  }
}
