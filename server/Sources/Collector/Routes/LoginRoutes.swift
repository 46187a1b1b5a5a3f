import HTTPTypes
import Hummingbird
import Logging
import Portal
import Warehouse

/// `/login` and `/logout`.
struct LoginRoutes: Sendable {
  let access: Access
  let pages: PortalPages
  let reader: BodyReader

  /// The largest login form, in bytes.
  private static let maximumFormBytes = 16 << 10

  func add(to routes: RouteTable) {
    routes.on("/login", [.get: { try get($0, $1) }, .post: { try await post($0, $1) }])
    routes.on("/logout", [.post: { request, _ in try logout(request) }])
  }

  private func get(_ request: Request, _ context: CollectorContext) throws -> Response {
    let next = ReturnPath.checked(request.parameters["next"])
    if request.method == .get, let token = request.parameters["token"] {
      return try login(token: token, next: next, request, context)
    }
    if try access.isSignedIn(request) { return Redirect(path: next).response }
    return .html(pages.login(next: next))
  }

  private func post(_ request: Request, _ context: CollectorContext) async throws -> Response {
    try access.requireOwnOrigin(request)
    let body = try await reader.read(request, context, limit: Self.maximumFormBytes)
    let form = URLEncodedForm(String(buffer: body.bytes))
    return try login(token: form["token"] ?? "", next: ReturnPath.checked(form["next"]), request, context)
  }

  private func login(
    token: String, next: String, _ request: Request, _ context: CollectorContext
  ) throws -> Response {
    do {
      guard try access.verify(token.trimmed, from: context.clientShare) else {
        return .html(pages.login(message: "That is not the admin token.", next: next), status: .unauthorized)
      }
    } catch let error as APIError where error.status == .tooManyRequests {
      var response = Response.html(pages.login(message: error.message, next: next), status: error.status)
      response.headers[.retryAfter] = error.headers[.retryAfter]
      return response
    }
    do {
      return Redirect(path: next, cookie: try access.beginSession(request)).response
    } catch let error as WarehouseError where error.code == .full {
      context.logger.error("A login could not be stored", metadata: ["error": "\(error)"])
      let diskFull = APIError.diskFull
      return .html(pages.error(status: diskFull.status.code, message: diskFull.message), status: diskFull.status)
    }
  }

  private func logout(_ request: Request) throws -> Response {
    try access.requireOwnOrigin(request)
    return Redirect(path: "/login", cookie: try access.endSession(request)).response
  }
}
