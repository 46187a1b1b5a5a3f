import Answering
import HTTP
import HTTPTypes
import JSON
import Warehouse

/// `/api/v1/users`: the people who can log in, their rights, and the links for their first login.
struct UserEndpoints: Sendable {
  let catalog: any CollectorCatalog
  /// The server's address in links if the request doesn't name it.
  let server: String

  /// The lifetime of a new link for someone who has forgotten their password.
  private static let linkLifetime = Duration.seconds(86_400)
  private static let user = JSONAnswer("User", Account.members)
  private static let link = Schema.text.example(.text("https://tern.example.com/welcome?code=…"))
    .described("The address for the user's browser. It can't be read again.")
  private static let invitation = JSONAnswer<(account: Account, link: String)>(
    "Invitation",
    [
      .shown("user", user.schema) { user.tree($0.account) }, .shown("link", link) { .text($0.link) },
    ]
  ).created
  private static let loginLink = JSONAnswer<String>([.shown("link", link) { .text($0) }]).created

  func add(to api: EndpointGroup) {
    let users = api.group("/users", .manageAccess)
    let item = Item(Self.user) { try find($0) }
    users.get("", "listUsers", "The people who can log in, and their rights.", .list("users", of: Self.user)) { _ in
      try catalog.accounts()
    }
    users.on(
      .post, "", "inviteUser",
      "Invites a user. The answer has a link with which they choose a password: it works once, for a week.",
      JSONBody("UserInput", NewAccount.members), Self.invitation
    ) { call, sent in
      let new = try sent.value(from: NewAccount())
      let (account, code) = try catalog.invite(
        name: new.name, role: new.rights.role ?? .viewer, apps: try existing(new.rights.apps ?? nil),
        seesPersonalData: new.rights.seesPersonalData ?? false)
      return (account, address(code, call))
    }
    users.show("/:user", "user", "One user.", item)
    users.change(
      .patch, "/:user", "changeUser",
      "Changes a user's rights, from the next request on. Members that are missing keep their values.",
      JSONBody("UserChange", AccountChange.members.ignoring(Account.members)), item
    ) { _, old, sent in
      let change = try sent.value(from: AccountChange())
      _ = try existing(change.apps ?? nil)
      if change != AccountChange() { _ = try catalog.changeAccount(old.id, change) }
    }
    users.remove(
      "/:user", "removeUser", "Removes a user with their sessions, or withdraws an invitation.", item, errors: [400]
    ) { try catalog.removeAccount($1.id) }
    users.on(
      .post, "/:user/link", "createLoginLink",
      "Creates a link with which a user chooses a password. It works once, for a day, and replaces others.",
      Self.loginLink
    ) { call in
      address(
        try catalog.atomically {
          try catalog.createLoginCode(of: try find(call).id, lasting: Self.linkLifetime)
        }, call)
    }
  }

  /// The user that the address names.
  private func find(_ call: Call) throws -> Account {
    let number = try call.number("user", else: .unknownUser)
    guard let account = try catalog.accounts().first(where: { $0.id == number }) else { throw APIError.unknownUser }
    return account
  }

  private func existing(_ apps: Set<AppID>?) throws -> Set<AppID>? {
    try apps?.sorted().forEach(catalog.requireApp)
    return apps
  }

  private func address(_ code: String, _ call: Call) -> String {
    "\(call.request.serverAddress ?? server)/welcome?code=\(code)"
  }
}

extension CatalogStore {
  /// Throws `WarehouseError` with code `invalid` if there is no such app.
  func requireApp(_ app: AppID) throws {
    guard try apps().contains(where: { $0.id == app }) else {
      throw WarehouseError(.invalid, "There is no app \(app). GET /api/v1/apps lists all apps.")
    }
  }
}

extension APIError {
  static let unknownUser = unknown("user", "There is no user with this number. GET /api/v1/users lists all.")
}
