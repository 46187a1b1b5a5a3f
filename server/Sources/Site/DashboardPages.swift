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

/// The pages of dashboards: `/apps/ID/dashboards`.
struct DashboardPages: Sendable {
  let site: Site

  func add(to routes: RouteTable) {
    routes.on(
      AppPlace.dashboards.route,
      [
        .get: .page(.permission(.read)) { try await show($0, $1) },
        .post: .page(.permission(.edit)) { try await create($0, $1) },
      ])
    routes.on(
      "/apps/:app/dashboards/:dashboard",
      [
        .get: .page(.permission(.read)) { try await show($0, $1) },
        .post: .page(.permission(.edit)) { try await change($0, $1) },
      ])
  }

  private func show(
    _ request: Request, _ context: CollectorContext, _ result: FormResult = FormResult()
  ) async throws -> Response {
    let app = try context.app
    let all = try site.catalog.dashboards(app: app.id)
    var shown = all.first
    if context.parameters.get("dashboard") != nil {
      let number = try Self.number(context)
      guard let found = all.first(where: { $0.id == number }) else { throw APIError.unknownDashboard }
      shown = found
    }
    let scope = DashboardScope(in: request.parameters)
    // A form has several fields for what the address says in one.
    if let shown, request.method == .get, request.parameters["apply"] != nil {
      return Redirect(path: shown.address(scope)).response
    }
    let today = ReportZone(app.zone).day(of: site.wallTime())
    let segments = try context.visibleSegments(site.catalog)
    try site.answering.checkAllowed(scope.filter, segments, context)
    let named = shown?.namedValues(scope.filter, segments: segments) ?? []
    let visit = try site.visit(
      request, context, segments: segments,
      notes: try await site.notes.about(
        shown?.days(scope, segments: segments, today: today), app: app.id, for: context.clientShare),
      unknownValues: try await site.answering.unknownValues(among: named, context))
    let page = DashboardPage(
      visit, shown, of: all, app: app, apps: try context.visitor.visible(try site.catalog.apps()), today: today,
      scope: scope, isFullScreen: request.parameters["view"] == "full", result: result,
      ask: site.answering.forPage(context))
    return .html(try await page.html(), status: result.message == nil ? .ok : .badRequest)
  }

  private func create(_ request: Request, _ context: CollectorContext) async throws -> Response {
    let (app, form) = (try context.app.id, try await site.reader.form(request, context))
    let name = (form["name"] ?? "").trimmed
    return try await showing(request, context) {
      switch form["do"] {
      case "create": return Shown(try site.catalog.createDashboard(app: app, name: name, cards: []))
      case "save":
        let card = try DashboardCard(name: name, page: form["page"] ?? "", query: form["query"] ?? "")
          .checked(segments: try context.visibleSegments(site.catalog))
        guard let number = form["dashboard"], !number.isEmpty else {
          return Shown(try site.catalog.createDashboard(app: app, name: name, cards: [card]))
        }
        guard let id = Int64(number) else { throw APIError.unknownDashboard }
        return try site.catalog.changeDashboard(id, app: app) { $0.cards.append(card) }.map { Shown($0) }
      default: throw APIError.unknownAction
      }
    }
  }

  private func change(_ request: Request, _ context: CollectorContext) async throws -> Response {
    let (app, form) = (try context.app.id, try await site.reader.form(request, context))
    let number = try Self.number(context)
    if form["do"] == "delete" {
      guard form["confirm"] != nil else {
        return try await show(request, context, FormResult(message: "Tick the box to delete this dashboard."))
      }
      guard try site.catalog.removeDashboard(number, app: app) else { throw APIError.unknownDashboard }
      return Redirect(path: "/apps/\(app)/dashboards").response
    }
    return try await showing(request, context) {
      if form["do"] == "duplicate" { return try duplicate(number, app: app).map { Shown($0) } }
      var place: Int?
      return try site.catalog.changeDashboard(number, app: app) { place = try Self.change(&$0, form) }
        .map { Shown($0, place: place) }
    }
  }

  /// Creates a dashboard with the same cards, under the first name that is free.
  private func duplicate(_ number: Int64, app: AppID) throws -> Dashboard? {
    let all = try site.catalog.dashboards(app: app)
    guard let original = all.first(where: { $0.id == number }) else { return nil }
    let names = Set(all.map { $0.name.lowercased() })
    let candidates = (1...all.count + 1).map { "\(original.name.prefix(80)) copy\($0 == 1 ? "" : " \($0)")" }
    let name = candidates.first { !names.contains($0.lowercased()) } ?? original.name
    return try site.catalog.createDashboard(app: app, name: name, cards: original.cards)
  }

  /// Applies a form to a dashboard, and returns the place of the card that it changes.
  private static func change(_ dashboard: inout Dashboard, _ form: URLEncodedForm) throws -> Int? {
    if form["do"] == "rename" {
      dashboard.name = (form["name"] ?? "").trimmed
      return nil
    }
    // The name shows that the card is still the one that the reader saw at this place.
    guard let index = form["card"].flatMap({ Int($0) }), dashboard.cards.indices.contains(index),
      dashboard.cards[index].name == form["name"]
    else { throw changedMeanwhile }
    switch form["do"] {
    case "name": dashboard.cards[index].name = (form["new"] ?? "").trimmed
    case "wide": dashboard.cards[index].isWide = true
    case "narrow": dashboard.cards[index].isWide = false
    case "remove":
      dashboard.cards.remove(at: index)
      return nil
    case "move":
      guard let place = form["to"].flatMap({ Int($0) }), dashboard.cards.indices.contains(place) else {
        throw changedMeanwhile
      }
      dashboard.cards.insert(dashboard.cards.remove(at: index), at: place)
      return place
    default: throw APIError.unknownAction
    }
    return index
  }

  private static let changedMeanwhile = WarehouseError(.invalid, "The dashboard has changed meanwhile. Try again.")

  /// The dashboard to which a change leads, and the card that it changed.
  private struct Shown {
    let dashboard: Dashboard
    let place: Int?

    init(_ dashboard: Dashboard, place: Int? = nil) { (self.dashboard, self.place) = (dashboard, place) }
  }

  /// Leads to the dashboard that a change returns, or shows why there is none.
  private func showing(
    _ request: Request, _ context: CollectorContext, _ change: () throws -> Shown?
  ) async throws -> Response {
    do {
      guard let shown = try change() else { throw APIError.unknownDashboard }
      // With the filter and the days under which the reader edits it.
      let address = shown.dashboard.address(DashboardScope(in: request.parameters))
      return Redirect(path: address + (shown.place.map { "#place\($0)" } ?? "")).response
    } catch let error as WarehouseError where error.code == .invalid {
      return try await show(request, context, FormResult(message: error.message))
    } catch let error as QuestionError {
      return try await show(request, context, FormResult(message: error.message))
    }
  }

  static func number(_ context: CollectorContext) throws(APIError) -> Int64 {
    guard let number = context.parameters.get("dashboard").flatMap({ Int64($0) }) else { throw .unknownDashboard }
    return number
  }
}
