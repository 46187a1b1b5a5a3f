package import HTTPTypes
package import Hummingbird
import Reports
import TernBase
import Warehouse

/// Adds routes that check the rights of requests, answer 405 with `Allow` for other methods, and support `HEAD` wherever
/// they support `GET`.
package final class RouteTable {
  package typealias Handler = @Sendable (Request, CollectorContext) async throws -> Response

  /// The methods that browsers and tools send; any other gets 404.
  private static let methods: [HTTPRequest.Method] = [.get, .head, .post, .put, .patch, .delete, .options, .trace]

  private let access: Access
  let pages: any ErrorPages
  private let recorder: RequestRecorder?
  /// All routes, with the right that each requires.
  package private(set) var requirements: [Route: Endpoint.Requirement] = [:]
  /// The operations of the endpoints for programs.
  package private(set) var operations: [APIOperation] = []
  private var endpoints: [String: [HTTPRequest.Method: Endpoint]] = [:]
  /// In the order in which they were added, so that the router is the same in each process.
  private var paths: [String] = []

  /// A path and a method.
  package struct Route: Hashable {
    package let method: HTTPRequest.Method
    package let path: String
  }

  package init(access: Access, pages: any ErrorPages, recorder: RequestRecorder? = nil) {
    self.recorder = recorder
    self.access = access
    self.pages = pages
  }

  /// Adds the endpoints of one address.
  package func on(_ path: String, _ endpoints: [HTTPRequest.Method: Endpoint]) {
    for (method, endpoint) in endpoints { add(method, path, endpoint) }
  }

  /// Adds an endpoint.
  ///
  /// - Parameter operations: What it does for programs; none for a page.
  package func add(
    _ method: HTTPRequest.Method, _ path: String, _ endpoint: Endpoint, _ operations: [APIOperation] = []
  ) {
    requirements[Route(method: method, path: path)] = endpoint.requirement
    if endpoints[path] == nil { paths.append(path) }
    endpoints[path, default: [:]][method] = endpoint
    self.operations += operations
  }

  /// Adds all routes to a router.
  func install(on router: Router<CollectorContext>) {
    for path in paths { install(path, endpoints[path] ?? [:], on: router) }
  }

  private func install(_ path: String, _ endpoints: [HTTPRequest.Method: Endpoint], on router: Router<CollectorContext>)
  {
    let endpoints = endpoints.merging([.head: endpoints[.get]].compactMapValues(\.self)) { own, _ in own }
    let allowed = Self.methods.filter { endpoints[$0] != nil }
    for method in Self.methods {
      let endpoint = endpoints[method]
      let recorder = recorder?.records(method, path) == true ? recorder : nil
      router.on(RouterPath(path), method: method) { [access, pages] request, context in
        guard let endpoint else { throw APIError.methodNotAllowed(allowed) }
        let end = try recorder?.begin(request, route: path)
        defer { end?() }
        guard endpoint.client == .reader else { return try await access.perform(endpoint, request, context) }
        do {
          let response = try await access.perform(endpoint, request, context)
          return endpoint.requirement.isForReading ? try await response.compressed(for: request) : response
        } catch let redirect as Redirect {
          return redirect.response
        } catch let error as APIError {
          var response = Response.html(
            pages.error(status: error.status.code, message: error.message), status: error.status)
          for field in error.headers { response.headers[field.name] = field.value }
          return response
        } catch let error as ReportError {
          let status: HTTPResponse.Status = error.isNotFound ? .notFound : .badRequest
          let app = context.parameters.get("app").flatMap { Int64($0) }.map { AppID($0) }
          return .html(pages.error(error, status: status.code, app: app), status: status)
        }
      }
    }
  }
}
