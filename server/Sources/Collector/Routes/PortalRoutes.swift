import HTTPTypes
import Hummingbird
import Portal
import Reports
import TernEvents
import Warehouse

/// The pages behind the login.
struct PortalRoutes: Sendable {
  let access: Access
  let pages: PortalPages
  let reader: BodyReader
  let reports: ReportScheduler
  let store: any MetricsStore
  let catalog: any CatalogStore
  let live: LiveHub
  let limits: CollectorLimits
  let wallTime: @Sendable () -> Timestamp

  /// The maximum size of a form, in bytes.
  private static let maximumFormBytes = 16 << 10

  func add(to routes: RouteTable) {
    routes.on("/", [.get: page { try await home($0, $1) }])
    routes.on("/apps", [.post: page { try await create($0, $1) }])
    routes.on("/apps/:app", [.get: page { try await report($0, $1, name: AppReports.overview.name) }])
    routes.on("/apps/:app/:page", [.get: page { try await appPage($0, $1) }])
    // Not `/apps/:app/live/events`: the router does not fall back to `:page` once `live` has matched.
    routes.on("/apps/:app/:page/events", [.get: page { try stream($0, $1) }])
    routes.on("/apps/:app/:page/files/:file", [.get: page { try await file($0, $1) }])
    routes.on("/assets/:name", [.get: { try asset($0, $1) }])
  }

  /// Wraps a handler that needs a login, and whose errors are pages too.
  private func page(_ handler: @escaping RouteTable.Handler) -> RouteTable.Handler {
    { request, context in
      do {
        try access.requirePage(request)
        return try await handler(request, context)
      } catch let redirect as Redirect {
        return redirect.response
      } catch let error as APIError {
        return errorPage(error.status, error.message)
      } catch let error as ReportError {
        let status: HTTPResponse.Status = error.isNotFound ? .notFound : .badRequest
        let app = context.parameters.get("app").flatMap { Int64($0) }.map { AppID($0) }
        return .html(pages.error(error, status: status.code, app: app), status: status)
      }
    }
  }

  private func errorPage(_ status: HTTPResponse.Status, _ message: String) -> Response {
    .html(pages.error(status: status.code, message: message), status: status)
  }

  private func home(_ request: Request, _ context: CollectorContext, message: String? = nil) async throws -> Response {
    let (pages, store, apps, now) = (pages(for: request), store, try catalog.apps(), wallTime())
    let status: HTTPResponse.Status = message == nil ? .ok : .badRequest
    let page = try await reports.run(for: context.clientShare) {
      try await pages.home(apps, message: message, now: now, from: store)
    }
    return .html(page, status: status)
  }

  private func create(_ request: Request, _ context: CollectorContext) async throws -> Response {
    let body = try await reader.read(request, context, limit: Self.maximumFormBytes)
    let form = URLEncodedForm(String(buffer: body.bytes))
    let zone = form["timeZone"].flatMap { $0.trimmed.isEmpty ? nil : $0.trimmed } ?? "UTC"
    do {
      let app = try catalog.createApp(
        name: (form["name"] ?? "").trimmed, timeZone: zone, appSecret: nil, trackingID: nil)
      return Redirect(path: "/apps/\(app.id)/settings").response
    } catch let error as WarehouseError where error.code == .invalid {
      return try await home(request, context, message: error.message)
    }
  }

  private func appPage(_ request: Request, _ context: CollectorContext) async throws -> Response {
    let name = context.parameters.get("page") ?? ""
    if name == "views" {
      let app = try app(context)
      return .html(
        pages(for: request).views(try catalog.views(app: app.id), app: app, apps: try catalog.apps()))
    }
    guard name == "settings" else { return try await report(request, context, name: name) }
    let app = try app(context)
    return .html(pages(for: request).settings(app: app, apps: try catalog.apps()))
  }

  private func report(_ request: Request, _ context: CollectorContext, name: String) async throws -> Response {
    let app = try app(context)
    let query = try ReportRequest(
      name, of: try catalog.subject(view: request.parameters["view"], of: app), parameters: request.parameters,
      now: wallTime())
    let (pages, apps) = (pages(for: request), try catalog.apps())
    return .html(
      try await reports.run(for: context.clientShare) {
        try await pages.report(query, app: app, apps: apps, from: store)
      })
  }

  private func stream(_ request: Request, _ context: CollectorContext) throws -> Response {
    guard context.parameters.get("page") == AppReports.live.name else { throw APIError.notFound }
    let app = try app(context)
    // A reconnecting browser's header is more recent than the page's address.
    let after = (request.headers[.lastEventID] ?? request.parameters["after"]).flatMap { Int64($0) }
    guard request.method == .get else { return Response(status: .ok, headers: [.contentType: "text/event-stream"]) }
    guard let place = live.place(maximum: limits.maximumLiveStreams) else {
      throw APIError(
        status: .serviceUnavailable, code: "too_many_streams",
        message: "Too many live pages are open. Close one and reload.")
    }
    return LiveStream(app: app.id, reports: reports, source: store, hub: live, place: place).response(after: after)
  }

  private func file(_ request: Request, _ context: CollectorContext) async throws -> Response {
    guard context.parameters.get("page") == AppReports.errors.name else { throw APIError.notFound }
    let app = try app(context).id
    guard let number = context.parameters.get("file").flatMap({ Int64($0) }),
      let (facts, data) = try await reports.run(
        for: context.clientShare, { try await store.attachment(app: app, id: number) })
    else {
      throw APIError(
        status: .notFound, code: "unknown_attachment",
        message: "This attachment does not exist, or was deleted to make room for newer ones.")
    }
    return AttachmentFile(facts: facts, data: data).response
  }

  private func asset(_ request: Request, _ context: CollectorContext) throws -> Response {
    guard let asset = PortalAssets.asset(named: context.parameters.get("name") ?? "") else { throw APIError.notFound }
    // Addresses on pages include the version, so cached files never become stale.
    let isVersioned = request.parameters["v"] != nil
    let headers: HTTPFields = [
      .contentType: asset.contentType, .eTag: asset.etag,
      .cacheControl: isVersioned ? "public, max-age=31536000, immutable" : "no-cache",
    ]
    let known = request.headers[.ifNoneMatch]?.split(separator: ",").map(\.trimmed) ?? []
    if known.contains(where: { $0 == asset.etag || $0 == "W/\(asset.etag)" || $0 == "*" }) {
      return Response(status: .notModified, headers: headers)
    }
    return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: asset.bytes)))
  }

  private func app(_ context: CollectorContext) throws -> App {
    guard let number = context.parameters.get("app").flatMap({ Int64($0) }), let app = try catalog.app(AppID(number))
    else {
      throw APIError(
        status: .notFound, code: "unknown_app", message: "This app does not exist. Choose one from the list of apps.")
    }
    return app
  }

  /// The pages, with the reader's address of the collector in the sample code.
  private func pages(for request: Request) -> PortalPages {
    guard let authority = request.authority else { return pages }
    var pages = pages
    pages.collector = "\(request.isSecure ? "https" : "http")://\(authority)"
    return pages
  }
}
