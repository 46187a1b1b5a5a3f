import HTTPTypes
import Hummingbird
import NIOConcurrencyHelpers
import Portal
import Reports
import Warehouse

/// Adds routes that check the rights of requests, answer 405 with `Allow` for other methods, and support `HEAD` wherever
/// they support `GET`.
final class RouteTable {
  typealias Handler = @Sendable (Request, CollectorContext) async throws -> Response

  /// The methods that browsers and tools send; any other gets 404.
  private static let methods: [HTTPRequest.Method] = [.get, .head, .post, .put, .patch, .delete, .options, .trace]

  private let router: Router<CollectorContext>
  private let access: Access
  private let pages: PortalPages
  private let recorder: RequestRecorder?
  /// All routes, with the right that each requires.
  private(set) var requirements: [Route: Endpoint.Requirement] = [:]

  /// A path and a method.
  struct Route: Hashable {
    let method: HTTPRequest.Method
    let path: String
  }

  init(
    router: Router<CollectorContext>, access: Access, pages: PortalPages, recorder: RequestRecorder? = nil
  ) {
    self.recorder = recorder
    self.router = router
    self.access = access
    self.pages = pages
  }

  /// Adds the endpoints of one address.
  func on(_ path: String, _ endpoints: [HTTPRequest.Method: Endpoint]) {
    for (method, endpoint) in endpoints { requirements[Route(method: method, path: path)] = endpoint.requirement }
    let endpoints = endpoints.merging([.head: endpoints[.get]].compactMapValues(\.self)) { own, _ in own }
    let allowed = Self.methods.filter { endpoints[$0] != nil }
    for method in Self.methods {
      let endpoint = endpoints[method]
      let recorder = RequestRecorder.concerns(method, path) ? recorder : nil
      router.on(RouterPath(path), method: method) { [access, pages] request, context in
        guard let endpoint else { throw APIError.methodNotAllowed(allowed) }
        let end = try recorder?.begin(request, route: path)
        defer { end?() }
        guard endpoint.client == .reader else { return try await access.perform(endpoint, request, context) }
        do {
          return try await access.perform(endpoint, request, context)
        } catch let redirect as Redirect {
          return redirect.response
        } catch let error as APIError {
          return .html(pages.error(status: error.status.code, message: error.message), status: error.status)
        } catch let error as ReportError {
          let status: HTTPResponse.Status = error.isNotFound ? .notFound : .badRequest
          let app = context.parameters.get("app").flatMap { Int64($0) }.map { AppID($0) }
          return .html(pages.error(error, status: status.code, app: app), status: status)
        }
      }
    }
  }
}
