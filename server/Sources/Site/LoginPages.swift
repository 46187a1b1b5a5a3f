import Answering
import HTTP
import HTTPTypes
import Hummingbird
import Logging
import Portal
import ServerBase
import TernBase
import Warehouse

/// `/login`, `/login/code`, `/welcome` and `/logout`.
struct LoginPages: Sendable {
  let site: Site
  let signOn: SignOnPages

  func add(to routes: RouteTable) {
    routes.on("/login", [.get: .open { try await get($0, $1) }, .post: .open { try await post($0, $1) }])
    routes.on("/login/code", [.get: .open { try codePage($0, $1) }, .post: .open { try await enterCode($0, $1) }])
    routes.on("/welcome", [.get: .open { try await invitation($0, $1) }, .post: .open { try await accept($0, $1) }])
    routes.on("/logout", [.post: .page(.login) { try await logout($0, $1) }])
  }

  private func get(_ request: Request, _ context: CollectorContext) async throws -> Response {
    let next = ReturnPath.checked(request.parameters["next"])
    // A link checker's HEAD must not use up the code.
    if request.method == .get, let code = request.parameters["code"] {
      // A browser that is already logged in may open the used link from its history.
      if try site.access.session(of: request, context) != nil { return Redirect(path: next).response }
      return try await login(next: next, request, context, key: context.clientShare, failure: Self.spentLink) {
        try site.access.store.redeemLoginCode(code)
      }
    }
    if try site.access.session(of: request, context) != nil { return Redirect(path: next).response }
    return .html(LoginPage(site.server, next: next).html())
  }

  private func post(_ request: Request, _ context: CollectorContext) async throws -> Response {
    try site.access.requireOwnOrigin(request)
    let form = try await site.reader.form(request, context)
    let (name, password) = ((form["name"] ?? "").trimmed, form["password"] ?? "")
    // By name and address, so that guesses from elsewhere lock no one out. Login links always work.
    let key = "\(context.clientShare) \(name.lowercased())"
    return try await login(
      next: ReturnPath.checked(form["next"]), request, context, key: key, name: name, failure: "Wrong name or password."
    ) {
      try await site.access.attempt(key: key) {
        try await site.access.passwords.run(for: context.clientShare) { [store = site.access.store] in
          try store.account(name: name, password: password)
        }
      }
    }
  }

  private func invitation(_ request: Request, _ context: CollectorContext) async throws -> Response {
    let code = request.parameters["code"] ?? ""
    guard let account = try site.access.store.account(loginCode: code) else {
      return .html(LoginPage(site.server, message: Self.spentLink).html(), status: .unauthorized)
    }
    return .html(WelcomePage(site.server, account, code: code).html())
  }

  private func accept(_ request: Request, _ context: CollectorContext) async throws -> Response {
    try site.access.requireOwnOrigin(request)
    let form = try await site.reader.form(request, context)
    let (code, store) = (form["code"] ?? "", site.access.store)
    return try await login(
      next: "/", request, context, key: context.clientShare, failure: Self.spentLink, isProven: true
    ) {
      guard let account = try store.account(loginCode: code) else { return nil }
      let actor = AuditActor(name: account.name, address: context.clientShare)
      do {
        try await AuditActor.$current.withValue(actor) {
          // Before the password is another one: a link alone must not take it from someone with a second factor.
          if account.hasSecondFactor, let refusal = try store.useCode(form["factor"] ?? "", of: account.id).refusal {
            throw RejectedForm(page: WelcomePage(site.server, account, code: code, message: refusal).html())
          }
          try await site.access.passwords.run(for: context.clientShare) {
            // Before the code is used up: a password that is too short must not cost the invitation.
            try store.setPassword(form["password"] ?? "", of: account.id, keeping: nil)
          }
        }
      } catch let error as WarehouseError where error.code == .invalid {
        throw RejectedForm(page: WelcomePage(site.server, account, code: code, message: error.message).html())
      }
      return try store.redeemLoginCode(code)
    }
  }

  private struct RejectedForm: Error { let page: String }

  private static let spentLink =
    "This link has expired or has already been used. Run `tern login-link` on the server to get a new one, or ask an "
    + "owner for an invitation."

  /// Begins a session of the account that `check` returns, or asks for the code of its second factor. Without an account, shows the
  /// login page with the message `failure`.
  ///
  /// - Parameter isProven: True if `check` has asked for the code.
  private func login(
    next: String, _ request: Request, _ context: CollectorContext, key: String, name: String = "link",
    failure: String, isProven: Bool = false, check: () async throws -> Account?
  ) async throws -> Response {
    try await answering(next: next, context) {
      guard let account = try await check() else {
        try site.access.countFailure(key: key, subject: name, context)
        return .html(LoginPage(site.server, message: failure, next: next).html(), status: .unauthorized)
      }
      if account.hasSecondFactor, !isProven { return try askForCode(of: account, next: next, request, context) }
      return Redirect(path: next, cookie: try site.access.beginSession(of: account, request, context)).response
    }
  }

  /// Runs a step of a login, and shows why it can't be done at the moment.
  func answering(
    next: String, _ context: CollectorContext, _ body: () async throws -> Response
  ) async throws -> Response {
    do {
      return try await body()
    } catch let form as RejectedForm {
      return .html(form.page, status: .badRequest)
    } catch let error as APIError where [.tooManyRequests, .serviceUnavailable].contains(error.status) {
      return site.login(error, next: next)
    } catch let error as WarehouseError where error.code == .full {
      context.logger.error("Could not store a session", metadata: ["error": "\(error)"])
      let diskFull = APIError.diskFull
      return .html(
        ErrorPage(site.server, status: diskFull.status.code, message: diskFull.message).html(), status: diskFull.status)
    }
  }

  private func logout(_ request: Request, _ context: CollectorContext) async throws -> Response {
    let provider = try context.visitor.session?.provider
    let cookie = try site.access.endSession(request)
    guard let link = await signOn.signOutLink(provider, request) else {
      let next = ReturnPath.checked(request.parameters["next"])
      return Redirect(path: next == "/" ? "/login" : "/login?next=\(PercentCoding.encode(next))", cookie: cookie)
        .response
    }
    // A link and not a redirect, which browsers refuse after a form because of the page's policy.
    var response = Response.html(LoginPage(site.server, next: request.parameters["next"], signOut: link).html())
    response.headers[.setCookie] = cookie
    return response
  }
}

extension Site {
  /// Returns the login page with the reason why a login has to wait.
  func login(_ error: APIError, next: String?) -> Response {
    var response = Response.html(LoginPage(server, message: error.message, next: next).html(), status: error.status)
    response.headers[.retryAfter] = error.headers[.retryAfter]
    return response
  }
}
