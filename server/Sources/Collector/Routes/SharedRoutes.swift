import HTTPTypes
import Hummingbird
import NIOCore
import Portal
import Questions
import Reports
public import TernEvents
public import Warehouse

/// `/apps/ID/links`, where editors share pages, and `/shared/SECRET`, where anyone with the link reads one.
struct SharedRoutes: Sendable {
  let catalog: any CollectorCatalog
  let pages: PortalPages
  let reader: BodyReader
  let reports: ReportScheduler
  let store: any MetricsStore
  let answering: QuestionAnswering
  let wallTime: @Sendable () -> Timestamp

  func add(to routes: RouteTable) {
    routes.on(
      "/apps/:app/links",
      [
        .get: .page(.permission(.edit)) { try list($0, $1, FormResult(outcome: $0.parameters["done"])) },
        .post: .page(.permission(.edit)) { try await post($0, $1) },
      ])
    routes.on("/shared/:secret", [.get: .open { try await shared($0, $1) }])
  }

  private func list(
    _ request: Request, _ context: CollectorContext, _ result: FormResult = FormResult()
  ) throws -> Response {
    let (app, parameters) = (try context.app, request.parameters)
    return .html(
      try pages.shown(to: context, request).links(
        try catalog.links(app: app.id), report: parameters["report"].map { ($0, parameters["query"] ?? "") }, app: app,
        apps: try context.visitor.visible(try catalog.apps()), result: result),
      status: result.message == nil ? .ok : .badRequest)
  }

  private func post(_ request: Request, _ context: CollectorContext) async throws -> Response {
    let (app, form) = (try context.app, try await reader.form(request, context))
    do {
      switch form["do"] {
      case "create":
        let (report, query) = (form["report"] ?? "", form["query"] ?? "")
        try catalog.checkShareable(report, query: query, app: app, now: wallTime())
        let (_, secret) = try catalog.createLink(
          app: app.id, report: report, query: query,
          sites: (form["sites"] ?? "").split { $0 == " " || $0 == "," }.map(String.init),
          lasting: try form.days("days"))
        let server = request.serverAddress ?? pages.collector
        return try list(request, context, FormResult(secret: "\(server)/shared/\(secret)"))
      case "revoke":
        _ = try catalog.revokeLink(form["id"].flatMap { Int64($0) } ?? 0, app: app.id)
        return Redirect(path: "/apps/\(app.id)/links?done=revoked").response
      default:
        throw APIError.unknownAction
      }
    } catch let error as WarehouseError where error.code == .invalid {
      return try list(request, context, FormResult(message: error.message))
    }
  }

  private func shared(_ request: Request, _ context: CollectorContext) async throws -> Response {
    guard let link = try catalog.link(context.parameters.get("secret") ?? ""), let app = try catalog.app(link.app)
    else {
      return .html(
        pages.error(status: 404, message: "This link has ended or was revoked. Ask for a new one."), status: .notFound)
    }
    let query = try catalog.completed(
      try catalog.request(of: link, app: app, now: wallTime()), isGuest: true)
    var context = context
    context.grant = Grant(visitor: Visitor(guestOf: app), app: app, isStillValid: { true })
    let segments = try context.visibleSegments(catalog)
    let store = try answering.metrics(for: query, from: store, segments: segments, context, allowsRecent: true)
    if let text = request.parameters["format"] {
      let format = try ReportFormat(parsing: text)
      let output = try await reports.run(query, for: context.clientShare) {
        try await query.report(from: store).text(format)
      }
      return Response(
        status: .ok, headers: [.contentType: format.contentType, .cacheControl: "no-store"],
        body: ResponseBody(byteBuffer: ByteBuffer(string: output)))
    }
    var guestPages = pages
    guestPages.reader = PortalReader(
      name: "", canEdit: false, seesPersonalData: false, isOwner: false, isGuest: true)
    guestPages.segments = segments
    let (shown, apps, ask) = (guestPages, [app], answering.forPage(context))
    var response = Response.html(
      try await reports.run(query, for: context.clientShare) {
        try await shown.report(query, app: app, apps: apps, from: store, ask: ask)
      }
    )
    if !link.sites.isEmpty {
      response.headers[.contentSecurityPolicy] = SecurityHeaders.policy(framedBy: link.sites)
    }
    return response
  }
}

extension CatalogEditor {
  /// Returns the request that a shared link stands for, with a relative range up to today.
  func request(of link: SharedLink, app: App, now: Timestamp) throws -> ReportRequest {
    let parameters = PortalPages.merged(URLEncodedForm(link.query).values)
    return try ReportRequest(
      link.report, of: try subject(view: parameters["view"], of: app), parameters: parameters, now: now)
  }

  /// Checks that a report can be shared; throws `WarehouseError` with code `invalid` otherwise.
  public func checkShareable(_ report: String, query: String, app: App, now: Timestamp) throws {
    let link = SharedLink(
      id: 0, app: app.id, report: report, query: query, sites: [], created: now, expires: nil)
    let request: ReportRequest
    do {
      request = try self.request(of: link, app: app, now: now)
    } catch let error as ReportError {
      throw WarehouseError(code: .invalid, message: error.message)
    }
    if request.report.showsPersonalData {
      throw WarehouseError(code: .invalid, message: "This page shows personal data and can't be shared.")
    }
    guard !request.filter.isEmpty else { return }
    guard request.isFilterable else {
      throw WarehouseError(code: .invalid, message: "This page is about all rows. Remove the filters first.")
    }
    do {
      let filters = try request.filter.filters(segments(app: app.id))
      guard !filters.contains(where: \.showsPersonalData) else {
        throw WarehouseError(
          code: .invalid,
          message: "The filters name installs or users, so the page shows personal data and can't be shared.")
      }
    } catch let error as QuestionError {
      throw WarehouseError(code: .invalid, message: error.message)
    }
  }
}
