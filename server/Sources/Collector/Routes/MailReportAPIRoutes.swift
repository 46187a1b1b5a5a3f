import Alerts
import HTTPTypes
import Hummingbird
import Outgoing
import Portal
import TernEvents
import Warehouse

/// The HTTP API of reports by mail: `/api/v1/apps/{id}/mail-reports`.
struct MailReportAPIRoutes: Sendable {
  let reader: BodyReader
  let catalog: any CollectorCatalog

  /// The maximum size of a request, in bytes: recipients and some room.
  private static let maximumBytes = 16 << 10
  /// The most mails of one answer.
  private static let mails = 100

  func add(to routes: RouteTable) {
    // Recipients are people's addresses, so those who may only read don't see reports by mail.
    routes.on(
      "/api/v1/apps/:app/mail-reports",
      [
        .get: .api(.permission(.edit)) { _, context in try list(context) },
        .post: .api(.permission(.edit)) { try await create($0, $1) },
      ])
    routes.on(
      "/api/v1/apps/:app/mail-reports/:report",
      [
        .get: .api(.permission(.edit)) { _, context in .tagged(try representation(Self.number(context), context)) },
        .put: .api(.permission(.edit)) { try await change($0, $1) },
        .delete: .api(.permission(.edit)) { try remove($0, $1) },
      ])
    routes.on(
      "/api/v1/apps/:app/mail-reports/:report/send",
      [.post: .api(.permission(.edit)) { _, context in try send(context) }])
    routes.on(
      "/api/v1/apps/:app/mail-reports/:report/notifications",
      [.get: .api(.permission(.edit)) { _, context in try history(context) }])
  }

  private func list(_ context: CollectorContext) throws -> Response {
    let app = try context.app.id
    let dashboards = try catalog.dashboards(app: app)
    let reports = try catalog.mailReports(app: app)
    return try .json(encoding: ["mailReports": reports.map { MailReportDescription($0.report, dashboards) }])
  }

  /// The representation of a report; throws ``APIError`` 404 if the app has none with this number.
  private func representation(_ number: Int64, _ context: CollectorContext) throws -> [UInt8] {
    let app = try context.app.id
    guard let found = try catalog.mailReports(app: app).first(where: { $0.report.id == number }) else {
      throw APIError.unknownMailReport
    }
    return try Response.bytes(encoding: MailReportDescription(found.report, try catalog.dashboards(app: app)))
  }

  private func create(_ request: Request, _ context: CollectorContext) async throws -> Response {
    let report = try await body(request, context).report(app: try context.app.id)
    return try Response.refusingInvalid {
      let created = try catalog.createMailReport(report)
      return .tagged(try representation(created.id, context), status: .created)
    }
  }

  private func change(_ request: Request, _ context: CollectorContext) async throws -> Response {
    let (number, condition) = (try Self.number(context), Precondition(request))
    var report = try await body(request, context).report(app: try context.app.id)
    report.id = number
    let changed = report
    return try Response.refusingInvalid {
      let bytes = try catalog.atomically {
        let before = try representation(number, context)
        try condition.require { before }
        _ = try catalog.changeMailReport(changed)
        return try representation(number, context)
      }
      return .tagged(bytes)
    }
  }

  private func body(_ request: Request, _ context: CollectorContext) async throws -> MailReportRequest {
    try await reader.object(
      MailReportRequest.self, of: request, context, limit: Self.maximumBytes,
      members: "every, hour, recipients and, unless it is about the overview, dashboard")
  }

  private func send(_ context: CollectorContext) throws -> Response {
    let (number, app) = (try Self.number(context), try context.app.id)
    return try Response.refusingInvalid {
      guard try catalog.requestMailReport(number, app: app) != nil else { throw APIError.unknownMailReport }
      return Response(status: .noContent)
    }
  }

  private func remove(_ request: Request, _ context: CollectorContext) throws -> Response {
    let (number, app, condition) = (try Self.number(context), try context.app.id, Precondition(request))
    try catalog.atomically {
      let before = try representation(number, context)
      try condition.require { before }
      _ = try catalog.removeMailReport(number, app: app)
    }
    return Response(status: .noContent)
  }

  private func history(_ context: CollectorContext) throws -> Response {
    let number = try Self.number(context)
    _ = try representation(number, context)
    let all = try catalog.mailReportNotifications(of: number, limit: Self.mails)
    return try .json(encoding: ["notifications": all.map(NotificationDescription.init)])
  }

  private static func number(_ context: CollectorContext) throws(APIError) -> Int64 {
    guard let number = context.parameters.get("report").flatMap({ Int64($0) }) else { throw .unknownMailReport }
    return number
  }
}

extension APIError {
  static let unknownMailReport = APIError(
    status: .notFound, code: "unknown_mail_report", message: "This app has no report by mail with this number.")
}

private struct MailReportRequest: Decodable {
  let every: MailReport.Cadence
  let hour: Int
  let dashboard: Int64?
  let recipients: [String]

  func report(app: AppID) throws(APIError) -> MailReport {
    var addresses: [MailAddress] = []
    for (index, text) in recipients.enumerated() {
      guard let address = MailAddress(text) else {
        throw APIError(
          status: .badRequest, code: "invalid", message: "Enter an email address, such as someone@example.org.",
          path: "$.recipients[\(index)]")
      }
      addresses.append(address)
    }
    return MailReport(
      app: app, subject: dashboard.map { .dashboard($0) } ?? .overview, cadence: every, hour: hour,
      recipients: addresses)
  }
}
