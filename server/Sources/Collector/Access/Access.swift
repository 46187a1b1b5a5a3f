import HTTPTypes
import Hummingbird
import Logging
import NIOConcurrencyHelpers
import NIOCore
import TernBase
import Warehouse

/// Access to the reports: for requests with the admin token or with a session of the portal.
struct Access: Sendable {
  /// The duration of a session in a browser.
  static let lifetime = Duration.seconds(30 * 86_400)

  let catalog: any AdminStore
  private let makeSession: @Sendable (Duration) throws -> String
  private let limiter: NIOLockedValueBox<LoginLimiter>
  private let started = ContinuousClock.now

  /// - Parameter makeSession: Begins a session of a duration and returns its secret; the catalog's when `nil`.
  init(
    catalog: any AdminStore, maximumFailedLogins: Int, makeSession: (@Sendable (Duration) throws -> String)? = nil
  ) {
    self.catalog = catalog
    self.makeSession = makeSession ?? { try catalog.createSession(lasting: $0) }
    limiter = NIOLockedValueBox(LoginLimiter(maximum: maximumFailedLogins))
  }

  /// Returns true for a request with the cookie of a valid session.
  func isSignedIn(_ request: Request) throws -> Bool {
    guard let session = request.cookie(named: request.sessionCookieName) else { return false }
    return try catalog.isSessionValid(session)
  }

  /// Lets a request to the API pass that has the admin token or a session; throws ``APIError`` otherwise.
  func requireAPI(_ request: Request, _ context: CollectorContext) throws {
    if let token = request.bearerToken {
      guard try verify(token, from: context.clientShare) else { throw APIError.loginNeeded }
    } else {
      guard try isSignedIn(request) else { throw APIError.loginNeeded }
      try requireOwnOrigin(request)
    }
  }

  /// Lets a request for a page pass that has a session; throws ``Redirect`` to the login page otherwise.
  func requirePage(_ request: Request) throws {
    guard try !isSignedIn(request) else { return try requireOwnOrigin(request) }
    let isReturnable = request.method == .get || request.method == .head
    let next = isReturnable ? ReturnPath.checked(request.head.path) : "/"
    throw Redirect(path: next == "/" ? "/login" : "/login?next=\(PercentCoding.encode(next))")
  }

  /// Refuses forms that another site's page sent with the user's session; reading is always allowed.
  func requireOwnOrigin(_ request: Request) throws(APIError) {
    guard request.method != .get, request.method != .head else { return }
    guard request.isFromOwnOrigin else { throw APIError.foreignOrigin }
  }

  /// Checks the admin token; throws ``APIError`` 429 for a wrong one after too many wrong ones from one address.
  ///
  /// The right token always passes: behind a proxy that is not trusted all clients have one address, and anyone could
  /// lock the administrator out with a few wrong ones. Guessing does not find 192 random bits either way.
  func verify(_ token: String, from client: String) throws -> Bool {
    try catalog.verifyAdminToken(token) || countFailure(from: client)
  }

  /// Uses up the code of a login link; limits wrong ones as ``verify(_:from:)`` does.
  func redeem(code: String, from client: String) throws -> Bool {
    try catalog.redeemLoginCode(code) || countFailure(from: client)
  }

  /// Counts a failed login and returns false; throws ``APIError`` 429 when the address has had too many.
  private func countFailure(from client: String) throws(APIError) -> Bool {
    if let wait = limiter.withLockedValue({ $0.wait(client, now: .now - started) }) {
      throw APIError(
        status: .tooManyRequests, code: "too_many_attempts",
        message: "Too many failed logins from this address. Try again in a minute.",
        headers: [.retryAfter: String(max(1, wait.components.seconds))])
    }
    limiter.withLockedValue { $0.failed(client, now: .now - started) }
    return false
  }

  /// Begins a session and returns its cookie; throws `WarehouseError` when the session cannot be stored.
  func beginSession(_ request: Request) throws -> String {
    let session = try makeSession(Self.lifetime)
    return cookie(request, value: session, lasting: Self.lifetime.components.seconds)
  }

  /// Ends the request's session and returns the field that removes its cookie.
  func endSession(_ request: Request) throws -> String {
    if let session = request.cookie(named: request.sessionCookieName) { try catalog.deleteSession(session) }
    return cookie(request, value: "", lasting: 0)
  }

  /// `Lax`, not `Strict`: links to reports in mails and chats, and the redirect of a login link that is followed from
  /// one, need the session. Forms of other sites do not get it either way, and their origin is checked besides.
  private func cookie(_ request: Request, value: String, lasting seconds: Int64) -> String {
    let secure = request.isSecure ? "; Secure" : ""
    return "\(request.sessionCookieName)=\(value); Path=/; Max-Age=\(seconds); HttpOnly; SameSite=Lax\(secure)"
  }
}

/// A response that sends the browser to another page.
struct Redirect: Error, Sendable {
  /// A path on this server.
  var path: String
  /// The cookie of a session that begins or ends.
  var cookie: String?

  /// The response.
  var response: Response {
    var headers: HTTPFields = [.location: path, .cacheControl: "no-store"]
    headers[.setCookie] = cookie
    return Response(status: .seeOther, headers: headers)
  }
}
