import HTTPTypes
import Hummingbird
import Questions
import Warehouse

/// `/api/v1/sessions`, and `/sessions` of a user: who is logged in, and where. An owner can end any of them.
struct SessionAPIRoutes: Sendable {
  let catalog: any CollectorCatalog

  func add(to routes: RouteTable) {
    let owner = Endpoint.Requirement.permission(.manageAccess)
    routes.on("/api/v1/sessions", [.get: .api(owner) { _, _ in Self.list(try catalog.sessions()) }])
    routes.on("/api/v1/sessions/:session", [.delete: .api(owner) { _, context in try end(context) }])
    routes.on(
      "/api/v1/users/:user/sessions",
      [
        .get: .api(owner) { _, context in try listOfUser(context) },
        .delete: .api(owner) { _, context in try endAll(context) },
      ])
  }

  private func listOfUser(_ context: CollectorContext) throws -> Response {
    let user = try existingUser(context)
    return Self.list(try catalog.sessions().filter { $0.account.id == user })
  }

  private func end(_ context: CollectorContext) throws -> Response {
    let unknown = APIError(status: .notFound, code: "unknown_session", message: "This session has ended.")
    let number = try context.number("session", else: unknown)
    try catalog.atomically {
      guard try catalog.sessions().contains(where: { $0.id == number }) else { throw unknown }
      try catalog.endSession(number)
    }
    return Response(status: .noContent)
  }

  private func endAll(_ context: CollectorContext) throws -> Response {
    let user = try context.user
    try catalog.atomically {
      _ = try existingUser(context)
      // If there are none, the audit log has nothing to record.
      guard try catalog.sessions().contains(where: { $0.account.id == user }) else { return }
      try catalog.endSessions(of: user)
    }
    return Response(status: .noContent)
  }

  private func existingUser(_ context: CollectorContext) throws -> Int64 {
    let user = try context.user
    guard try catalog.accounts().contains(where: { $0.id == user }) else { throw APIError.unknownUser }
    return user
  }

  private static func list(_ sessions: [LoginSession]) -> Response {
    let trees = sessions.map { session in
      JSONTree.object([
        ("id", .number(Double(session.id))), ("user", .number(Double(session.account.id))),
        ("name", .text(session.account.name)), ("created", .time(session.created)), ("used", .time(session.used)),
        ("address", .text(session.address)), ("browser", .text(session.browser)),
      ])
    }
    return .json(JSONTree.object([("sessions", .array(trees))]).encoded)
  }
}
