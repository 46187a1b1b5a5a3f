import Answering
import HTTP
import HTTPTypes
import Hummingbird
import Portal
import ServerBase
import Warehouse

/// The form of the portal that sets the status of error groups.
struct ErrorStatusPages: Sendable {
  let site: Site

  func add(to routes: RouteTable) {
    // Not below `/apps/:app/errors`: the router does not fall back to `:page` once `errors` has matched.
    routes.on("/apps/:app/error-status", [.post: .page(.permission(.edit)) { try await post($0, $1) }])
  }

  private func post(_ request: Request, _ context: CollectorContext) async throws -> Response {
    let (app, form) = (try context.app, try await site.reader.form(request, context))
    guard let group = form["group"].flatMap({ Int64($0) }) else { throw APIError.unknownErrorGroup }
    guard let status = ErrorStatus(rawValue: form["status"] ?? "") else {
      throw APIError.invalid("The status must be \(ErrorStatus.allCases.map(\.rawValue).joined(separator: ", ")).")
    }
    let wanted = NewErrorStatus(
      status, note: form["note"]?.replacing("\r\n", with: "\n") ?? "", version: form["version"]?.trimmed ?? "")
    return try await Response.refusingInvalid {
      _ = try await site.data.errors.set(wanted, group, context)
      return Redirect(path: "/apps/\(app.id)/error?group=\(group)").response
    }
  }
}
