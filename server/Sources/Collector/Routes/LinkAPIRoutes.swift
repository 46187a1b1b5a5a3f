import HTTPTypes
import Hummingbird
import Portal
import Questions
import TernEvents
import Warehouse

/// `/api/v1/apps/{id}/links`: the links with which anyone can read one page. The address of a new one is only in the
/// answer.
struct LinkAPIRoutes: Sendable {
  let reader: BodyReader
  let catalog: any CollectorCatalog
  /// The server's address in links if the request doesn't name it.
  let server: String
  let wallTime: @Sendable () -> Timestamp

  /// The maximum size of a request, in bytes.
  private static let maximumBytes = 32 << 10
  /// The maximum size of a page's query, in bytes. Like the sites, it is in a header field of each answer.
  static let maximumQueryBytes = 8_192
  /// The most sites of a link.
  static let maximumSites = 20

  func add(to routes: RouteTable) {
    let editor = Endpoint.Requirement.permission(.edit)
    routes.on(
      "/api/v1/apps/:app/links",
      [
        .get: .api(editor) { _, context in try list(context) },
        .post: .api(editor) { try await create($0, $1) },
      ])
    routes.on("/api/v1/apps/:app/links/:link", [.delete: .api(editor) { _, context in try revoke(context) }])
  }

  private func list(_ context: CollectorContext) throws -> Response {
    let links = try catalog.links(app: try context.app.id)
    return .json(JSONTree.object([("links", .array(try links.map { try tree($0, context) }))]).encoded)
  }

  private func create(_ request: Request, _ context: CollectorContext) async throws -> Response {
    let wanted = try await reader.object(
      LinkRequest.self, of: request, context, limit: Self.maximumBytes,
      members: "page, and optionally query, sites and days")
    let (query, sites) = (wanted.query ?? "", wanted.sites ?? [])
    return try Response.refusingInvalid {
      guard query.utf8.count <= Self.maximumQueryBytes, sites.count <= Self.maximumSites,
        wanted.days.map({ (1...3_650).contains($0) }) ?? true
      else {
        throw WarehouseError(
          code: .invalid,
          message:
            "A link has a query of at most \(Self.maximumQueryBytes) bytes, at most \(Self.maximumSites) sites, and "
            + "1 to 3650 days.")
      }
      let app = try context.app
      let (link, secret) = try catalog.atomically {
        let secret = try catalog.share(
          wanted.page, query: query, of: app, sites: sites, lasting: wanted.days.map { .seconds($0 * 86_400) },
          now: wallTime())
        return (try catalog.link(secret), secret)
      }
      guard let link else { throw APIError.unknownLink }
      let address = "\(request.serverAddress ?? server)/shared/\(secret)"
      return .json(
        JSONTree.object([("link", try tree(link, context)), ("address", .text(address))]).encoded, status: .created)
    }
  }

  private func revoke(_ context: CollectorContext) throws -> Response {
    let (app, number) = (try context.app, try context.number("link", else: .unknownLink))
    let link = try catalog.links(app: app.id).first { $0.id == number }
    guard try catalog.revoke(link, app: app, now: wallTime()) else { throw APIError.unknownLink }
    return Response(status: .noContent)
  }

  private func tree(_ link: SharedLink, _ context: CollectorContext) throws -> JSONTree {
    let name = catalog.name(
      of: link, app: try context.app, now: wallTime(), segments: try context.visibleSegments(catalog))
    return .object([
      ("id", .number(Double(link.id))), ("page", .text(link.report)), ("query", .text(link.query)),
      ("name", .text(name)), ("sites", .array(link.sites.map { .text($0) })), ("created", .time(link.created)),
      ("expires", .time(link.expires)),
    ])
  }
}

/// The request body to share a page.
private struct LinkRequest: Decodable {
  let page: String
  let query: String?
  let sites: [String]?
  let days: Int?
}

extension APIError {
  fileprivate static let unknownLink = APIError(
    status: .notFound, code: "unknown_link", message: "This app has no link with this number.")
}
