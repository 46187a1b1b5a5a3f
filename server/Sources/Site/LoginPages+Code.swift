import Answering
import HTTP
import HTTPTypes
import Hummingbird
import Portal
import ServerBase
import TernBase
import Warehouse

/// `/login/code`: the code of a second factor, after the password or a login link.
extension LoginPages {
  static let lateCode = "This login has expired. Log in again."

  /// Sends the browser to the page for the code. Its cookie, and no session yet, says who has given the password.
  func askForCode(
    of account: Account, next: String, _ request: Request, _ context: CollectorContext
  ) throws -> Response {
    let secret = try site.access.store.beginLoginStep(of: account.id, lasting: Access.codeLifetime)
    return Redirect(
      path: next == "/" ? "/login/code" : "/login/code?next=\(PercentCoding.encode(next))",
      cookie: cookie(request, secret, lasting: Access.codeLifetime.components.seconds)
    ).response
  }

  func codePage(_ request: Request, _ context: CollectorContext) throws -> Response {
    let next = ReturnPath.checked(request.parameters["next"])
    if try site.access.session(of: request, context) != nil { return Redirect(path: next).response }
    guard try waiting(request) != nil else {
      return .html(LoginPage(site.server, message: Self.lateCode, next: next).html(), status: .unauthorized)
    }
    return .html(CodePage(site.server, next: next).html())
  }

  func enterCode(_ request: Request, _ context: CollectorContext) async throws -> Response {
    try site.access.requireOwnOrigin(request)
    let form = try await site.reader.form(request, context)
    let next = ReturnPath.checked(form["next"])
    guard let (secret, account) = try waiting(request) else {
      // Not counted: it cost nothing, and the secret can't be guessed.
      return .html(LoginPage(site.server, message: Self.lateCode, next: next).html(), status: .unauthorized)
    }
    return try await answering(next: next, context) {
      // Not the key of the password: only someone who has given it, or has a link, comes here.
      let key = "\(context.clientShare) code of \(account.id)"
      let outcome = try await site.access.attempt(key: key) {
        try AuditActor.$current.withValue(AuditActor(name: account.name, address: context.clientShare)) {
          try site.access.store.finishLoginStep(secret, code: form["code"] ?? "")
        }
      }
      switch outcome {
      case .right:
        return Redirect(path: next, cookie: try site.access.beginSession(of: account, request, context)).response
      case .wrong, .closed:
        try site.access.countFailure(key: key, subject: account.name, context)
        return .html(
          CodePage(site.server, message: outcome?.refusal, next: next).html(),
          status: outcome == .wrong ? .unauthorized : .tooManyRequests)
      case nil:
        return .html(LoginPage(site.server, message: Self.lateCode, next: next).html(), status: .unauthorized)
      }
    }
  }

  private func waiting(_ request: Request) throws -> (secret: String, account: Account)? {
    guard let secret = request.cookie(named: cookieName(request)),
      let account = try site.access.store.account(loginStep: secret)
    else { return nil }
    return (secret, account)
  }

  /// The name of the cookie. It differs by port, like that of the session.
  private func cookieName(_ request: Request) -> String {
    request.sessionCookieName.replacing("tern_session", with: "tern_code")
  }

  /// `Lax`, not `Strict`: the redirect after a login link that was opened in a mail needs it.
  private func cookie(_ request: Request, _ value: String, lasting seconds: Int64) -> String {
    let secure = request.isSecure ? "; Secure" : ""
    return "\(cookieName(request))=\(value); Path=/login; Max-Age=\(seconds); HttpOnly; SameSite=Lax\(secure)"
  }
}

extension CodeOutcome {
  static let wrongText =
    "The code is wrong, or was used before. Wait for the next one; if that is wrong, too, check the clocks of your phone and "
    + "of the server."

  /// The reason why a code is refused, and the remedy; `nil` if it is right.
  var refusal: String? {
    switch self {
    case .right: nil
    case .wrong: Self.wrongText
    case .closed:
      "There were too many wrong codes for this user. Try again in an hour, enter a recovery code, or ask the person who "
        + "runs the server to run `tern users reset-second-factor`."
    }
  }
}
