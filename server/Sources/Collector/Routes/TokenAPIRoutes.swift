import HTTPTypes
import Hummingbird
import Questions
import ServerBase
import TernEvents
import Warehouse

/// `/api/v1/tokens`: the tokens of programs. The secret of a new one is only in the answer.
struct TokenAPIRoutes: Sendable {
  let reader: BodyReader
  let catalog: any CollectorCatalog

  /// The maximum size of a request, in bytes.
  private static let maximumBytes = 4 << 10

  func add(to routes: RouteTable) {
    let owner = Endpoint.Requirement.permission(.manageAccess)
    routes.on(
      "/api/v1/tokens",
      [
        .get: .api(owner) { _, _ in try list() },
        .post: .api(owner) { try await create($0, $1) },
      ])
    routes.on("/api/v1/tokens/:token", [.delete: .api(owner) { _, context in try revoke(context) }])
  }

  private func list() throws -> Response {
    .json(JSONTree.object([("tokens", .array(try catalog.tokens().map(Self.tree)))]).encoded)
  }

  private func create(_ request: Request, _ context: CollectorContext) async throws -> Response {
    let wanted = try await reader.object(
      TokenRequest.self, of: request, context, limit: Self.maximumBytes,
      members: "name and scopes, and optionally app and days")
    let isPerson = try context.visitor.session != nil
    return try Response.refusingInvalid {
      let scopes = try wanted.scopes.map { text in
        guard let scope = AccessToken.Scope(rawValue: text) else {
          throw WarehouseError(
            code: .invalid,
            message: "`scopes` may contain \(AccessToken.Scope.allCases.map(\.rawValue).joined(separator: ", ")).")
        }
        return scope
      }
      // Otherwise a token could create its own successor before it expires.
      guard isPerson || !scopes.contains(.administer) else {
        throw APIError(
          status: .forbidden, code: "not_allowed",
          message:
            "A token can't create a token with the scope administer. Log in as an owner, or run `tern tokens create`.")
      }
      if let days = wanted.days, !(1...3_650).contains(days) {
        throw WarehouseError(code: .invalid, message: "days must be from 1 to 3650.")
      }
      let app = try wanted.app.flatMap { try catalog.checked([$0])?.first }
      let (token, secret) = try catalog.createToken(
        name: wanted.name.trimmed, scopes: Set(scopes), app: app, lasting: wanted.days.map { .seconds($0 * 86_400) })
      return .json(
        JSONTree.object([("token", Self.tree(token)), ("secret", .text(secret))]).encoded, status: .created)
    }
  }

  private func revoke(_ context: CollectorContext) throws -> Response {
    let unknown = APIError(status: .notFound, code: "unknown_token", message: "There is no token with this number.")
    guard try catalog.revokeToken(try context.number("token", else: unknown)) else { throw unknown }
    return Response(status: .noContent)
  }

  private static func tree(_ token: AccessToken) -> JSONTree {
    .object([
      ("id", .number(Double(token.id))), ("name", .text(token.name)),
      ("scopes", .array(AccessToken.Scope.allCases.filter(token.scopes.contains).map { .text($0.rawValue) })),
      ("app", token.app.map { .number(Double($0.rawValue)) } ?? .null), ("created", .time(token.created)),
      ("used", .time(token.used)), ("expires", .time(token.expires)),
    ])
  }
}

/// The request body to create a token.
private struct TokenRequest: Decodable {
  let name: String
  let scopes: [String]
  let app: Int64?
  let days: Int?
}
