import Answering
import HTTP
import HTTPTypes
import Hummingbird
import Portal
import Questions
import Reports
import ServerBase
import TernEvents
import Warehouse

/// `/apps/ID/links`, where editors share pages, and `/shared/SECRET`, where anyone with the link reads one.
struct SharedPages: SettingsForms {
  let site: Site

  func add(to routes: RouteTable) {
    routes.on(
      AppPlace.links.route,
      [
        .post: .page(.permission(.edit)) { try await post($0, $1) }
      ])
    routes.on("/shared/:secret", [.get: .open { try await shared($0, $1) }])
  }

  private func post(_ request: Request, _ context: CollectorContext) async throws -> Response {
    let (app, form) = (try context.app, try await site.reader.form(request, context))
    do {
      switch form["do"] {
      case "create":
        let secret = try site.catalog.share(
          form["report"] ?? "", query: form["query"] ?? "", of: app,
          sites: (form["sites"] ?? "").split { $0 == " " || $0 == "," }.map(String.init),
          lasting: try form.days("days"), now: site.wallTime())
        let server = request.serverAddress ?? site.server.address
        return try await site.open(LinksPage.self, request, context, FormResult(secret: "\(server)/shared/\(secret)"))
      case "revoke":
        let id = form["id"].flatMap { Int64($0) } ?? 0
        try site.catalog.revoke(
          try site.catalog.links(app: app.id).first { $0.id == id }, app: app, now: site.wallTime())
        return Redirect(path: "/apps/\(app.id)/links?done=revoked").response
      default:
        throw APIError.unknownAction
      }
    } catch let error as WarehouseError where error.code == .invalid {
      return try await site.open(LinksPage.self, request, context, FormResult(message: error.message))
    }
  }

  private func shared(_ request: Request, _ context: CollectorContext) async throws -> Response {
    let isProgram = request.parameters["format"] != nil
    do {
      return try await content(request, context)
    } catch let error as ReportError {
      let status: HTTPResponse.Status = error.isNotFound ? .notFound : .badRequest
      guard !isProgram else {
        throw APIError(status: status, code: error.code.rawValue, message: error.message)
      }
      return .html(ErrorPage.brokenLink(site.server, error.message, status: status.code).html(), status: status)
    } catch let error as APIError where error.status == .badRequest && !isProgram {
      return .html(
        ErrorPage.brokenLink(site.server, error.message, status: error.status.code).html(), status: error.status)
    }
  }

  private func content(_ request: Request, _ context: CollectorContext) async throws -> Response {
    let now = site.wallTime()
    guard let link = try site.catalog.link(context.parameters.get("secret") ?? ""),
      let app = try site.catalog.app(link.app),
      let content = try site.catalog.content(of: link, app: app, now: now)
    else {
      return .html(ErrorPage.endedLink(site.server).html(), status: .notFound)
    }
    var context = context
    context.grant = Grant(visitor: Visitor(guestOf: app), app: app, isStillValid: { true })
    let segments = try context.visibleSegments(site.catalog)
    let reader = PortalReader(guestOf: site.catalog.name(of: link, app: app, now: now, segments: segments))
    let visit = PageVisit(
      site.server, reader: reader, segments: segments,
      theme: request.parameters["theme"].flatMap { Theme(rawValue: $0) })
    let today = ReportZone(app.zone).day(of: now)
    var response: Response
    switch content {
    case .report(let query):
      response = try await report(
        try site.catalog.addingStoredFacts(to: query, isGuest: true), visit, request, app, context)
    case .question(let page, let parameters):
      response = .html(
        try await QuestionFormPage(
          visit, page, parameters, app: app, apps: [app], days: today...today, from: site.store,
          ask: site.answering.forPage(context)
        ).html())
    case .dashboard(let dashboard, let scope):
      response = .html(
        try await DashboardPage(
          visit, dashboard, of: [], app: app, apps: [app], today: today, scope: scope,
          ask: site.answering.forPage(context)
        ).html())
    }
    if !link.sites.isEmpty {
      response.headers[.contentSecurityPolicy] = Response.contentSecurityPolicy(framedBy: link.sites)
    }
    return response
  }

  /// The page of a shared report, or its data.
  private func report(
    _ query: ReportRequest, _ visit: PageVisit, _ request: Request, _ app: App, _ context: CollectorContext
  ) async throws -> Response {
    func filtered(_ query: ReportRequest) throws -> any MetricsStore {
      try site.answering.metrics(for: query, from: site.store, segments: visit.segments, context, allowsRecent: true)
    }
    // A segment may have been deleted, or name persons now.
    if let fault = query.fault(visit.segments) { throw APIError(status: .badRequest, code: "invalid", message: fault) }
    let metrics = try filtered(query)
    if let format = request.parameters["format"] {
      let (format, csv) = (try ReportFormat(parsing: format), try request.csvStyle())
      return try await site.reports.run(query, for: context.clientShare) {
        try .report(try await query.report(from: metrics), format, csv, of: app)
      }
    }
    let other = try query.compared(visit.segments).map(filtered)
    let page = ReportPage(
      visit, query, app: app, apps: [app], from: metrics, comparedWith: other, ask: site.answering.forPage(context))
    return .html(try await site.reports.run(query, for: context.clientShare) { try await page.html() })
  }
}
