import HTTPTypes
import Hummingbird
import Questions
import TernEvents
import Warehouse

/// `/api/v1/audit` and `/api/v1/failed-logins`: who has changed what, and who has tried to log in.
struct AuditAPIRoutes: Sendable {
  let catalog: any CollectorCatalog
  let wallTime: @Sendable () -> Timestamp

  func add(to routes: RouteTable) {
    let owner = Endpoint.Requirement.permission(.manageAccess)
    routes.on(
      "/api/v1/audit",
      [
        .get: .api(owner) { request, _ in try list(request) },
        .delete: .api(owner) { request, _ in try prune(request) },
      ])
    routes.on("/api/v1/failed-logins", [.get: .api(owner) { request, _ in try failed(request) }])
  }

  private func list(_ request: Request) throws -> Response {
    let page = try ListPage(request)
    let (entries, next) = page.cut(try catalog.audit(before: page.before, limit: page.limit + 1), number: \.id)
    let trees = entries.map { entry in
      JSONTree.object([
        ("id", .number(Double(entry.id))), ("time", .text(entry.time.utcText(withMilliseconds: true))),
        ("who", .text(entry.actor.name)), ("action", .text(entry.action)), ("object", .text(entry.subject)),
        ("address", .text(entry.actor.address)),
      ])
    }
    return .json(
      JSONTree.object([("entries", .array(trees)), ("next", next.map { .number(Double($0)) } ?? .null)]).encoded)
  }

  private func prune(_ request: Request) throws -> Response {
    guard let days = request.parameters["days"].flatMap({ Int($0) }), (1...3_650).contains(days) else {
      throw APIError(
        status: .badRequest, code: "invalid",
        message: "`days` must be from 1 to 3650; older entries are deleted.")
    }
    let count = try catalog.pruneAudit(before: wallTime() - .seconds(days * 86_400))
    return .json(JSONTree.object([("deleted", .number(Double(count)))]).encoded)
  }

  private func failed(_ request: Request) throws -> Response {
    let logins = try catalog.failedLogins(limit: try ListPage(request).limit).map { login in
      JSONTree.object([
        ("name", .text(login.name)), ("address", .text(login.address)), ("count", .number(Double(login.count))),
        ("first", .time(login.first)), ("last", .time(login.last)),
      ])
    }
    return .json(JSONTree.object([("logins", .array(logins))]).encoded)
  }
}
