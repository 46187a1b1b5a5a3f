import Answering
import HTTP
import HTTPTypes
import Hummingbird
import Logging
import Portal
import SignOn
import TernBase
import Warehouse

/// `/sign-in/{provider}`: logins with an OpenID Connect provider.
package struct SignOnPages: Sendable {
  let site: Site
  let providers: [SignOnProvider]
  /// The portal's address as set by the operator; `nil` to take it from each request.
  let portalAddress: String?
  let uptime: @Sendable () -> Duration
  /// The operator's log; a request's own logger leaves out warnings.
  let logger: Logger
  /// Bounds the log, since anyone can begin sign-ins while the provider can't be reached.
  private let throttle = Locked(LogThrottle())
  private let exchanges = Locked(ExchangeLimiter())

  init(
    site: Site, providers: [SignOnProvider], portalAddress: String?, uptime: @escaping @Sendable () -> Duration,
    logger: Logger
  ) {
    (self.site, self.providers, self.portalAddress) = (site, providers, portalAddress)
    (self.uptime, self.logger) = (uptime, logger)
  }

  /// The path at which a sign-in begins.
  package static func path(_ id: String) -> String { "/sign-in/\(id)" }

  func add(to routes: RouteTable) {
    routes.on("/sign-in/:provider", [.get: .page(.nothing) { try await begin($0, $1) }])
    routes.on("/sign-in/:provider/callback", [.get: .page(.nothing) { try await finish($0, $1) }])
  }

  /// Sends the browser to the provider.
  private func begin(_ request: Request, _ context: CollectorContext) async throws -> Response {
    let provider = try provider(context)
    let next = ReturnPath.checked(request.parameters["next"])
    if try site.access.session(of: request, context) != nil { return Redirect(path: next).response }
    do throws(SignOnError) {
      let (attempt, address) = try await provider.begin(redirect: redirect(to: provider, request), next: next)
      return Self.redirect(
        to: address, cookie: cookie(request, attempt.cookie, lasting: SignInAttempt.lifetime.components.seconds))
    } catch {
      if throttle.withLock({ $0.occurred(at: uptime()) }) != nil { log(error, provider) }
      return .html(LoginPage(site.server, message: Self.unavailable(provider), next: next).html(), status: .badGateway)
    }
  }

  /// Finishes the sign-in when the browser comes back with the provider's answer.
  private func finish(_ request: Request, _ context: CollectorContext) async throws -> Response {
    let provider = try provider(context)
    // A link checker's HEAD must not use up the code.
    guard request.method == .get else { return Redirect(path: "/login").response }
    let attempt = request.cookie(named: cookieName(request)).flatMap { provider.attempt(cookie: $0) }
    var response: Response
    do {
      response = try await finish(attempt, provider, request, context)
    } catch let error as APIError where [.tooManyRequests, .serviceUnavailable].contains(error.status) {
      // The sign-in isn't used up: reloading the page continues it.
      return site.login(error, next: attempt?.next)
    }
    response.headers.append(HTTPField(name: .setCookie, value: cookie(request, "", lasting: 0)))
    return response
  }

  private func finish(
    _ attempt: SignInAttempt?, _ provider: SignOnProvider, _ request: Request, _ context: CollectorContext
  ) async throws -> Response {
    guard let attempt, let state = request.parameters["state"] else {
      // Not counted: it cost nothing, and another site's page may have caused it.
      let message =
        "This sign-in took longer than ten minutes, or was begun in another browser. Please sign in again."
      return .html(LoginPage(site.server, message: message, next: attempt?.next).html(), status: .unauthorized)
    }
    // Counts before the provider is asked, so that many answers at the same time are no way around the limit.
    return try await site.access.attempt(key: context.clientShare) {
      do {
        let cookie = try await session(of: provider, attempt, state: state, request, context)
        return Redirect(path: ReturnPath.checked(attempt.next), cookie: cookie).response
      } catch let refusal as Refusal {
        return try refused(refusal, provider, next: attempt.next, context)
      }
    }
  }

  /// The reason why a sign-in doesn't lead to a session.
  private struct Refusal: Error {
    /// The reason, and what the person can do.
    var message: String
    /// The name in the list of failed logins; empty if it isn't known.
    var name = ""
  }

  /// Begins a session for the person whom the provider's answer names, and returns its cookie.
  private func session(
    of provider: SignOnProvider, _ attempt: SignInAttempt, state: String, _ request: Request,
    _ context: CollectorContext
  ) async throws -> String {
    let answer = request.parameters
    guard let code = answer["code"], code.utf8.count <= 4_096, answer["error"] == nil else {
      let name = provider.settings.name
      throw Refusal(
        message: answer["error"] == "access_denied"
          ? "\(name) didn’t let you in, or you cancelled. Sign in again, or log in another way."
          : "\(name) couldn’t sign you in. Try again; if it still fails, tell the person who runs this server.")
    }
    let (client, id) = (context.clientShare, provider.settings.id)
    guard exchanges.withLock({ $0.begin(client: client, provider: id) }) else { throw APIError.tooManySignIns }
    defer { exchanges.withLock { $0.end(client: client, provider: id) } }
    let token: IDToken
    do throws(SignOnError) {
      token = try await provider.finish(
        attempt, code: code, state: state, issuer: answer["iss"], redirect: redirect(to: provider, request))
    } catch {
      log(error, provider)
      throw Refusal(message: Self.message(error, provider))
    }
    let account = try account(token, provider)
    return try site.access.beginSession(of: account, provider: provider.settings.id, request, context)
  }

  private func account(_ token: IDToken, _ provider: SignOnProvider) throws -> Account {
    let (settings, name) = (provider.settings, provider.settings.name)
    let rights: ProvidedRights?
    switch settings.entitlement(token) {
    case .unchanged: rights = nil
    case .rights(let given): rights = given
    case .none:
      try site.access.store.endLoginSessions(
        of: ProvidedIdentity(issuer: token.issuer, subject: token.subject), provider: settings.id)
      throw Refusal(
        message: "Your login at \(name) gives no access to Tern. Ask the person who runs this server for access.",
        name: token.verifiedEmail ?? token.subject)
    }
    let identity = ProvidedIdentity(
      issuer: token.issuer, subject: token.subject, verifiedEmail: token.verifiedEmail)
    let outcome: SignInOutcome
    do {
      outcome = try site.access.store.signIn(identity, rights: rights, createsAccount: settings.createsUsers)
    } catch let error as WarehouseError where error.code == .invalid {
      // The address is too long for a name.
      throw Refusal(message: error.message, name: token.verifiedEmail ?? token.subject)
    } catch let error as WarehouseError where error.code == .held {
      throw APIError(
        status: .serviceUnavailable, code: "held",
        message: "There is no room for another user. Ask the person who runs this server.")
    }
    switch outcome {
    case .account(let account): return account
    case .unverifiedEmail:
      throw Refusal(
        message: "\(name) doesn’t say that your email address is verified. Verify it there, then sign in again.",
        name: token.subject)
    case .noAccount(let email):
      throw Refusal(
        message: "There is no user \(email) yet. Ask an owner to invite you under this name, then sign in again.",
        name: email)
    case .takenAccount(let email):
      throw Refusal(
        message: "The user \(email) belongs to another login at \(name). Ask an owner to remove the user and invite "
          + "you again.", name: email)
    }
  }

  private func refused(
    _ refusal: Refusal, _ provider: SignOnProvider, next: String?, _ context: CollectorContext
  ) throws -> Response {
    let subject = refusal.name.isEmpty ? provider.settings.id : "\(refusal.name) (\(provider.settings.id))"
    do {
      try site.access.countFailure(key: context.clientShare, subject: subject, context)
    } catch let error as APIError where error.status == .tooManyRequests {
      // The page says why this sign-in failed; the next one has to wait.
    }
    return .html(LoginPage(site.server, message: refusal.message, next: next).html(), status: .unauthorized)
  }

  private static func unavailable(_ provider: SignOnProvider) -> String {
    "\(provider.settings.name) can’t be used at the moment. Try again in a minute, or log in another way."
  }

  private static func message(_ error: SignOnError, _ provider: SignOnProvider) -> String {
    switch error.code {
    case .provider: unavailable(provider)
    case .attempt: "This sign-in was already finished, or was begun in another window. Please sign in again."
    case .token:
      "The answer of \(provider.settings.name) can’t be trusted. Try again; if it still fails, tell the person who runs "
        + "this server: the log says why."
    }
  }

  /// Logs a failure. The limit on failed logins also bounds the failures that forged answers cause.
  private func log(_ error: SignOnError, _ provider: SignOnProvider) {
    logger.warning(
      "Sign-in failed", metadata: ["provider": .string(provider.settings.id), "reason": .string(error.message)])
  }

  /// The page on which a person who has logged out of Tern can sign out of the provider as well.
  func signOutLink(_ id: String?, _ request: Request) async -> (name: String, address: String)? {
    guard let provider = providers.first(where: { $0.settings.id == id }),
      let address = await provider.signOutAddress(redirect: portal(request) + "/login")
    else { return nil }
    return (provider.settings.name, address)
  }

  private func provider(_ context: CollectorContext) throws -> SignOnProvider {
    let id = context.parameters.get("provider")
    guard let provider = providers.first(where: { $0.settings.id == id }) else {
      throw APIError(
        status: .notFound, code: "unknown_provider",
        message: "There is no provider with this name. Open /login to see the ways to log in.")
    }
    return provider
  }

  private func portal(_ request: Request) -> String {
    portalAddress ?? request.serverAddress ?? site.server.address
  }

  private func redirect(to provider: SignOnProvider, _ request: Request) -> String {
    portal(request) + Self.path(provider.settings.id) + "/callback"
  }

  private static func redirect(to address: String, cookie: String) -> Response {
    Response(
      status: .seeOther,
      headers: [.location: address, .setCookie: cookie, .cacheControl: "no-store"])
  }

  /// The name of the cookie. It differs by port, like that of the session.
  private func cookieName(_ request: Request) -> String {
    request.sessionCookieName.replacing("tern_session", with: "tern_sign_in")
  }

  /// `Lax`, not `Strict`: the browser comes back from the provider's page.
  private func cookie(_ request: Request, _ value: String, lasting seconds: Int64) -> String {
    let secure = request.isSecure ? "; Secure" : ""
    return "\(cookieName(request))=\(value); Path=/sign-in; Max-Age=\(seconds); HttpOnly; SameSite=Lax\(secure)"
  }
}

extension APIError {
  fileprivate static let tooManySignIns = APIError(
    status: .serviceUnavailable, code: "too_many_sign_ins",
    message: "Too many people are signing in at the moment. Wait a few seconds, then reload this page.",
    headers: [.retryAfter: "5"])
}
