import HTTPTypes
import Hummingbird
import NIOCore
import Questions
import TernEvents
import Warehouse

/// `/api/v1/apps/{id}/segments`: saved segments for programs.
struct SegmentRoutes: Sendable {
  let reader: BodyReader
  let catalog: any CollectorCatalog

  /// The maximum size of a request, in bytes: the filters, a name and some space.
  private static let maximumBytes = SegmentFilters.maximumBytes + 4_096

  func add(to routes: RouteTable) {
    routes.on(
      "/api/v1/apps/:app/segments",
      [
        .get: .api(.permission(.read)) { _, context in try list(context) },
        .post: .api(.permission(.edit)) { try await create($0, $1) },
      ])
    routes.on(
      "/api/v1/apps/:app/segments/:segment",
      [
        .get: .api(.permission(.read)) { _, context in try show(context) },
        .put: .api(.permission(.edit)) { try await change($0, $1) },
        .delete: .api(.permission(.edit)) { try remove($0, $1) },
      ])
  }

  private func list(_ context: CollectorContext) throws -> Response {
    .json(Self.object([("segments", .array(try context.visibleSegments(catalog).map(Self.tree)))]))
  }

  private func show(_ context: CollectorContext) throws -> Response {
    .tagged(try representation(Self.number(context), among: try context.visibleSegments(catalog)))
  }

  /// The representation of a segment; throws ``APIError`` 404 if there is none.
  private func representation(_ number: Int64, among segments: [SavedSegment]) throws -> [UInt8] {
    guard let segment = segments.first(where: { $0.id == number }) else { throw APIError.unknownSegment }
    return try Self.tree(segment).encoded
  }

  private func create(_ request: Request, _ context: CollectorContext) async throws -> Response {
    let (name, filters) = try await body(request, context)
    return try Response.refusingInvalid {
      let segment = try catalog.createSegment(app: try context.app.id, name: name, filters: filters)
      return .tagged(try Self.tree(segment).encoded, status: .created)
    }
  }

  private func change(_ request: Request, _ context: CollectorContext) async throws -> Response {
    let (name, filters) = try await body(request, context)
    let (number, app, condition) = (try Self.number(context), try context.app.id, Precondition(request))
    return try Response.refusingInvalid {
      let segment = try catalog.atomically {
        try condition.require { try representation(number, among: try catalog.segments(app: app)) }
        return try catalog.changeSegment(number, app: app, name: name, filters: filters)
      }
      guard let segment else { throw APIError.unknownSegment }
      return .tagged(try Self.tree(segment).encoded)
    }
  }

  private func remove(_ request: Request, _ context: CollectorContext) throws -> Response {
    let (number, app, condition) = (try Self.number(context), try context.app.id, Precondition(request))
    try catalog.atomically {
      try condition.require { try representation(number, among: try catalog.segments(app: app)) }
      guard try catalog.removeSegment(number, app: app) else { throw APIError.unknownSegment }
    }
    return Response(status: .noContent)
  }

  private static func number(_ context: CollectorContext) throws(APIError) -> Int64 {
    guard let number = context.parameters.get("segment").flatMap({ Int64($0) }) else { throw .unknownSegment }
    return number
  }

  /// The name and the checked filters of a request: an object with both.
  private func body(
    _ request: Request, _ context: CollectorContext
  ) async throws -> (name: String, filters: String) {
    let bytes = try await reader.read(request, context, limit: Self.maximumBytes).bytes
    do {
      let (name, filters) = try SegmentFilters.named(json: Array(bytes.readableBytesView))
      return (name, String(decoding: filters.json, as: UTF8.self))
    } catch {
      throw APIError(status: .badRequest, code: "invalid_segment", message: error.message, path: error.path)
    }
  }

  private static func tree(_ segment: SavedSegment) throws -> JSONTree {
    .object([
      ("id", .number(Double(segment.id))), ("name", .text(segment.name)),
      ("filters", try JSONTree(parsing: Array(segment.filters.utf8))), ("author", .text(segment.author)),
      ("changed", .text(segment.changed.utcText(withMilliseconds: false))),
    ])
  }

  private static func object(_ members: [(String, JSONTree)]) -> [UInt8] { JSONTree.object(members).encoded }
}

extension APIError {
  static let unknownSegment = APIError(
    status: .notFound, code: "unknown_segment", message: "This app has no such segment.")
}
