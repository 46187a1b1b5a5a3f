import Answering
import HTTP
import HTTPTypes
import JSON
import Warehouse

/// `/api/v1/sessions`, and `/sessions` of a user: who is logged in, and where. An owner can end any of them.
struct SessionEndpoints: Sendable {
  let catalog: any CollectorCatalog

  private static let session = JSONAnswer("Session", LoginSession.members)

  func add(to api: EndpointGroup) {
    let sessions = api.group("/sessions", .manageAccess)
    sessions.get("", "listSessions", "All sessions, latest first.", .list("sessions", of: Self.session)) { _ in
      try catalog.loginSessions()
    }
    sessions.delete("/:session", "endSession", "Logs one browser out.") { call in
      let unknown = APIError.unknown("session", "This session has ended.")
      let number = try call.number("session", else: unknown)
      try catalog.atomically {
        guard try catalog.loginSessions().contains(where: { $0.id == number }) else { throw unknown }
        try catalog.endLoginSession(number)
      }
    }
    let ofUser = api.group("/users/:user/sessions", .manageAccess)
    ofUser.get(
      "", "listUserSessions", "The sessions of a user, latest first.", .list("sessions", of: Self.session)
    ) { try self.sessions(of: try existingUser($0)) }
    ofUser.delete("", "endUserSessions", "Logs a user out everywhere.") { call in
      try catalog.atomically {
        let user = try existingUser(call)
        // If there are none, the audit log has nothing to record.
        if try !self.sessions(of: user).isEmpty { try catalog.endLoginSessions(of: user) }
      }
    }
  }

  private func sessions(of user: Int64) throws -> [LoginSession] {
    try catalog.loginSessions().filter { $0.account.id == user }
  }

  private func existingUser(_ call: Call) throws -> Int64 {
    let user = try call.number("user", else: .unknownUser)
    guard try catalog.accounts().contains(where: { $0.id == user }) else { throw APIError.unknownUser }
    return user
  }
}
