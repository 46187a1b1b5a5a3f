import GRDB
import TernEvents
package import Warehouse

extension CatalogSchema {
  /// Version 5. People as identity providers name them. An account belongs to one person of a provider. `provider` is the id
  /// of the provider with which a session began, or null.
  static let identities = """
    CREATE TABLE identity (
      issuer TEXT NOT NULL, subject TEXT NOT NULL, account INTEGER NOT NULL, PRIMARY KEY (issuer, subject),
      UNIQUE (account, issuer)
    ) WITHOUT ROWID;
    ALTER TABLE session ADD COLUMN provider TEXT;
    """
}

extension AuditEntry.Action {
  static let userCreated = Self("user created at sign-in")
  static let userLinked = Self("user linked to provider")
}

/// The accounts of people whom a provider or a proxy has logged in.
extension Catalog {
  /// The time after which another visit of a person whom a proxy has logged in counts as a login.
  static let visitInterval = Duration.seconds(86_400)

  /// Returns the account of a person whom an identity provider names, with the rights that the provider gives.
  ///
  /// The first time, that is the account whose name is the person's mail address, or a new one if that is allowed. The
  /// only owner keeps that role, so that the server can still be administered.
  ///
  /// - Parameters:
  ///   - rights: The rights; `nil` to leave those of the account.
  ///   - createsAccount: True if someone without an account gets one, with these rights.
  package func signIn(
    _ identity: ProvidedIdentity, rights: ProvidedRights?, createsAccount: Bool
  ) throws -> SignInOutcome {
    if createsAccount, let email = identity.verifiedEmail { try check(name: email) }
    try checkCharacters(identity.subject, of: "The identifier of a person at a provider")
    return try writing { database in
      let linked = try linkedAccount(identity, database)
      let outcome =
        try linked.map { SignInOutcome.account($0) }
        ?? firstSignIn(identity, creating: createsAccount ? rights : nil, database)
      guard case .account(let account) = outcome, let rights else { return outcome }
      return .account(try update(account, rights, database))
    }
  }

  /// Ends the sessions of someone who isn't let in any more; see ``AccessStore/endLoginSessions(of:provider:)``.
  package func endLoginSessions(of identity: ProvidedIdentity, provider: String) throws {
    try writing { database in
      guard let account = try linkedAccount(identity, database) else { return }
      try database.execute(
        sql: "DELETE FROM session WHERE account = ? AND provider = ?", arguments: [account.id, provider])
      let count = database.changesCount
      guard count > 0 else { return }
      try record(.sessionEnded, "\(account.name), \(count) of \(provider), which refused", actor: .server, database)
    }
  }

  /// - Parameter rights: The rights of a new account; `nil` if none may be made.
  private func firstSignIn(
    _ identity: ProvidedIdentity, creating rights: ProvidedRights?, _ database: Database
  ) throws -> SignInOutcome {
    guard let email = identity.verifiedEmail else { return .unverifiedEmail }
    var account = try Self.row(named: email, database).map(Self.account)
    if account == nil, let rights { account = try create(email, rights, database) }
    guard let found = account else { return .noAccount(email: email) }
    return try link(found, to: identity, database) ? .account(found) : .takenAccount(email: email)
  }

  private func linkedAccount(_ identity: ProvidedIdentity, _ database: Database) throws -> Account? {
    try Self.account(
      where: "id = (SELECT account FROM identity WHERE issuer = ? AND subject = ?)",
      [identity.issuer, identity.subject], database)
  }

  private func create(_ email: String, _ rights: ProvidedRights, _ database: Database) throws -> Account {
    try checkRoom(for: .users, code: .held, database)
    try database.execute(
      sql: "INSERT INTO account (name, role, apps, personal) VALUES (?, ?, ?, ?)",
      arguments: [email, rights.role.rawValue, storedApps(rights), rights.seesPersonalData])
    let account = try Self.existing(database.lastInsertedRowID, database)
    try record(.userCreated, Self.description(account), actor: .server, database)
    return account
  }

  /// Returns false if the account belongs to another person of the provider: mail addresses get new owners.
  private func link(_ account: Account, to identity: ProvidedIdentity, _ database: Database) throws -> Bool {
    let isTaken = try Bool.fetchOne(
      database, sql: "SELECT EXISTS (SELECT 1 FROM identity WHERE account = ? AND issuer = ?)",
      arguments: [account.id, identity.issuer])
    guard isTaken == false else { return false }
    try database.execute(
      sql: "INSERT INTO identity VALUES (?, ?, ?)", arguments: [identity.issuer, identity.subject, account.id])
    try record(.userLinked, "\(account.name): \(identity.issuer)", actor: .server, database)
    return true
  }

  private func update(_ account: Account, _ rights: ProvidedRights, _ database: Database) throws -> Account {
    let apps = rights.role == .owner ? nil : rights.apps
    guard account.role != rights.role || account.apps != apps || account.seesPersonalData != rights.seesPersonalData
    else { return account }
    if rights.role != .owner, try Self.isOnlyOwner(account, database) {
      try record(
        .userChanged, "\(account.name): stays owner, as the only one; the provider says \(rights.role.rawValue)",
        actor: .server, database)
      return account
    }
    try database.execute(
      sql: "UPDATE account SET role = ?, apps = ?, personal = ? WHERE id = ?",
      arguments: [rights.role.rawValue, storedApps(rights), rights.seesPersonalData, account.id])
    let changed = try Self.existing(account.id, database)
    try record(.userChanged, Self.description(changed), actor: .server, database)
    return changed
  }

  private func storedApps(_ rights: ProvidedRights) -> String? {
    rights.role == .owner ? nil : Self.text(of: rights.apps)
  }

  /// Records a visit of a person whom a proxy has logged in, as one login a day. Throws like any write, for example on a
  /// full disk.
  package func recordVisit(of account: Account, address: String) throws {
    let now = now()
    if let last = account.lastLogin, now.since(last) < Self.visitInterval { return }
    try writing { database in
      try database.execute(
        sql: "UPDATE account SET last_login = ? WHERE id = ?",
        arguments: [now.millisecondsSince1970, account.id])
      try record(
        .login, "\(account.name) by proxy", actor: AuditActor(name: account.name, address: address), database)
    }
  }
}
