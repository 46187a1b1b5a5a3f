import Alerts
import Answering
import HTTP
import HTTPTypes
import Hummingbird
import NIOCore
import Outgoing
import Portal
import ServerBase
import Warehouse

/// The forms of the page of reports by mail, `/apps/ID/mail-reports`, and the unsubscribe link in each mail, `/unsubscribe/TOKEN`.
struct MailReportPages: SettingsForms {
  let site: Site

  /// The maximum size of a mail program's request, in bytes: `List-Unsubscribe=One-Click` and some room.
  private static let maximumFormBytes = 1 << 10

  func add(to routes: RouteTable) {
    routes.on(
      AppPlace.mailReports.route,
      [
        .post: .page(.permission(.edit)) { try await change($0, $1) }
      ])
    // The token is the authorization: mail programs post without a login, and not from the portal (RFC 8058).
    routes.on(
      "/unsubscribe/:token",
      [.get: .open { _, context in try ask(context) }, .post: .open { try await unsubscribe($0, $1) }])
  }

  private func change(_ request: Request, _ context: CollectorContext) async throws -> Response {
    let (app, fields) = (try context.app.id, try await site.reader.form(request, context))
    let number = fields["id"].flatMap { Int64($0) } ?? 0
    let form = MailReportForm(fields.values)
    // The other actions post no fields of the form.
    let shown = ["create", "change"].contains(fields["do"]) ? fields.values : nil
    do {
      let done: String
      switch fields["do"] {
      case "create":
        _ = try site.catalog.createMailReport(try form.report(of: app))
        done = "created"
      case "change":
        var report = try form.report(of: app)
        report.id = number
        let changed = report
        try site.catalog.atomically {
          guard let old = try site.catalog.mailReports(app: app).first(where: { $0.report.id == number })?.report else {
            throw APIError.unknownMailReport
          }
          guard form.recipientsAreUnchanged(in: old) else {
            throw WarehouseError(
              .invalid, "The recipients have changed since you opened this form. Open it again to see them.")
          }
          _ = try site.catalog.changeMailReport(changed)
        }
        done = "saved"
      case "send":
        _ = try site.catalog.requestMailReport(number, app: app)
        done = "requested"
      case "delete":
        _ = try site.catalog.removeMailReport(number, app: app)
        done = "deleted"
      default: throw APIError.unknownAction
      }
      return Redirect(path: "/apps/\(app)/mail-reports?done=\(done)").response
    } catch let error as WarehouseError where error.code == .invalid {
      return try await site.open(
        MailReportsPage.self, request, context, fields: shown, FormResult(message: error.message))
    }
  }

  private func ask(_ context: CollectorContext) throws -> Response {
    switch try site.catalog.subscription(token: context.parameters.get("token") ?? "") {
    case .active(let report, let address):
      let name = report.name(among: try site.catalog.dashboards(app: report.app))
      let app = try site.catalog.app(report.app).map { " of \($0.name)" } ?? ""
      return .html(UnsubscribePage(site.server, "\(name)\(app), \(report.schedule)", address: address.text).html())
    case .ended: return .html(UnsubscribePage(site.server, nil).html())
    case nil: return .html(UnsubscribePage.unknown(site.server).html(), status: .notFound)
    }
  }

  private func unsubscribe(_ request: Request, _ context: CollectorContext) async throws -> Response {
    _ = try await site.reader.read(request, context, limit: Self.maximumFormBytes)
    let actor = AuditActor(name: "link in a mail", address: context.clientShare)
    let isKnown = try AuditActor.$current.withValue(actor) {
      try site.catalog.unsubscribe(token: context.parameters.get("token") ?? "")
    }
    return isKnown
      ? .html(UnsubscribePage(site.server, nil).html())
      : .html(UnsubscribePage.unknown(site.server).html(), status: .notFound)
  }
}
