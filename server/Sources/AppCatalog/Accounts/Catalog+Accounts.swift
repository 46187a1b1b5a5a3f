import Foundation
import GRDB
import TernEvents
package import Warehouse

extension CatalogSchema {
  /// `apps` is a list of numbers, or null for all. The first account is the owner who gets the first login link. `password`
  /// is the salted scrypt hash of a chosen one, `hash` the SHA-256 of a random secret of 192 bits.
  static let accounts = """
    CREATE TABLE account (
      id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE COLLATE NOCASE, role TEXT NOT NULL, apps TEXT,
      personal INTEGER NOT NULL, password TEXT, last_login INTEGER
    );
    INSERT INTO account (name, role, personal) VALUES ('owner', 'owner', 1);
    CREATE TABLE login_code (account INTEGER PRIMARY KEY, hash BLOB NOT NULL, expires INTEGER NOT NULL);
    CREATE TABLE session (
      id INTEGER PRIMARY KEY AUTOINCREMENT, hash BLOB NOT NULL UNIQUE, account INTEGER NOT NULL, created INTEGER NOT NULL,
      used INTEGER NOT NULL, expires INTEGER NOT NULL, address TEXT NOT NULL, browser TEXT NOT NULL
    );
    """
}

extension AuditEntry.Action {
  static let userInvited = Self("user invited")
  static let userChanged = Self("user changed")
  static let userRemoved = Self("user removed")
  static let passwordSet = Self("password set")
}

extension Catalog: AccessStore {
  /// The duration of a login link.
  package static let loginLinkLifetime = Duration.seconds(900)
  /// The duration of an invitation.
  package static let invitationLifetime = Duration.seconds(7 * 86_400)

  /// True once a person has logged in or a token exists.
  package func isInUse() throws -> Bool {
    try reading { database in
      try Bool.fetchOne(
        database,
        sql: """
          SELECT EXISTS (SELECT 1 FROM account WHERE last_login IS NOT NULL) OR EXISTS (SELECT 1 FROM token)
          """) ?? false
    }
  }

  /// Returns all accounts, oldest first.
  package func accounts() throws -> [Account] {
    try reading { try Row.fetchAll($0, sql: "SELECT * FROM account ORDER BY id").map { try Self.account($0) } }
  }

  /// Returns the account with a name, in any case.
  package func account(named name: String) throws -> Account? {
    try reading { try Self.row(named: name, $0).map(Self.account) }
  }

  /// The row of the account with a name, in any case. SQLite reads texts up to a NUL, and would find another account.
  static func row(named name: String, _ database: Database) throws -> Row? {
    guard !name.utf8.contains(0) else { return nil }
    return try Row.fetchOne(database, sql: "SELECT * FROM account WHERE name = ?", arguments: [name])
  }

  /// Creates an account without a password and returns it with a code for its first login.
  ///
  /// - Throws: ``WarehouseError`` with code `invalid` if the name is invalid or taken.
  package func invite(
    name: String, role: Account.Role, apps: Set<AppID>?, seesPersonalData: Bool
  ) throws -> (account: Account, code: String) {
    try check(name: name)
    for app in apps ?? [] { try checkExists(app) }
    let (code, expires) = (newSecret(), (now() + Self.invitationLifetime).millisecondsSince1970)
    return try writing { database in
      guard try Self.row(named: name, database) == nil else {
        throw WarehouseError(.invalid, "There is already a user \"\(name)\". Choose another name.")
      }
      try checkRoom(for: .users, database)
      try database.execute(
        sql: "INSERT INTO account (name, role, apps, personal) VALUES (?, ?, ?, ?)",
        arguments: [name, role.rawValue, role == .owner ? nil : Self.text(of: apps), seesPersonalData])
      let id = database.lastInsertedRowID
      try database.execute(
        sql: "INSERT INTO login_code VALUES (?, ?, ?)", arguments: [id, Secrets.digest(code), expires])
      let account = try Self.existing(id, database)
      try record(.userInvited, Self.description(account), database)
      return (account, code)
    }
  }

  /// Changes an account's rights, from its next request on.
  ///
  /// - Throws: ``WarehouseError`` with code `invalid` for an unknown app, or if no owner would be left.
  package func changeAccount(_ id: Int64, _ change: AccountChange) throws -> Account {
    for app in (change.apps ?? nil) ?? [] { try checkExists(app) }
    return try writing { database in
      var account = try Self.existing(id, database)
      if let role = change.role, role != .owner { try Self.checkOwnerRemains(without: account, database) }
      account.role = change.role ?? account.role
      account.apps = change.apps ?? account.apps
      account.seesPersonalData = change.seesPersonalData ?? account.seesPersonalData
      try database.execute(
        sql: "UPDATE account SET role = ?, apps = ?, personal = ? WHERE id = ?",
        arguments: [
          account.role.rawValue, account.role == .owner ? nil : Self.text(of: account.apps), account.seesPersonalData,
          id,
        ])
      account = try Self.existing(id, database)
      try record(.userChanged, Self.description(account), database)
      return account
    }
  }

  /// Removes an account and its sessions. Throws ``WarehouseError`` with code `invalid` for the last owner.
  package func removeAccount(_ id: Int64) throws {
    try writing { database in
      let account = try Self.existing(id, database)
      try Self.checkOwnerRemains(without: account, database)
      for table in ["login_code", "login_step", "recovery_code", "session", "identity"] {
        try database.execute(sql: "DELETE FROM \(table) WHERE account = ?", arguments: [id])
      }
      try database.execute(sql: "DELETE FROM account WHERE id = ?", arguments: [id])
      try record(.userRemoved, account.name, database)
    }
  }

  /// Sets an account's password, and ends its sessions except one. Takes a fraction of a second.
  ///
  /// - Throws: ``WarehouseError`` with code `invalid` for a password that is easy to guess.
  package func setPassword(_ password: String, of id: Int64, keeping session: Int64?) throws {
    let name = try reading { try Self.existing(id, $0).name }
    if let objection = PasswordRules.objection(to: password, of: name, refused: refusedPasswords) {
      throw WarehouseError(.invalid, objection)
    }
    let stored = try Secrets.stored(password, salt: randomBytes(16), cost: passwordCost)
    try writing { database in
      let account = try Self.existing(id, database)
      try database.execute(sql: "UPDATE account SET password = ? WHERE id = ?", arguments: [stored, id])
      try database.execute(
        sql: "DELETE FROM session WHERE account = ? AND id IS NOT ?", arguments: [id, session])
      try database.execute(sql: "DELETE FROM login_step WHERE account = ?", arguments: [id])
      try record(.passwordSet, account.name, database)
    }
  }

  /// Returns the account with a name and password, or `nil`. Takes a fraction of a second in any case.
  package func account(name: String, password: String) throws -> Account? {
    let row = try reading { try Self.row(named: name, $0) }
    guard try Secrets.matches(password, stored: row?["password"], cost: passwordCost), let row else { return nil }
    // It takes a while, in which the password, the second factor or the rights may have changed.
    guard let now = try reading({ try Self.row(named: name, $0) }), now["id"] as Int64 == row["id"],
      now["password"] as DatabaseValue == row["password"]
    else { return nil }
    return try Self.account(now)
  }

  /// Returns true for the only owner.
  static func isOnlyOwner(_ account: Account, _ database: Database) throws -> Bool {
    let others = try Int.fetchOne(
      database, sql: "SELECT count(*) FROM account WHERE role = 'owner' AND id <> ?", arguments: [account.id])
    return account.role == .owner && others == 0
  }

  private static func checkOwnerRemains(without account: Account, _ database: Database) throws {
    guard try !isOnlyOwner(account, database) else {
      throw WarehouseError(.invalid, "\"\(account.name)\" is the only owner. Make another user an owner first.")
    }
  }

  static func existing(_ id: Int64, _ database: Database) throws -> Account {
    guard let account = try account(where: "id = ?", [id], database) else {
      throw WarehouseError(.invalid, "There is no such user. Run `tern users list` to see all users.")
    }
    return account
  }

  static func account(where condition: String, _ arguments: StatementArguments, _ database: Database) throws -> Account?
  {
    try Row.fetchOne(database, sql: "SELECT * FROM account WHERE \(condition)", arguments: arguments)
      .map { try account($0) }
  }

  static func account(_ row: Row) throws -> Account {
    guard let role = Account.Role(rawValue: row["role"]) else {
      throw WarehouseError(.damaged, "A user's role is damaged. Restore catalog.sqlite.")
    }
    let (apps, password, login): (String?, String?, Int64?) = (row["apps"], row["password"], row["last_login"])
    let factor: Data? = row["factor"]
    return Account(
      id: row["id"], name: row["name"], role: role,
      apps: apps.map { Set($0.split(separator: ",").compactMap { Int64($0) }.map { AppID($0) }) },
      seesPersonalData: row["personal"], hasPassword: password != nil, hasSecondFactor: factor != nil,
      lastLogin: login.map { Timestamp(millisecondsSince1970: $0) })
  }

  static func text(of apps: Set<AppID>?) -> String? {
    apps.map { $0.sorted().map(\.description).joined(separator: ",") }
  }

  static func description(_ account: Account) -> String {
    let apps = text(of: account.apps).map { "apps \($0)" } ?? "all apps"
    let personal = account.role == .viewer && account.seesPersonalData ? ", personal data" : ""
    return "\(account.name): \(account.role.rawValue), \(apps)\(personal)"
  }
}
