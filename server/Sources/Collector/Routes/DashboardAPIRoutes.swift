import HTTPTypes
import Hummingbird
import Portal
import Questions
import ServerBase
import TernEvents
import Warehouse

/// `/api/v1/apps/{id}/dashboards` and `/annotations`: what readers saved, for programs.
struct DashboardAPIRoutes: Sendable {
  let pages: PortalPages
  let reader: BodyReader
  let catalog: any CollectorCatalog

  /// The maximum size of a request, in bytes.
  private static let maximumBytes = 256 << 10

  func add(to routes: RouteTable) {
    routes.on(
      "/api/v1/apps/:app/dashboards",
      [
        .get: .api(.permission(.read)) { _, context in try list(context) },
        .post: .api(.permission(.edit)) { try await create($0, $1) },
      ])
    routes.on(
      "/api/v1/apps/:app/dashboards/:dashboard",
      [
        .get: .api(.permission(.read)) { _, context in
          .tagged(try representation(DashboardRoutes.number(context), try context.app.id))
        },
        .put: .api(.permission(.edit)) { try await change($0, $1) },
        .delete: .api(.permission(.edit)) { try remove($0, $1) },
      ])
    routes.on(
      "/api/v1/apps/:app/annotations",
      [
        .get: .api(.permission(.read)) { _, context in try listAnnotations(context) },
        .post: .api(.permission(.edit)) { try await annotate($0, $1) },
      ])
    routes.on(
      "/api/v1/apps/:app/annotations/:annotation",
      [.delete: .api(.permission(.edit)) { _, context in try removeAnnotation(context) }])
  }

  private func list(_ context: CollectorContext) throws -> Response {
    let all = try catalog.dashboards(app: try context.app.id)
    return try .json(encoding: ["dashboards": all.map(DashboardDescription.init)])
  }

  private func create(_ request: Request, _ context: CollectorContext) async throws -> Response {
    let wanted = try await dashboard(request, context)
    return try Response.refusingInvalid {
      let dashboard = try catalog.createDashboard(
        app: try context.app.id, name: wanted.name.trimmed, cards: wanted.cards)
      return .tagged(try Response.bytes(encoding: DashboardDescription(dashboard)), status: .created)
    }
  }

  private func change(_ request: Request, _ context: CollectorContext) async throws -> Response {
    let wanted = try await dashboard(request, context)
    let (number, app, condition) = (try DashboardRoutes.number(context), try context.app.id, Precondition(request))
    return try Response.refusingInvalid {
      let changed = try catalog.atomically {
        try condition.require { try representation(number, app) }
        return try catalog.changeDashboard(number, app: app) {
          ($0.name, $0.cards) = (wanted.name.trimmed, wanted.cards)
        }
      }
      guard let changed else { throw APIError.unknownDashboard }
      return .tagged(try Response.bytes(encoding: DashboardDescription(changed)))
    }
  }

  private func remove(_ request: Request, _ context: CollectorContext) throws -> Response {
    let (number, app, condition) = (try DashboardRoutes.number(context), try context.app.id, Precondition(request))
    try catalog.atomically {
      try condition.require { try representation(number, app) }
      guard try catalog.removeDashboard(number, app: app) else { throw APIError.unknownDashboard }
    }
    return Response(status: .noContent)
  }

  /// The representation of a dashboard; throws ``APIError`` 404 if there is none.
  private func representation(_ number: Int64, _ app: AppID) throws -> [UInt8] {
    guard let dashboard = try catalog.dashboards(app: app).first(where: { $0.id == number }) else {
      throw APIError.unknownDashboard
    }
    return try Response.bytes(encoding: DashboardDescription(dashboard))
  }

  /// The dashboard of a request, with checked cards.
  private func dashboard(_ request: Request, _ context: CollectorContext) async throws -> DashboardRequest {
    var wanted = try await reader.object(
      DashboardRequest.self, of: request, context, limit: Self.maximumBytes,
      members: "name and cards, a list of name, page, query and wide")
    var pages = pages
    pages.segments = try context.visibleSegments(catalog)
    for index in wanted.cards.indices {
      do {
        wanted.cards[index] = try pages.checked(wanted.cards[index])
      } catch let error {
        throw APIError(
          status: .badRequest, code: "invalid", message: error.message, path: "$.cards[\(index)]")
      }
    }
    return wanted
  }

  private func listAnnotations(_ context: CollectorContext) throws -> Response {
    let all = try catalog.annotations(app: try context.app.id)
    return try .json(encoding: ["annotations": all.map(AnnotationDescription.init)])
  }

  private func annotate(_ request: Request, _ context: CollectorContext) async throws -> Response {
    let wanted = try await reader.object(
      AnnotationRequest.self, of: request, context, limit: Self.maximumBytes, members: "day and text")
    guard let day = Day(wanted.day) else {
      throw APIError(
        status: .badRequest, code: "invalid", message: "day must be a date such as 2026-05-30.", path: "$.day")
    }
    return try Response.refusingInvalid {
      let annotation = try catalog.createAnnotation(
        app: try context.app.id, day: day, text: wanted.text.trimmed)
      return try .json(encoding: AnnotationDescription(annotation), status: .created)
    }
  }

  private func removeAnnotation(_ context: CollectorContext) throws -> Response {
    guard let number = context.parameters.get("annotation").flatMap({ Int64($0) }),
      try catalog.removeAnnotation(number, app: try context.app.id)
    else {
      throw APIError(status: .notFound, code: "unknown_annotation", message: "This app has no such note.")
    }
    return Response(status: .noContent)
  }
}

private struct DashboardRequest: Decodable {
  let name: String
  var cards: [DashboardCard]
}

private struct DashboardDescription: Encodable {
  let id: Int64
  let name: String
  let cards: [DashboardCard]
  let author: String
  let changed: String

  init(_ dashboard: Dashboard) {
    (id, name, cards, author) = (dashboard.id, dashboard.name, dashboard.cards, dashboard.author)
    changed = dashboard.changed.utcText(withMilliseconds: false)
  }
}

private struct AnnotationRequest: Decodable {
  let day: String
  let text: String
}

private struct AnnotationDescription: Encodable {
  let id: Int64
  let day: String
  let text: String
  let author: String
  let created: String

  init(_ annotation: Annotation) {
    (id, day, text, author) = (annotation.id, annotation.day.description, annotation.text, annotation.author)
    created = annotation.created.utcText(withMilliseconds: false)
  }
}
