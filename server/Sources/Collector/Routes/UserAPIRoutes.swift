import HTTPTypes
import Hummingbird
import Questions
import ServerBase
import TernEvents
import Warehouse

/// `/api/v1/users`: the people who can log in, their rights, and the links for their first login.
struct UserAPIRoutes: Sendable {
  let reader: BodyReader
  let catalog: any CollectorCatalog
  /// The server's address in links if the request doesn't name it.
  let server: String

  /// The maximum size of a request, in bytes.
  private static let maximumBytes = 16 << 10
  /// The most apps of an account.
  static let maximumApps = 1_000
  /// The lifetime of a new link for someone who has forgotten their password.
  private static let linkLifetime = Duration.seconds(86_400)

  func add(to routes: RouteTable) {
    let owner = Endpoint.Requirement.permission(.manageAccess)
    routes.on(
      "/api/v1/users",
      [
        .get: .api(owner) { _, _ in try list() },
        .post: .api(owner) { try await invite($0, $1) },
      ])
    routes.on(
      "/api/v1/users/:user",
      [
        .get: .api(owner) { _, context in .tagged(try representation(context.user)) },
        .patch: .api(owner) { try await change($0, $1) },
        .delete: .api(owner) { try remove($0, $1) },
      ])
    routes.on("/api/v1/users/:user/link", [.post: .api(owner) { try link($0, $1) }])
  }

  private func list() throws -> Response {
    let users = try catalog.accounts().map(Self.tree)
    return .json(JSONTree.object([("users", .array(users))]).encoded)
  }

  private func invite(_ request: Request, _ context: CollectorContext) async throws -> Response {
    let wanted = try await body(request, context)
    return try Response.refusingInvalid {
      let (account, code) = try catalog.invite(
        name: (wanted.name ?? "").trimmed, role: try wanted.checkedRole ?? .viewer,
        apps: try catalog.checked(wanted.apps ?? nil), seesPersonalData: wanted.personalData ?? false)
      return .json(
        JSONTree.object([("user", Self.tree(account)), ("link", .text(address(code, request)))]).encoded,
        status: .created)
    }
  }

  private func change(_ request: Request, _ context: CollectorContext) async throws -> Response {
    let (wanted, user, condition) = (try await body(request, context), try context.user, Precondition(request))
    return try Response.refusingInvalid {
      let bytes = try catalog.atomically {
        let before = try representation(user)
        try condition.require { before }
        var change = AccountChange(role: try wanted.checkedRole, seesPersonalData: wanted.personalData)
        if let apps = wanted.apps { change.apps = .some(try catalog.checked(apps)) }
        if change != AccountChange() { _ = try catalog.changeAccount(user, change) }
        return try representation(user)
      }
      return .tagged(bytes)
    }
  }

  private func remove(_ request: Request, _ context: CollectorContext) throws -> Response {
    let (user, condition) = (try context.user, Precondition(request))
    return try Response.refusingInvalid {
      try catalog.atomically {
        let before = try representation(user)
        try condition.require { before }
        try catalog.removeAccount(user)
      }
      return Response(status: .noContent)
    }
  }

  private func link(_ request: Request, _ context: CollectorContext) throws -> Response {
    let user = try context.user
    let code = try catalog.atomically {
      _ = try representation(user)
      return try catalog.createLoginCode(of: user, lasting: Self.linkLifetime)
    }
    return .json(JSONTree.object([("link", .text(address(code, request)))]).encoded, status: .created)
  }

  private func address(_ code: String, _ request: Request) -> String {
    "\(request.serverAddress ?? server)/welcome?code=\(code)"
  }

  private func body(_ request: Request, _ context: CollectorContext) async throws -> UserRequest {
    try await reader.object(
      UserRequest.self, of: request, context, limit: Self.maximumBytes,
      members: "name, and optionally role, apps and personalData; without name to change a user")
  }

  /// The representation of a user; throws ``APIError`` 404 if there is none.
  private func representation(_ id: Int64) throws -> [UInt8] {
    guard let account = try catalog.accounts().first(where: { $0.id == id }) else { throw APIError.unknownUser }
    return Self.tree(account).encoded
  }

  static func tree(_ account: Account) -> JSONTree {
    .object([
      ("id", .number(Double(account.id))), ("name", .text(account.name)), ("role", .text(account.role.rawValue)),
      ("apps", account.apps.map { .array($0.sorted().map { .number(Double($0.rawValue)) }) } ?? .null),
      ("personalData", .boolean(account.rights.permissions.contains(.readPersonalData))),
      ("hasPassword", .boolean(account.hasPassword)), ("lastLogin", .time(account.lastLogin)),
    ])
  }
}

/// The request body to invite or change a user.
private struct UserRequest: Decodable {
  let name: String?
  let role: String?
  /// The apps: `.some(nil)` for all, `nil` to keep the current ones.
  let apps: [Int64]??
  let personalData: Bool?

  private enum CodingKeys: String, CodingKey { case name, role, apps, personalData }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    name = try container.decodeIfPresent(String.self, forKey: .name)
    role = try container.decodeIfPresent(String.self, forKey: .role)
    personalData = try container.decodeIfPresent(Bool.self, forKey: .personalData)
    apps = container.contains(.apps) ? .some(try container.decodeIfPresent([Int64].self, forKey: .apps)) : .none
  }

  var checkedRole: Account.Role? {
    get throws {
      try role.map { text in
        guard let role = Account.Role(rawValue: text) else {
          throw WarehouseError(code: .invalid, message: "The role must be viewer, editor or owner.")
        }
        return role
      }
    }
  }
}

extension CatalogStore {
  /// The apps with the given numbers, `nil` for all; throws `WarehouseError` with code `invalid`.
  func checked(_ numbers: [Int64]?) throws -> Set<AppID>? {
    guard let numbers else { return nil }
    guard (1...UserAPIRoutes.maximumApps).contains(numbers.count) else {
      throw WarehouseError(
        code: .invalid, message: "apps must be 1 to \(UserAPIRoutes.maximumApps) numbers of apps, or null for all.")
    }
    let known = Set(try apps().map(\.id))
    for number in numbers where !known.contains(AppID(number)) {
      throw WarehouseError(code: .invalid, message: "There is no app \(number). GET /api/v1/apps lists all apps.")
    }
    return Set(numbers.map { AppID($0) })
  }
}

extension CollectorContext {
  /// The number of the user that the address names.
  var user: Int64 { get throws(APIError) { try number("user", else: .unknownUser) } }
}

extension APIError {
  static let unknownUser = APIError(
    status: .notFound, code: "unknown_user", message: "There is no user with this number. GET /api/v1/users lists all.")
}

extension JSONTree {
  /// A time as text, or `null`.
  static func time(_ time: Timestamp?) -> JSONTree { time.map { .text($0.utcText(withMilliseconds: false)) } ?? .null }
}
