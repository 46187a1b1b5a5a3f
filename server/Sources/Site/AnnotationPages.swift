import Answering
import HTTP
import HTTPTypes
import Hummingbird
import Portal
import Reports
import ServerBase
import TernEvents
import Warehouse

/// The page of notes about days: `/apps/ID/annotations`.
struct AnnotationPages: SettingsPages {
  let site: Site

  /// The days whose releases are listed.
  private static let listedDays = 90

  func add(to routes: RouteTable) {
    routes.on(
      AppPlace.notes.route,
      [
        .get: .page(.permission(.read)) { try await show($0, $1, FormResult(outcome: $0.parameters["done"])) },
        .post: .page(.permission(.edit)) { try await change($0, $1) },
      ])
  }

  private func show(
    _ request: Request, _ context: CollectorContext, _ result: FormResult = FormResult()
  ) async throws -> Response {
    let (app, store) = (try context.app, site.store)
    let today = ReportZone(app.zone).day(of: site.wallTime())
    let releases = try await site.reports.run(for: context.clientShare) {
      try await Releases.find(app: app.id, days: today.advanced(by: 1 - Self.listedDays)...today, from: store)
    }
    return .html(
      try AnnotationsPage(
        site.visit(request, context), try site.catalog.annotations(app: app.id), releases: releases, app: app,
        apps: try context.visitor.visible(try site.catalog.apps()), today: today, result: result
      ).html(),
      status: result.message == nil ? .ok : .badRequest)
  }

  private func change(_ request: Request, _ context: CollectorContext) async throws -> Response {
    let (app, form) = (try context.app.id, try await site.reader.form(request, context))
    do {
      switch form["do"] {
      case "create":
        guard let day = Day((form["day"] ?? "").trimmed) else {
          throw WarehouseError(.invalid, "Enter a day such as 2026-05-30.")
        }
        _ = try site.catalog.createAnnotation(app: app, day: day, text: (form["text"] ?? "").trimmed)
      case "delete": _ = try site.catalog.removeAnnotation(form["id"].flatMap { Int64($0) } ?? 0, app: app)
      default: throw APIError.unknownAction
      }
      return Redirect(path: "/apps/\(app)/annotations?done=\(form["do"] == "create" ? "created" : "deleted")").response
    } catch let error as WarehouseError where error.code == .invalid {
      return try await show(request, context, FormResult(message: error.message))
    }
  }
}
