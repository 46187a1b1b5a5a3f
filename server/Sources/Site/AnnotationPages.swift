import Answering
import HTTP
import HTTPTypes
import Hummingbird
import Portal
import Reports
import ServerBase
import TernEvents
import Warehouse

/// The forms of the page of notes about days: `/apps/ID/annotations`.
struct AnnotationPages: SettingsForms {
  let site: Site

  func add(to routes: RouteTable) {
    routes.on(
      AppPlace.notes.route,
      [
        .post: .page(.permission(.edit)) { try await change($0, $1) }
      ])
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
      return try await site.open(AnnotationsPage.self, request, context, FormResult(message: error.message))
    }
  }
}
