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

  /// The maximum size of the login form, in bytes.
  private static let maximumFormBytes = 16 << 10

  func add(to routes: RouteTable) {
    routes.on("/login", [.get: { try get($0, $1) }, .post: { try await post($0, $1) }])
    routes.on("/logout", [.post: { request, _ in try logout(request) }])
  }

  private func get(_ request: Request, _ context: CollectorContext) throws -> Response {
    let next = ReturnPath.checked(request.parameters["next"])
    // A link checker's HEAD must not use up the code.
    if request.method == .get, let code = request.parameters["code"] {
      return try login(next: next, request, context, failure: Self.spentLink) {
        // A browser that is already logged in may open the used link from its history.
        try access.isSignedIn(request) || access.redeem(code: code, from: context.clientShare)
      }
    }
    if try access.isSignedIn(request) { return Redirect(path: next).response }
    return .html(pages.login(next: next))
  }

  private func post(_ request: Request, _ context: CollectorContext) async throws -> Response {
    try access.requireOwnOrigin(request)
    let body = try await reader.read(request, context, limit: Self.maximumFormBytes)
    let form = URLEncodedForm(String(buffer: body.bytes))
    let next = ReturnPath.checked(form["next"])
    return try login(next: next, request, context, failure: "Wrong admin token.") {
      try access.verify((form["token"] ?? "").trimmed, from: context.clientShare)
    }
  }

  private static let spentLink =
    "This link has expired or has already been used. Run `tern login-link` on the server to get a new one."

  /// Begins a session if `check` returns true; otherwise shows the login page with the message `failure`.
  private func login(
    next: String, _ request: Request, _ context: CollectorContext, failure: String, check: () throws -> Bool
  ) throws -> Response {
    do {
      guard try check() else {
        return .html(pages.login(message: failure, next: next), status: .unauthorized)
      }
      return Redirect(path: next, cookie: try access.beginSession(request)).response
    } catch let error as APIError where error.status == .tooManyRequests {
      var response = Response.html(pages.login(message: error.message, next: next), status: error.status)
      response.headers[.retryAfter] = error.headers[.retryAfter]
      return response
    } catch let error as WarehouseError where error.code == .full {
      context.logger.error("Could not store a session", metadata: ["error": "\(error)"])
      let diskFull = APIError.diskFull
      return .html(pages.error(status: diskFull.status.code, message: diskFull.message), status: diskFull.status)
    }
  }

  private func logout(_ request: Request) throws -> Response {
    try access.requireOwnOrigin(request)
    return Redirect(path: "/login", cookie: try access.endSession(request)).response
  }
}
