import HTTPTypes
import Hummingbird
import Logging
import NIOConcurrencyHelpers
import NIOCore
import TernBase
import Warehouse

/// Controls access to reports: requests need the admin token or a portal session.
struct Access: Sendable {
  /// The duration of a browser session.
  static let lifetime = Duration.seconds(30 * 86_400)

  let catalog: any AdminStore
  private let makeSession: @Sendable (Duration) throws -> String
  private let limiter: NIOLockedValueBox<LoginLimiter>
  private let uptime: @Sendable () -> Duration

  /// - Parameters:
  ///   - uptime: The clock of failed logins.
  ///   - makeSession: Begins a session of the given duration and returns its token; the catalog's method by default.
  init(
    catalog: any AdminStore, maximumFailedLogins: Int,
    uptime: @escaping @Sendable () -> Duration = CollectorDependencies.systemUptime,
    makeSession: (@Sendable (Duration) throws -> String)? = nil
  ) {
    self.catalog = catalog
    self.uptime = uptime
    self.makeSession = makeSession ?? { try catalog.createSession(lasting: $0) }
    limiter = NIOLockedValueBox(LoginLimiter(maximum: maximumFailedLogins))
  }

  /// Returns true if the request has the cookie of a valid session.
  func isSignedIn(_ request: Request) throws -> Bool {
    guard let session = request.cookie(named: request.sessionCookieName) else { return false }
    return try catalog.isSessionValid(session)
  }

  /// Requires the admin token or a session for an API request; throws ``APIError`` otherwise.
  func requireAPI(_ request: Request, _ context: CollectorContext) throws {
    if let token = request.bearerToken {
      guard try verify(token, from: context.clientShare) else { throw APIError.loginNeeded }
    } else {
      guard try isSignedIn(request) else { throw APIError.loginNeeded }
      try requireOwnOrigin(request)
    }
  }

  /// Requires a session for a page request; throws ``Redirect`` to the login page otherwise.
  func requirePage(_ request: Request) throws {
    guard try !isSignedIn(request) else { return try requireOwnOrigin(request) }
    let isReturnable = request.method == .get || request.method == .head
    let next = isReturnable ? ReturnPath.checked(request.head.path) : "/"
    throw Redirect(path: next == "/" ? "/login" : "/login?next=\(PercentCoding.encode(next))")
  }

  /// Rejects forms sent by another site's page with the user's session. Reading is always allowed.
  func requireOwnOrigin(_ request: Request) throws(APIError) {
    guard request.method != .get, request.method != .head else { return }
    guard request.isFromOwnOrigin else { throw APIError.foreignOrigin }
  }

  /// Checks the admin token; throws ``APIError`` 429 for a wrong one after too many failures from one address.
  ///
  /// The right token always passes: behind an untrusted proxy all clients have one address, and a few wrong tokens from
  /// anyone would lock the administrator out. 192 random bits cannot be guessed either way.
  func verify(_ token: String, from client: String) throws -> Bool {
    try catalog.verifyAdminToken(token) || countFailure(from: client)
  }

  /// Uses up the code of a login link, with the same limit on failures as ``verify(_:from:)``.
  func redeem(code: String, from client: String) throws -> Bool {
    try catalog.redeemLoginCode(code) || countFailure(from: client)
  }

  /// Counts a failed login and returns false; throws ``APIError`` 429 if the address has had too many.
  private func countFailure(from client: String) throws(APIError) -> Bool {
    if let wait = limiter.withLockedValue({ $0.wait(client, now: uptime()) }) {
      throw APIError(
        status: .tooManyRequests, code: "too_many_attempts",
        message: "Too many failed logins from this address. Try again in a minute.",
        headers: [.retryAfter: String(max(1, wait.components.seconds))])
    }
    limiter.withLockedValue { $0.failed(client, now: uptime()) }
    return false
  }

  /// Begins a session and returns its cookie; throws `WarehouseError` if the session cannot be stored.
  func beginSession(_ request: Request) throws -> String {
    let session = try makeSession(Self.lifetime)
    return cookie(request, value: session, lasting: Self.lifetime.components.seconds)
  }

  /// Ends the request's session and returns the field that removes its cookie.
  func endSession(_ request: Request) throws -> String {
    if let session = request.cookie(named: request.sessionCookieName) { try catalog.deleteSession(session) }
    return cookie(request, value: "", lasting: 0)
  }

  /// `Lax`, not `Strict`: links to reports in mails and chats, and the redirect after a login link opened there, need
  /// the session. Forms of other sites never receive it, and their origin is checked as well.
  private func cookie(_ request: Request, value: String, lasting seconds: Int64) -> String {
    let secure = request.isSecure ? "; Secure" : ""
    return "\(request.sessionCookieName)=\(value); Path=/; Max-Age=\(seconds); HttpOnly; SameSite=Lax\(secure)"
  }
}

/// A response that sends the browser to another page.
struct Redirect: Error, Sendable {
  /// A path on this server.
  var path: String
  /// The cookie that begins or ends a session.
  var cookie: String?

  /// The response.
  var response: Response {
    var headers: HTTPFields = [.location: path, .cacheControl: "no-store"]
    headers[.setCookie] = cookie
    return Response(status: .seeOther, headers: headers)
  }
}
