import Answering
import HTTP
import HTTPTypes
import Hummingbird
import Portal
import ServerBase
import Warehouse

/// `/account`: a person's own password and sessions.
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
    _ request: Request, _ context: CollectorContext, _ result: FormResult = FormResult()
  ) throws -> Response {
    let session = try session(context)
    let own = try site.access.store.loginSessions().filter { $0.account.id == session.account.id }
    return .html(
      try site.pages.shown(to: context, request).account(session, sessions: own, result: result),
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
    default:
      throw APIError.unknownAction
    }
  }

  /// Sets the password if the current one is right: an open browser must not be enough to take over the account.
  private func setPassword(
    _ form: URLEncodedForm, _ session: LoginSession, _ request: Request, _ context: CollectorContext
  ) async throws -> Response {
    let key = "\(context.clientShare) \(session.account.name.lowercased())"
    let (store, account) = (site.access.store, session.account)
    do {
      let isAllowed = try await site.access.attempt(key: key) {
        try await site.access.passwords.run(for: context.clientShare) {
          if account.hasPassword,
            try store.account(name: account.name, password: form["current"] ?? "")?.id != account.id
          {
            return false
          }
          try store.setPassword(form["password"] ?? "", of: account.id, keeping: session.id)
          return true
        }
      }
      if isAllowed { return Redirect(path: "/account?done=password").response }
      try site.access.countFailure(key: key, subject: account.name, context)
      return try page(request, context, FormResult(message: "The current password is wrong."))
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
