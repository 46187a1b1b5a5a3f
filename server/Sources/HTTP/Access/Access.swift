import HTTPTypes
package import Hummingbird
import NIOCore
import ServerBase
import TernBase
import TernEvents
package import Warehouse

/// The one place that decides if a request is admitted, by the account of a session or by a token. Filters that name persons are
/// checked where questions are answered.
package struct Access: Sendable {
  /// The duration of a browser session.
  package static let lifetime = Duration.seconds(30 * 86_400)
  /// The duration of a session that began at a provider, and so the longest access of someone it no longer lets in.
  static let providerLifetime = Duration.seconds(86_400)
  /// The time in which the code of a second factor must be entered after the password.
  package static let codeLifetime = Duration.seconds(300)

  package let store: any AccessStore
  package let catalog: any CatalogStore
  /// The threads that check passwords.
  package let passwords = PasswordThreads()
  private let limiter: Locked<LoginLimiter>
  private let uptime: @Sendable () -> Duration

  /// - Parameter uptime: The clock of failed logins.
  package init(
    store: any AccessStore, catalog: any CatalogStore, maximumFailedLogins: Int,
    uptime: @escaping @Sendable () -> Duration = Clocks.systemUptime
  ) {
    self.store = store
    self.catalog = catalog
    self.uptime = uptime
    limiter = Locked(LoginLimiter(maximum: maximumFailedLogins))
  }

  /// Runs an endpoint if the request has the required right; throws ``APIError``, or ``Redirect`` to the login page.
  package func perform(_ endpoint: Endpoint, _ request: Request, _ context: CollectorContext) async throws -> Response {
    guard endpoint.client == .app || !URLEncodedForm.hasNUL(request.uri.string) else { throw APIError.nul }
    if endpoint.requirement == .nothing { return try await endpoint.handle(request, context) }
    var context = context
    context.grant = try authorize(endpoint, request, context)
    let actor = AuditActor(name: context.grant?.visitor.name ?? "", address: context.clientShare)
    return try await AuditActor.$current.withValue(actor) { try await endpoint.handle(request, context) }
  }

  private func authorize(_ endpoint: Endpoint, _ request: Request, _ context: CollectorContext) throws -> Grant {
    let visitor = try visitor(of: request, context, for: endpoint)
    let app = try app(context)
    // An app that the visitor may not see does not exist for them.
    if let app, !visitor.rights.allows(.read, app: app.id) { throw APIError.unknownApp }
    guard visitor.meets(endpoint.requirement, app: app, context) else { throw APIError.notAllowed }
    if let session = visitor.session {
      try requireOwnOrigin(request)
      if endpoint.requirement == .permission(.manageAccess), !isReading(request) {
        try requireConfirmed(session, request, endpoint.client)
      }
    }
    return Grant(visitor: visitor, app: app) {
      // Ends of sessions, new rights and revoked tokens apply to responses that are still being sent.
      (try? self.visitor(of: request, context, for: endpoint))?.meets(endpoint.requirement, app: app, context) ?? false
    }
  }

  private func visitor(
    of request: Request, _ context: CollectorContext, for endpoint: Endpoint
  ) throws -> Visitor {
    if endpoint.client == .program, let secret = request.bearerToken ?? request.headers[.apiToken]?.trimmed {
      if let token = try store.token(secret) { return Visitor(token) }
      try countFailure(key: context.clientShare, subject: "token", context)
      throw APIError.loginNeeded
    }
    if let session = try session(of: request, context) { return Visitor(session) }
    guard endpoint.client == .reader else { throw APIError.loginNeeded }
    let next = isReading(request) ? ReturnPath.checked(request.head.path) : "/"
    throw Redirect(path: next == "/" ? "/login" : "/login?next=\(PercentCoding.encode(next))")
  }

  /// The login of a request: that of the person whom a trusted proxy names, otherwise the session of the cookie.
  ///
  /// The proxy decides when it asks for a password again, so that login counts as confirmed.
  ///
  /// The header is read with each request, so that no session outlives the login at the proxy or is someone else's.
  package func session(of request: Request, _ context: CollectorContext) throws -> LoginSession? {
    guard let name = context.proxyUser else { return try cookieSession(of: request) }
    guard let account = try store.account(named: name) else { throw APIError.unknownProxyUser(name) }
    // A failure, for example on a full disk, does not matter.
    try? store.recordVisit(of: account, address: context.clientShare)
    let time = account.lastLogin ?? Timestamp(millisecondsSince1970: 0)
    return LoginSession(
      id: 0, account: account, created: time, used: time, address: context.clientShare,
      browser: request.headers[.userAgent] ?? "", isConfirmed: true)
  }

  /// The session of the request's cookie.
  func cookieSession(of request: Request) throws -> LoginSession? {
    try request.cookie(named: request.sessionCookieName).flatMap { try store.loginSession($0) }
  }

  /// The app that the address names by its number, or for App Center's API by its name, number or secret.
  private func app(_ context: CollectorContext) throws -> App? {
    guard let text = context.parameters.get("app") else { return nil }
    let app =
      context.parameters.get("owner") == nil
      ? try Int64(text).flatMap { try catalog.app(AppID($0)) } : try catalog.app(appCenterName: text)
    guard let app else { throw APIError.unknownApp }
    return app
  }

  /// Rejects forms sent by another site's page with the user's session. Reading is always allowed.
  package func requireOwnOrigin(_ request: Request) throws(APIError) {
    guard !isReading(request) else { return }
    guard request.isFromOwnOrigin else { throw APIError.foreignOrigin }
  }

  private func isReading(_ request: Request) -> Bool { request.method == .get || request.method == .head }

  /// Throws ``Redirect`` to the page that asks for the password, or ``APIError`` for a script, unless the session's login or
  /// confirmation is recent.
  package func requireConfirmed(
    _ session: LoginSession, _ request: Request, _ client: Endpoint.Client = .reader
  ) throws {
    guard !session.isConfirmed else { return }
    guard client == .reader else { throw APIError.confirmationNeeded }
    throw Redirect(path: "/confirm?next=\(PercentCoding.encode(ReturnPath.checked(request.uri.path)))")
  }

  /// Counts a failed login in the audit log; throws ``APIError`` 429 instead while the key must wait.
  package func countFailure(key: String, subject: String, _ context: CollectorContext) throws {
    try require(noWait: limiter.withLock { $0.wait(key, now: uptime()) })
    limiter.withLock { $0.failed(key, now: uptime()) }
    try AuditActor.$current.withValue(AuditActor(name: "", address: context.clientShare)) {
      try store.recordFailedLogin(subject)
    }
  }

  /// Runs an attempt to log in; throws ``APIError`` 429 while the key must wait. Failures are counted separately.
  package func attempt<Value>(key: String, _ body: () async throws -> Value) async throws -> Value {
    try require(noWait: limiter.withLock { $0.begin(key, now: uptime()) })
    defer { limiter.withLock { $0.end(key) } }
    return try await body()
  }

  private func require(noWait wait: Duration?) throws(APIError) {
    guard let wait else { return }
    throw APIError(
      status: .tooManyRequests, code: "too_many_attempts",
      message: "Too many failed logins. Try again in a minute.",
      headers: [.retryAfter: String(max(1, wait.components.seconds))])
  }

  /// Begins a session and returns its cookie; throws `WarehouseError` if the session cannot be stored.
  ///
  /// - Parameter provider: The id of the provider with which the person signed in, if any.
  package func beginSession(
    of account: Account, provider: String? = nil, _ request: Request, _ context: CollectorContext
  ) throws -> String {
    let lifetime = provider == nil ? Self.lifetime : Self.providerLifetime
    let session = try store.createLoginSession(
      of: account.id, lasting: lifetime, address: context.clientShare, browser: request.headers[.userAgent] ?? "",
      provider: provider)
    return cookie(request, value: session, lasting: lifetime.components.seconds)
  }

  /// Ends the request's session and returns the field that removes its cookie.
  package func endSession(_ request: Request) throws -> String {
    if let session = try cookieSession(of: request) { try store.endLoginSession(session.id) }
    return cookie(request, value: "", lasting: 0)
  }

  /// `Lax`, not `Strict`: links to reports in mails and chats, and the redirect after a login link opened there, need
  /// the session. Forms of other sites never receive it, and their origin is checked as well.
  private func cookie(_ request: Request, value: String, lasting seconds: Int64) -> String {
    let secure = request.isSecure ? "; Secure" : ""
    return "\(request.sessionCookieName)=\(value); Path=/; Max-Age=\(seconds); HttpOnly; SameSite=Lax\(secure)"
  }
}

/// The right with which a request was admitted.
package struct Grant: Sendable {
  package let visitor: Visitor
  /// The app that the address names.
  package let app: App?
  /// Returns false once the request would no longer be admitted.
  package let isStillValid: @Sendable () -> Bool

  package init(visitor: Visitor, app: App?, isStillValid: @escaping @Sendable () -> Bool) {
    (self.visitor, self.app, self.isStillValid) = (visitor, app, isStillValid)
  }
}

/// A response that sends the browser to another page.
package struct Redirect: Error, Sendable {
  /// A path on this server.
  package var path: String
  /// The cookie that begins or ends a session.
  package var cookie: String?

  package init(path: String, cookie: String? = nil) { (self.path, self.cookie) = (path, cookie) }

  package var response: Response {
    var headers: HTTPFields = [.location: path, .cacheControl: "no-store"]
    headers[.setCookie] = cookie
    return Response(status: .seeOther, headers: headers)
  }
}

extension APIError {
  static let confirmationNeeded = APIError(
    status: .forbidden, code: "confirmation_needed",
    message: "The login was more than 15 minutes ago. Open /confirm in the browser, enter the password, then try again."
  )

  /// The answer to a person whom a proxy has logged in, but who has no account.
  static func unknownProxyUser(_ name: String) -> APIError {
    APIError(
      status: .forbidden, code: "unknown_user",
      message:
        "You are logged in as \"\(name.prefix(100))\", but there is no user with this name. Ask an owner to invite "
        + "you under it.")
  }
}
