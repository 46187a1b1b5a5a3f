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
struct SharedPages: SettingsPages {
  static let tabs: [AppPlace] = [.links]

  let site: Site

  func add(to routes: RouteTable) {
    routes.on(
      AppPlace.links.route,
      [
        .get: .page(.permission(.edit)) { try list($0, $1, FormResult(outcome: $0.parameters["done"])) },
        .post: .page(.permission(.edit)) { try await post($0, $1) },
      ])
    routes.on("/shared/:secret", [.get: .open { try await shared($0, $1) }])
  }

  private func list(
    _ request: Request, _ context: CollectorContext, _ result: FormResult = FormResult()
  ) throws -> Response {
    let (app, now, segments) = (try context.app, site.wallTime(), try context.visibleSegments(site.catalog))
    func name(_ link: SharedLink) -> String { site.catalog.name(of: link, app: app, now: now, segments: segments) }
    let page = request.parameters["report"].map { report in
      let query = request.parameters["query"] ?? ""
      let link = SharedLink(id: 0, app: app.id, report: report, query: query, sites: [], created: now, expires: nil)
      return PageToShare(report: report, query: query, name: name(link))
    }
    return .html(
      try site.pages.shown(to: context, request).links(
        try site.catalog.links(app: app.id).map { ($0, name($0)) }, page: page, app: app,
        apps: try context.visitor.visible(try site.catalog.apps()), result: result),
      status: result.message == nil ? .ok : .badRequest)
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
        let server = request.serverAddress ?? site.pages.serverAddress
        return try list(request, context, FormResult(secret: "\(server)/shared/\(secret)"))
      case "revoke":
        let id = form["id"].flatMap { Int64($0) } ?? 0
        try site.catalog.revoke(
          try site.catalog.links(app: app.id).first { $0.id == id }, app: app, now: site.wallTime())
        return Redirect(path: "/apps/\(app.id)/links?done=revoked").response
      default:
        throw APIError.unknownAction
      }
    } catch let error as WarehouseError where error.code == .invalid {
      return try list(request, context, FormResult(message: error.message))
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
      return .html(site.pages.brokenLink(error.message, status: status.code), status: status)
    } catch let error as APIError where error.status == .badRequest && !isProgram {
      return .html(site.pages.brokenLink(error.message, status: error.status.code), status: error.status)
    }
  }

  private func content(_ request: Request, _ context: CollectorContext) async throws -> Response {
    let now = site.wallTime()
    guard let link = try site.catalog.link(context.parameters.get("secret") ?? ""),
      let app = try site.catalog.app(link.app),
      let content = try site.catalog.content(of: link, app: app, now: now)
    else {
      return .html(site.pages.endedLink(), status: .notFound)
    }
    var context = context
    context.grant = Grant(visitor: Visitor(guestOf: app), app: app, isStillValid: { true })
    var guestPages = site.pages
    guestPages.segments = try context.visibleSegments(site.catalog)
    guestPages.reader = PortalReader(
      name: "", canEdit: false, seesPersonalData: false, isOwner: false, isGuest: true)
    guestPages.reader.sharedName = site.catalog.name(of: link, app: app, now: now, segments: guestPages.segments)
    var response: Response
    switch content {
    case .report(let query):
      response = try await report(
        try site.catalog.addingStoredFacts(to: query, isGuest: true), guestPages, as: request.parameters["format"], app,
        context)
    case .question(let page, let parameters):
      let today = ReportZone(app.zone).day(of: now)
      response = .html(
        try await guestPages.question(
          page, parameters, app: app, apps: [app], days: today...today, from: site.store,
          ask: site.answering.forPage(context)))
    case .dashboard(let dashboard, let filter):
      response = .html(
        try await guestPages.dashboard(
          dashboard, of: [], app: app, apps: [app], today: ReportZone(app.zone).day(of: now),
          filter: filter, ask: site.answering.forPage(context)))
    }
    if !link.sites.isEmpty {
      response.headers[.contentSecurityPolicy] = Response.contentSecurityPolicy(framedBy: link.sites)
    }
    return response
  }

  /// The page of a shared report, or its data.
  private func report(
    _ query: ReportRequest, _ pages: PortalPages, as format: String?, _ app: App, _ context: CollectorContext
  ) async throws -> Response {
    func filtered(_ query: ReportRequest) throws -> any MetricsStore {
      try site.answering.metrics(for: query, from: site.store, segments: pages.segments, context, allowsRecent: true)
    }
    // A segment may have been deleted, or name persons now.
    if let fault = pages.fault(query) { throw APIError(status: .badRequest, code: "invalid", message: fault) }
    let metrics = try filtered(query)
    if let format {
      let format = try ReportFormat(parsing: format)
      return try await site.reports.run(query, for: context.clientShare) {
        try .report(try await query.report(from: metrics), format)
      }
    }
    let other = try pages.comparedRequest(query).map(filtered)
    let ask = site.answering.forPage(context)
    return .html(
      try await site.reports.run(query, for: context.clientShare) {
        try await pages.report(query, app: app, apps: [app], from: metrics, comparedWith: other, ask: ask)
      })
  }
}
