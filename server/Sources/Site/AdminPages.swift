import Answering
import HTTP
import HTTPTypes
import Hummingbird
import Portal
import ServerBase
import TernEvents
import Warehouse

/// `/users`, `/tokens`, `/audit` and, where rows are copied to a cluster, `/cluster`: the pages of owners.
struct AdminPages: Sendable {
  let site: Site
  let cluster: (@Sendable () -> ClusterStatus?)?

  private static let entriesPerPage = 200

  func add(to routes: RouteTable) {
    let owner = Endpoint.Requirement.permission(.administer)
    // Asks for the password if the login was a while ago.
    let change = Endpoint.Requirement.permission(.manageAccess)
    routes.on(
      "/users",
      [
        .get: .page(owner) { try users($0, $1, FormResult(outcome: $0.parameters["done"])) },
        .post: .page(change) { try await postUsers($0, $1) },
      ])
    routes.on(
      "/tokens",
      [
        .get: .page(owner) { try tokens($0, $1, FormResult(outcome: $0.parameters["done"])) },
        .post: .page(change) { try await postTokens($0, $1) },
      ])
    routes.on(
      "/audit", [.get: .page(owner) { try audit($0, $1) }, .post: .page(change) { try await pruneAudit($0, $1) }])
    if let cluster {
      routes.on("/cluster", [.get: .page(owner) { .html(try ClusterPage(site.visit($0, $1), cluster()).html()) }])
    }
  }

  private func users(
    _ request: Request, _ context: CollectorContext, edited: Account? = nil, _ result: FormResult = FormResult()
  ) throws -> Response {
    let now = site.wallTime()
    let access = AccessOverview(
      accounts: try site.catalog.accounts(),
      tokens: try site.catalog.tokens().filter { $0.expires.map { now < $0 } ?? true },
      links: try site.catalog.links(app: nil).filter { $0.expires.map { now < $0 } ?? true })
    return .html(
      try UsersPage(
        site.visit(request, context), access, sessions: try site.catalog.loginSessions(), apps: try site.catalog.apps(),
        edited: edited,
        result: result
      ).html(), status: result.message == nil ? .ok : .badRequest)
  }

  private func postUsers(_ request: Request, _ context: CollectorContext) async throws -> Response {
    let form = try await site.reader.form(request, context)
    let id = form["id"].flatMap { Int64($0) } ?? 0
    do {
      let server = request.serverAddress ?? site.server.address
      switch form["do"] {
      case "invite":
        let (_, code) = try site.catalog.invite(
          name: (form["name"] ?? "").trimmed, role: try role(form), apps: apps(form),
          seesPersonalData: form["personal"] != nil)
        return try users(request, context, FormResult(secret: "\(server)/welcome?code=\(code)"))
      case "edit":
        return try users(request, context, edited: try site.catalog.accounts().first { $0.id == id })
      case "change":
        _ = try site.catalog.changeAccount(
          id, AccountChange(role: try role(form), apps: apps(form), seesPersonalData: form["personal"] != nil))
      case "link":
        let code = try site.catalog.createLoginCode(of: id, lasting: .seconds(86_400))
        return try users(request, context, FormResult(secret: "\(server)/welcome?code=\(code)"))
      case "remove": try site.catalog.removeAccount(id)
      case "end": try site.catalog.endLoginSession(id)
      default: throw APIError.unknownAction
      }
      let outcomes = ["change": "saved", "remove": "removed", "end": "ended"]
      return Redirect(path: "/users?done=\(outcomes[form["do"] ?? ""] ?? "saved")").response
    } catch let error as WarehouseError where error.code == .invalid || error.code == .unknownApp {
      return try users(request, context, FormResult(message: error.message))
    }
  }

  private func role(_ form: URLEncodedForm) throws -> Account.Role {
    guard let role = form["role"].flatMap({ Account.Role(rawValue: $0) }) else {
      throw WarehouseError(.invalid, "Choose a role.")
    }
    return role
  }

  private func apps(_ form: URLEncodedForm) -> Set<AppID>? {
    let chosen = form.values.keys.compactMap { name in
      name.hasPrefix("app-") ? Int64(name.dropFirst("app-".count)).map { AppID($0) } : nil
    }
    return chosen.isEmpty ? nil : Set(chosen)
  }

  private func tokens(
    _ request: Request, _ context: CollectorContext, _ result: FormResult = FormResult()
  ) throws -> Response {
    .html(
      try TokensPage(
        site.visit(request, context), try site.catalog.tokens(), apps: try site.catalog.apps(), result: result
      ).html(),
      status: result.message == nil ? .ok : .badRequest)
  }

  private func postTokens(_ request: Request, _ context: CollectorContext) async throws -> Response {
    let form = try await site.reader.form(request, context)
    do {
      switch form["do"] {
      case "create":
        guard let scope = form["scope"].flatMap({ AccessToken.Scope(rawValue: $0) }) else {
          throw WarehouseError(.invalid, "Choose a scope.")
        }
        let (_, secret) = try site.catalog.createToken(
          name: (form["name"] ?? "").trimmed, scopes: [scope], app: form["app"].flatMap { Int64($0) }.map { AppID($0) },
          lasting: try form.days("days"))
        return try tokens(request, context, FormResult(secret: secret))
      case "revoke": _ = try site.catalog.revokeToken(form["id"].flatMap { Int64($0) } ?? 0)
      default: throw APIError.unknownAction
      }
      return Redirect(path: "/tokens?done=revoked").response
    } catch let error as WarehouseError where error.code == .invalid || error.code == .unknownApp {
      return try tokens(request, context, FormResult(message: error.message))
    }
  }

  private func pruneAudit(_ request: Request, _ context: CollectorContext) async throws -> Response {
    let form = try await site.reader.form(request, context)
    guard form["do"] == "prune" else { throw APIError.unknownAction }
    do {
      guard let age = try form.days("days") else {
        throw WarehouseError(.invalid, "Enter a number of days from 1 to 3650.")
      }
      let count = try site.catalog.pruneAudit(before: site.wallTime() - age)
      return try audit(
        request, context, FormResult(done: "\(count == 1 ? "1 entry was" : "\(count) entries were") deleted."))
    } catch let error as WarehouseError where error.code == .invalid {
      return try audit(request, context, FormResult(message: error.message))
    }
  }

  private func audit(
    _ request: Request, _ context: CollectorContext, _ result: FormResult = FormResult()
  ) throws -> Response {
    let limit = Self.entriesPerPage
    let before = request.parameters["before"]
    let failed = before == nil ? try site.catalog.failedLogins(limit: limit) : []
    let entries = try site.catalog.audit(before: request.parameters["before"].flatMap { Int64($0) }, limit: limit + 1)
    return .html(
      try AuditPage(
        site.visit(request, context), Array(entries.prefix(limit)), hasMore: entries.count > limit, failed: failed,
        result: result
      ).html())
  }
}

extension URLEncodedForm {
  /// A number of days, or `nil` if the field is empty.
  func days(_ name: String) throws -> Duration? {
    guard let text = self[name]?.trimmed, !text.isEmpty else { return nil }
    guard let days = Int(text), (1...3_650).contains(days) else {
      throw WarehouseError(.invalid, "Enter a number of days from 1 to 3650.")
    }
    return .seconds(days * 86_400)
  }
}
