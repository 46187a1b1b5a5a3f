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

/// The pages behind the login.
struct ReportPages: Sendable {
  let site: Site
  let live: LiveHub
  let limits: CollectorLimits

  func add(to routes: RouteTable) {
    routes.on(
      "/", [.get: .page(.permission(.read)) { try await home($0, $1, FormResult(outcome: $0.parameters["done"])) }])
    routes.on(
      "/apps",
      [
        // The address of a form with a mistake, opened again.
        .get: .page(.permission(.read)) { _, _ in Redirect(path: "/").response },
        .post: .page(.permission(.administer)) { try await create($0, $1) },
      ])
    routes.on(
      "/apps/:app",
      [.get: .page(.permission(.read)) { try await report($0, $1, name: AppReports.overview.name) }])
    routes.on("/apps/:app/:page", [.get: .page(.report(parameter: "page")) { try await report($0, $1) }])
    routes.on("/apps/:app/\(AppReports.error.name)", [.get: .page(.permission(.read)) { try await error($0, $1) }])
    // Not `/apps/:app/live/events`: the router does not fall back to `:page` once `live` has matched.
    routes.on("/apps/:app/:page/events", [.get: .page(.permission(.readPersonalData)) { try stream($0, $1) }])
    routes.on(
      "/apps/:app/:page/files/:file", [.get: .page(.permission(.readPersonalData)) { try await file($0, $1) }])
    routes.on("/assets/:name", [.get: .open { try asset($0, $1) }])
  }

  private func home(
    _ request: Request, _ context: CollectorContext, _ result: FormResult = FormResult(), given: [String: String] = [:]
  ) async throws -> Response {
    let (visit, store, now) = (try site.visit(request, context), site.store, site.wallTime())
    let apps = try context.visitor.visible(try site.catalog.apps())
    let page = try await site.reports.run(for: context.clientShare) {
      try await HomePage(visit, apps, result: result, given: given, now: now, from: store).html()
    }
    return .html(page, status: result.message == nil ? .ok : .badRequest)
  }

  private func create(_ request: Request, _ context: CollectorContext) async throws -> Response {
    let form = try await site.reader.form(request, context)
    let (zone, name) = (form.text("timeZone") ?? "UTC", (form["name"] ?? "").trimmed)
    do {
      if form["twin"] == nil, try site.catalog.apps().contains(where: { $0.name == name }) {
        let message =
          "There is an app with the name “\(visible(name))” already. Choose another name, or check “Use this name twice”."
        var given = form.values
        given["twin"] = ""
        return try await home(request, context, FormResult(message: message), given: given)
      }
      let app = try site.catalog.createApp(
        name: name, timeZone: zone, appSecret: form.text("appSecret"), trackingID: form.text("trackingId"),
        writeKeys: form.words("writeKeys") ?? [])
      return Redirect(path: "/apps/\(app.id)/setup").response
    } catch let error as WarehouseError where error.code == .invalid {
      return try await home(request, context, FormResult(message: error.message), given: form.values)
    }
  }

  /// The page of an error. Those who may not see personal data see its figures, and no single occurrence.
  private func error(_ request: Request, _ context: CollectorContext) async throws -> Response {
    let seesPersonalData = try context.visitor.rights.allows(.readPersonalData, app: try context.app.id)
    guard seesPersonalData || request.parameters[ReportParameter.occurrence.name] == nil else {
      throw APIError.notAllowed
    }
    return try await report(request, context, name: AppReports.error.name)
  }

  private func report(
    _ request: Request, _ context: CollectorContext, name: String? = nil
  ) async throws -> Response {
    let (app, name) = (try context.app, name ?? context.parameters.get("page") ?? "")
    let parameters = ReportFilter.merged(request.parameters)
    let subject = try site.catalog.subject(view: parameters["view"], of: app)
    func read(_ parameters: [String: String]) throws -> ReportRequest {
      try site.catalog.addingStoredFacts(
        to: try ReportRequest(name, of: subject, parameters: parameters, now: site.wallTime()))
    }
    let query: ReportRequest
    var rangeMistake: RangeMistake?
    do {
      query = try read(parameters)
    } catch let error as ReportError {
      rangeMistake = RangeMistake(error, in: parameters)
      guard rangeMistake != nil else { throw error }
      // If something else is wrong, this fails with the same error.
      query = try read(RangeMistake.removed(from: parameters))
    }
    // A form has several fields for what the address says in one.
    if parameters["apply"] != nil, rangeMistake == nil { return Redirect(path: query.address).response }
    let segments = try context.visibleSegments(site.catalog)
    let apps = try context.visitor.visible(try site.catalog.apps())
    try site.answering.checkAllowed(query.filter, segments, context)
    if query.fault(segments) != nil {
      let visit = try site.visit(request, context, segments: segments, rangeMistake: rangeMistake)
      return .html(FaultyReportPage(visit, query, app: app, apps: apps).html(), status: .badRequest)
    }
    let visit = try site.visit(
      request, context, segments: segments,
      notes: try await site.notes.about(
        query.report.drawsDays ? query.days : nil, app: app.id, for: context.clientShare),
      unknownValues: try await site.answering.unknownValues(among: query.filter.namedValues, context),
      rangeMistake: rangeMistake)
    let other = try query.compared(segments).map {
      try site.answering.metrics(for: $0, from: site.store, segments: segments, context)
    }
    let store = try site.answering.metrics(for: query, from: site.store, segments: segments, context)
    let page = ReportPage(
      visit, query, app: app, apps: apps, from: store, comparedWith: other, ask: site.answering.forPage(context))
    return .html(
      try await site.reports.run(query, for: context.clientShare) { try await page.html() },
      status: rangeMistake == nil ? .ok : .badRequest)
  }

  private func stream(_ request: Request, _ context: CollectorContext) throws -> Response {
    guard context.parameters.get("page") == AppReports.live.name else { throw APIError.notFound }
    let app = try context.app
    // A reconnecting browser's header is more recent than the page's address.
    let after = (request.headers[.lastEventID] ?? request.parameters["after"]).flatMap { Int64($0) }
    guard request.method == .get else { return Response(status: .ok, headers: [.contentType: "text/event-stream"]) }
    let filter = try rowFilter(request, context)
    guard let grant = context.grant else { throw APIError.loginNeeded }
    let place = try live.place(for: grant.visitor.name, limits)
    return LiveStream(
      app: app.id, reports: site.reports, source: site.store, hub: live, place: place, channel: context.channel,
      isStillAllowed: grant.isStillValid,
      filter: filter
    ).response(after: after)
  }

  /// The filter of the live page, which its stream has, too.
  private func rowFilter(_ request: Request, _ context: CollectorContext) throws -> RowFilter {
    do {
      return RowFilter(
        try ReportFilter(in: request.parameters).filters(try context.visibleSegments(site.catalog)))
    } catch let error as QuestionError {
      throw APIError(error)
    }
  }

  private func file(_ request: Request, _ context: CollectorContext) async throws -> Response {
    guard context.parameters.get("page") == AppReports.errors.name else { throw APIError.notFound }
    let app = try context.app
    guard let number = context.parameters.get("file").flatMap({ Int64($0) }),
      let found = try await site.reports.run(
        for: context.clientShare, { [site] in try await site.store.attachment(app: app.id, id: number) })
    else {
      throw APIError(
        status: .notFound, code: "unknown_attachment",
        message: "This attachment does not exist, or was deleted to make room for newer ones.")
    }
    return AttachmentFile(facts: found.0, data: found.1).response
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
}
