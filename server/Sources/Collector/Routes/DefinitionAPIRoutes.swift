import HTTPTypes
import Hummingbird
import Questions
import ServerBase
import Warehouse

/// `/api/v1/apps/{id}/dimensions` and `/metrics`: the definitions of custom dimensions and metrics.
struct DefinitionAPIRoutes: Sendable {
  let reader: BodyReader
  let catalog: any CollectorCatalog

  /// The maximum size of a request, in bytes.
  private static let maximumBytes = 4 << 10

  func add(to routes: RouteTable) {
    for kind in CustomDefinition.Kind.allCases {
      let path = "/api/v1/apps/:app/\(kind.rawValue)s"
      routes.on(path, [.get: .api(.permission(.read)) { _, context in try list(kind, context) }])
      routes.on(
        "\(path)/:index",
        [
          .get: .api(.permission(.read)) { _, context in try show(kind, context) },
          .put: .api(.permission(.edit)) { try await define(kind, $0, $1) },
        ])
    }
  }

  private func list(_ kind: CustomDefinition.Kind, _ context: CollectorContext) throws -> Response {
    let trees = try catalog.definitions(app: try context.app.id).filter { $0.kind == kind }.map(Self.tree)
    return .json(JSONTree.object([("\(kind.rawValue)s", .array(trees))]).encoded)
  }

  private func show(_ kind: CustomDefinition.Kind, _ context: CollectorContext) throws -> Response {
    guard let bytes = try representation(kind, Self.index(context), try context.app.id) else {
      throw APIError.unknownDefinition
    }
    return .tagged(bytes)
  }

  private func define(
    _ kind: CustomDefinition.Kind, _ request: Request, _ context: CollectorContext
  ) async throws -> Response {
    let wanted = try await reader.object(
      DefinitionRequest.self, of: request, context, limit: Self.maximumBytes,
      members: "name, and optionally active and \(kind == .metric ? "type" : "scope")")
    let (index, app, condition) = (try Self.index(context), try context.app.id, Precondition(request))
    return try Response.refusingInvalid {
      let definition = try catalog.atomically {
        try condition.require { try representation(kind, index, app) }
        return try catalog.define(
          app: app, kind: kind, index: index, name: wanted.name.trimmed,
          type: kind == .metric ? try Self.word(wanted.type, else: .integer, "type") : nil,
          scope: kind == .metric ? nil : try Self.word(wanted.scope, else: .hit, "scope"),
          isActive: wanted.active ?? true)
      }
      return .tagged(Self.tree(definition).encoded)
    }
  }

  private static func word<Word: RawRepresentable<String> & CaseIterable>(
    _ text: String?, else usual: Word, _ member: String
  ) throws -> Word {
    guard let word = text.map({ Word(rawValue: $0) }) ?? usual else {
      throw WarehouseError(
        code: .invalid, message: "\(member) must be one of \(Word.allCases.map(\.rawValue).joined(separator: ", ")).")
    }
    return word
  }

  private static func index(_ context: CollectorContext) throws(APIError) -> Int {
    let number = Int(clamping: try context.number("index", else: .unknownDefinition))
    guard CustomDefinition.indexes.contains(number) else { throw .unknownDefinition }
    return number
  }

  private func representation(_ kind: CustomDefinition.Kind, _ index: Int, _ app: AppID) throws -> [UInt8]? {
    try catalog.definitions(app: app).first { $0.kind == kind && $0.index == index }.map { Self.tree($0).encoded }
  }

  private static func tree(_ definition: CustomDefinition) -> JSONTree {
    let isMetric = definition.kind == .metric
    let word = isMetric ? definition.type.rawValue : definition.scope.rawValue
    return .object([
      ("index", .number(Double(definition.index))), ("parameter", .text(definition.parameter)),
      ("name", .text(definition.name)), (isMetric ? "type" : "scope", .text(word)),
      ("active", .boolean(definition.isActive)), ("since", .time(definition.rules.last?.start)),
    ])
  }
}

/// The request body to define a dimension or metric.
private struct DefinitionRequest: Decodable {
  let name: String
  let scope: String?
  let type: String?
  let active: Bool?
}

extension APIError {
  fileprivate static let unknownDefinition = APIError(
    status: .notFound, code: "unknown_definition",
    message: "This number has no definition. Numbers are from 1 to 200; PUT defines one.")
}
