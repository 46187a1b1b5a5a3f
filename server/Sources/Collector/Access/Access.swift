import HTTPTypes
import Hummingbird
import Logging
import NIOConcurrencyHelpers
import NIOCore
import TernBase
import Warehouse

/// Who may see figures: those with the admin token, or with a login made with it.
struct Access: Sendable {
  /// How long a login in a browser lasts.
  static let lifetime = Duration.seconds(30 * 86_400)

  let catalog: any AdminStore
  private let makeSession: @Sendable (Duration) throws -> String
  private let limiter: NIOLockedValueBox<LoginLimiter>
  private let started = ContinuousClock.now

  /// - Parameter makeSession: begins a login that lasts so long and returns its secret; the catalog's when `nil`.
  init(
    catalog: any AdminStore, maximumFailedLogins: Int, makeSession: (@Sendable (Duration) throws -> String)? = nil
  ) {
    self.catalog = catalog
    self.makeSession = makeSession ?? { try catalog.createSession(lasting: $0) }
    limiter = NIOLockedValueBox(LoginLimiter(maximum: maximumFailedLogins))
  }

  /// Whether a request carries a valid login.
  func isSignedIn(_ request: Request) throws -> Bool {
    guard let session = request.cookie(named: request.sessionCookieName) else { return false }
    return try catalog.isSessionValid(session)
  }

  /// Lets a request to the API through that has the admin token or a login; throws ``APIError`` otherwise.
  func requireAPI(_ request: Request, _ context: CollectorContext) throws {
    if let token = request.bearerToken {
      guard try verify(token, from: context.clientShare) else { throw APIError.loginNeeded }
    } else {
      guard try isSignedIn(request) else { throw APIError.loginNeeded }
      try requireOwnOrigin(request)
    }
  }

  /// Lets a request to a page through that has a login; throws ``Redirect`` to the login page otherwise.
  func requirePage(_ request: Request) throws {
    guard try !isSignedIn(request) else { return try requireOwnOrigin(request) }
    let isReturnable = request.method == .get || request.method == .head
    let next = isReturnable ? ReturnPath.checked(request.head.path) : "/"
    throw Redirect(path: next == "/" ? "/login" : "/login?next=\(PercentCoding.encode(next))")
  }

  /// Refuses forms that another site's page sent with our user's login; reading is always allowed.
  func requireOwnOrigin(_ request: Request) throws(APIError) {
    guard request.method != .get, request.method != .head else { return }
    guard request.isFromOwnOrigin else { throw APIError.foreignOrigin }
  }

  /// Checks the admin token; throws ``APIError`` 429 for a wrong one after too many wrong ones from one address.
  ///
  /// A right token passes whatever came before: behind a proxy that is not trusted all clients have one address, and
  /// anybody could keep the administrator out with a few wrong ones. A token of 192 random bits is not found by guessing either way.
  func verify(_ token: String, from client: String) throws -> Bool {
    if try catalog.verifyAdminToken(token) { return true }
    if let wait = limiter.withLockedValue({ $0.wait(client, now: .now - started) }) {
      throw APIError(
        status: .tooManyRequests, code: "too_many_attempts",
        message: "Too many wrong tokens from this address; try again in a minute.",
        headers: [.retryAfter: String(max(1, wait.components.seconds))])
    }
    limiter.withLockedValue { $0.failed(client, now: .now - started) }
    return false
  }

  /// The header field that begins a login; throws `WarehouseError` when none can be stored.
  func beginSession(_ request: Request) throws -> String {
    let session = try makeSession(Self.lifetime)
    return cookie(request, value: session, lasting: Self.lifetime.components.seconds)
  }

  /// The header field that ends the request's login.
  func endSession(_ request: Request) throws -> String {
    if let session = request.cookie(named: request.sessionCookieName) { try catalog.deleteSession(session) }
    return cookie(request, value: "", lasting: 0)
  }

  /// `Lax`, not `Strict`: links to reports in mails and chats, and the login link's own redirect when it is followed
  /// from one, must find the login. Forms of other sites do not get it either way, and their origin is checked besides.
  private func cookie(_ request: Request, value: String, lasting seconds: Int64) -> String {
    let secure = request.isSecure ? "; Secure" : ""
    return "\(request.sessionCookieName)=\(value); Path=/; Max-Age=\(seconds); HttpOnly; SameSite=Lax\(secure)"
  }
}

/// An answer that sends the browser to another page.
struct Redirect: Error, Sendable {
  /// A path on this server.
  var path: String
  /// A login to begin or end.
  var cookie: String?

  /// The answer.
  var response: Response {
    var headers: HTTPFields = [.location: path, .cacheControl: "no-store"]
    headers[.setCookie] = cookie
    return Response(status: .seeOther, headers: headers)
  }
}
