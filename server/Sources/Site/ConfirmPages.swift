import Answering
import HTTP
import HTTPTypes
import Hummingbird
import Portal
import ServerBase
import TernBase
import Warehouse

/// `/confirm`: asks for the password again, before a session whose login was a while ago may change who has access.
struct ConfirmPages: Sendable {
  let site: Site

  func add(to routes: RouteTable) {
    routes.on(
      "/confirm",
      [
        .get: .page(.login) { try page($0, $1, next: $0.parameters["next"]) },
        .post: .page(.login) { try await post($0, $1) },
      ])
  }

  private func page(
    _ request: Request, _ context: CollectorContext, next: String?, message: String? = nil
  ) throws -> Response {
    guard let account = try context.visitor.session?.account else { throw APIError.loginNeeded }
    let next = ReturnPath.checked(next)
    // Others have no password to give, so that they log in again.
    let logout = account.hasPassword ? nil : "/logout?next=\(PercentCoding.encode(next))"
    return .html(
      ConfirmPage(site.server, account, logout: logout, message: message, next: next).html(),
      status: message == nil ? .ok : .badRequest)
  }

  private func post(_ request: Request, _ context: CollectorContext) async throws -> Response {
    let form = try await site.reader.form(request, context)
    guard let session = try context.visitor.session else { throw APIError.loginNeeded }
    guard session.account.hasPassword else { return try page(request, context, next: form["next"]) }
    if let refusal = try await site.refusal(of: form, session.account, context) {
      return try page(request, context, next: form["next"], message: refusal)
    }
    try site.access.store.confirmLoginSession(session.id)
    return Redirect(path: ReturnPath.checked(form["next"])).response
  }
}
