import Answering
import HTTP
import HTTPTypes
import Hummingbird
import Portal
import ServerBase
import Warehouse

/// `/account`: a person's own password, second factor and sessions.
struct AccountPages: Sendable {
  let site: Site

  func add(to routes: RouteTable) {
    routes.on(
      "/account",
      [
        .get: .page(.login) { try page($0, $1, FormResult(outcome: $0.parameters["done"])) },
        .post: .page(.login) { try await post($0, $1) },
      ])
  }

  private func page(
    _ request: Request, _ context: CollectorContext, newKey: String? = nil, _ result: FormResult = FormResult()
  ) throws -> Response {
    let session = try session(context)
    let own = try site.access.store.loginSessions().filter { $0.account.id == session.account.id }
    // As it is after the form.
    let shown = own.first { $0.id == session.id } ?? session
    return .html(
      try AccountPage(site.visit(request, context), shown, sessions: own, newKey: newKey, result: result).html(),
      status: result.message == nil ? .ok : .badRequest)
  }

  private func post(_ request: Request, _ context: CollectorContext) async throws -> Response {
    let (session, form) = (try session(context), try await site.reader.form(request, context))
    switch form["do"] {
    case "end":
      let id = form["id"].flatMap { Int64($0) }
      let own = try site.access.store.loginSessions().first { $0.id == id && $0.account.id == session.account.id }
      if let own { try site.access.store.endLoginSession(own.id) }
      return Redirect(path: "/account?done=ended").response
    case "password":
      return try await setPassword(form, session, request, context)
    case "new-factor":
      return try page(request, context, newKey: site.access.store.newSecondFactorKey())
    case "add-factor", "recovery-codes", "remove-factor":
      return try await changeFactor(form, session, request, context)
    default:
      throw APIError.unknownAction
    }
  }

  /// Changes the second factor if password and code are right: an open browser must not be enough.
  private func changeFactor(
    _ form: URLEncodedForm, _ session: LoginSession, _ request: Request, _ context: CollectorContext
  ) async throws -> Response {
    let (store, account, key) = (site.access.store, session.account, form["do"] == "add-factor" ? form["key"] : nil)
    do {
      // The code of a new key is checked with the key.
      if let refusal = try await site.refusal(of: form, account, withoutCode: key != nil, context) {
        return try page(request, context, newKey: key, FormResult(message: refusal))
      }
      switch form["do"] {
      case "add-factor":
        guard
          let codes = try store.turnOnSecondFactor(
            key: key ?? "", code: form["code"] ?? "", of: account.id, keeping: session.id)
        else { return try page(request, context, newKey: key, FormResult(message: CodeOutcome.wrongText)) }
        return try page(
          request, context,
          Self.shown(
            codes, "The second factor is on, and all your other sessions have ended. These are your recovery codes."))
      case "recovery-codes":
        let codes = try store.newRecoveryCodes(of: account.id)
        return try page(
          request, context, Self.shown(codes, "These are your new recovery codes; earlier ones no longer work."))
      default:
        try store.removeSecondFactor(of: account.id, isReset: false)
        return Redirect(path: "/account?done=factor-removed").response
      }
    } catch let error as WarehouseError where error.code == .invalid {
      return try page(request, context, FormResult(message: error.message))
    }
  }

  private static func shown(_ codes: [String], _ done: String) -> FormResult {
    FormResult(
      done: "\(done) Keep them where you can find them without your phone.", secret: codes.joined(separator: " "))
  }

  /// Sets the password if the current one is right: an open browser must not be enough to take over the account.
  private func setPassword(
    _ form: URLEncodedForm, _ session: LoginSession, _ request: Request, _ context: CollectorContext
  ) async throws -> Response {
    // Without a current one, the login must be recent.
    if !session.account.hasPassword { try site.access.requireConfirmed(session, request) }
    let (store, account) = (site.access.store, session.account)
    do {
      if account.hasPassword, let refusal = try await site.refusal(of: form, account, context) {
        return try page(request, context, FormResult(message: refusal))
      }
      try await site.access.passwords.run(for: context.clientShare) {
        try store.setPassword(form["password"] ?? "", of: account.id, keeping: session.id)
      }
      return Redirect(path: "/account?done=password").response
    } catch let error as WarehouseError where error.code == .invalid {
      return try page(request, context, FormResult(message: error.message))
    }
  }

  private func session(_ context: CollectorContext) throws -> LoginSession {
    guard let session = try context.visitor.session else { throw APIError.loginNeeded }
    return session
  }
}

extension APIError {
  static let unknownAction = APIError(
    status: .badRequest, code: "unknown_action", message: "This page is out of date. Reload it, then try again.")
}
