import HTTPTypes
import Hummingbird
import Portal
import Questions
import Reports
import Warehouse

/// The page of saved segments: `/apps/ID/segments`.
struct SegmentPageRoutes: Sendable {
  let pages: PortalPages
  let reader: BodyReader
  let catalog: any CollectorCatalog

  func add(to routes: RouteTable) {
    routes.on(
      "/apps/:app/segments",
      [
        .get: .page(.permission(.read)) { try show($0, $1) },
        .post: .page(.permission(.edit)) { try await change($0, $1) },
      ])
  }

  private func show(
    _ request: Request, _ context: CollectorContext, _ result: FormResult = FormResult()
  ) throws -> Response {
    let app = try context.app
    return .html(
      try pages.shown(to: context, request).segments(
        try context.visibleSegments(catalog), app: app, apps: try context.visitor.visible(try catalog.apps()),
        result: result), status: result.message == nil ? .ok : .badRequest)
  }

  private func change(_ request: Request, _ context: CollectorContext) async throws -> Response {
    let (app, form) = (try context.app.id, try await reader.form(request, context))
    let (name, filters) = ((form["name"] ?? "").trimmed, (form["filters"] ?? "").trimmed)
    do {
      switch form["do"] {
      case "create":
        _ = try catalog.createSegment(app: app, name: name, filters: try Self.checked(filters))
      case "change":
        guard let segment = try catalog.segments(app: app).first(where: { $0.id.description == form["id"] })
        else { throw APIError.unknownSegment }
        _ = try catalog.changeSegment(
          segment.id, app: app, name: name.isEmpty ? segment.name : name,
          filters: filters.isEmpty ? segment.filters : try Self.checked(filters))
      case "delete": _ = try catalog.removeSegment(form["id"].flatMap { Int64($0) } ?? 0, app: app)
      default: throw APIError.unknownAction
      }
      return Redirect(path: "/apps/\(app)/segments").response
    } catch let error as WarehouseError where error.code == .invalid {
      return try show(request, context, FormResult(message: error.message))
    } catch let error as QuestionError {
      return try show(request, context, FormResult(message: "\(error.message) (\(error.path))"))
    }
  }

  private static func checked(_ filters: String) throws(QuestionError) -> String {
    String(decoding: try SegmentFilters.checked(Array(filters.utf8)).json, as: UTF8.self)
  }
}

extension CollectorContext {
  /// The segments of the request's app that the visitor may see.
  func visibleSegments(_ catalog: any CatalogEditor) throws -> [SavedSegment] {
    let app = try app.id
    let seesPersonalData = try visitor.rights.allows(.readPersonalData, app: app)
    return try catalog.segments(app: app).filter { seesPersonalData || !$0.showsPersonalData }
  }
}
