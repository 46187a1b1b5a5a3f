import HTTPTypes
import Hummingbird

/// Adds routes that answer 405 with `Allow` for other methods, and support `HEAD` wherever they support `GET`.
struct RouteTable {
  typealias Handler = @Sendable (Request, CollectorContext) async throws -> Response

  /// The methods that browsers and tools send; any other gets 404.
  private static let methods: [HTTPRequest.Method] = [.get, .head, .post, .put, .patch, .delete, .options]

  let router: Router<CollectorContext>

  /// Adds the handlers of one address.
  func on(_ path: String, _ handlers: [HTTPRequest.Method: Handler]) {
    let handlers = handlers.merging([.head: handlers[.get]].compactMapValues(\.self)) { own, _ in own }
    let allowed = Self.methods.filter { handlers[$0] != nil }
    for method in Self.methods {
      let handler = handlers[method]
      router.on(RouterPath(path), method: method) { request, context in
        guard let handler else { throw APIError.methodNotAllowed(allowed) }
        return try await handler(request, context)
      }
    }
  }
}
