import Foundation
import GRDB
import TernBase
import TernEvents
package import Warehouse

extension CatalogSchema {
  /// Version 12. The time when the person of a session last gave the password; null since the login.
  static let confirmations = "ALTER TABLE session ADD COLUMN confirmed INTEGER;"
}

extension AuditEntry.Action {
  static let login = Self("login", isChange: false)
  static let logout = Self("logout", isChange: false)
  static let linkCreated = Self("login link created")
  static let sessionEnded = Self("session ended")
}

/// One-time codes and sessions.
extension Catalog {
  /// The time after a login or a confirmation in which a session may change who has access.
  static let confirmedFor = Duration.seconds(900)
  /// The precision of the recorded last use: a request rarely costs a write.
  static let usePrecision = Duration.seconds(300)

  /// Creates a code for one login of an account, by default the first owner, and returns it in plain text.
  package func createLoginCode(
    of account: Int64? = nil, lasting duration: Duration = Catalog.loginLinkLifetime
  ) throws -> String {
    let (code, expires) = (newSecret(), (now() + duration).millisecondsSince1970)
    return try writing { database in
      let account =
        try account.map { try Self.existing($0, database) }
        ?? Self.account(where: "role = 'owner' ORDER BY id LIMIT 1", [], database)
      guard let account else { throw WarehouseError(.damaged, "There is no owner.") }
      try database.execute(
        sql: "INSERT OR REPLACE INTO login_code VALUES (?, ?, ?)",
        arguments: [account.id, Secrets.digest(code), expires])
      try record(.linkCreated, account.name, database)
      return code
    }
  }

  /// Returns the account of a valid code without using it up.
  package func account(loginCode code: String) throws -> Account? { try reading { try account(loginCode: code, $0) } }

  /// Uses up a code and returns its account, or `nil` if the code is wrong, has expired or was used before.
  package func redeemLoginCode(_ code: String) throws -> Account? {
    // A wrong code costs only a read. The write decides between concurrent logins with the same code.
    guard try account(loginCode: code) != nil else { return nil }
    return try writing { database in
      guard let account = try account(loginCode: code, database) else { return nil }
      try database.execute(sql: "DELETE FROM login_code WHERE account = ?", arguments: [account.id])
      return account
    }
  }

  private func account(loginCode code: String, _ database: Database) throws -> Account? {
    try Self.account(
      where: "id = (SELECT account FROM login_code WHERE hash = ? AND expires > ?)",
      [Secrets.digest(code), now().millisecondsSince1970], database)
  }

  /// Starts a session of an account and returns its secret, for a cookie. Too many end the oldest.
  ///
  /// - Parameter provider: The id of the provider with which the person signed in, if any.
  package func createLoginSession(
    of account: Int64, lasting duration: Duration, address: String, browser: String, provider: String? = nil
  ) throws -> String {
    let (secret, now) = (newSecret(), now())
    try writing { database in
      let account = try Self.existing(account, database)
      let time = now.millisecondsSince1970
      try database.execute(sql: "DELETE FROM session WHERE expires <= ?", arguments: [time])
      try database.execute(
        sql: """
          INSERT INTO session (hash, account, created, used, expires, address, browser, provider)
          VALUES (?, ?, ?, ?, ?, ?, ?, ?)
          """,
        arguments: [
          Secrets.digest(secret), account.id, time, time, (now + duration).millisecondsSince1970, address,
          browser.prefix(utf8Bytes: 200), provider,
        ])
      try database.execute(
        sql: """
          DELETE FROM session WHERE account = ?1
            AND id NOT IN (SELECT id FROM session WHERE account = ?1 ORDER BY id DESC LIMIT ?2)
          """, arguments: [account.id, maximum(.sessions)])
      try database.execute(sql: "UPDATE account SET last_login = ? WHERE id = ?", arguments: [time, account.id])
      let way = provider.map { " with \($0)" } ?? ""
      try record(.login, account.name + way, actor: AuditActor(name: account.name, address: address), database)
    }
    return secret
  }

  /// Returns the session with a secret, or `nil` if it has ended or expired.
  package func loginSession(_ secret: String) throws -> LoginSession? {
    let (hash, now) = (Secrets.digest(secret), now().millisecondsSince1970)
    let session = try reading { database in
      try sessions(where: "session.hash = ? AND expires > ?", [hash, now], database).first
    }
    guard let session else { return nil }
    touch("session", session.id, used: session.used)
    return session
  }

  /// Returns all sessions, latest first.
  package func loginSessions() throws -> [LoginSession] {
    let now = now().millisecondsSince1970
    return try reading { try sessions(where: "expires > ? ORDER BY session.id DESC", [now], $0) }
  }

  /// Remembers that the person of a session has just given the password.
  package func confirmLoginSession(_ id: Int64) throws {
    try writing { database in
      try database.execute(
        sql: "UPDATE session SET confirmed = ? WHERE id = ?", arguments: [now().millisecondsSince1970, id])
    }
  }

  package func endLoginSession(_ id: Int64) throws {
    try writing { database in
      guard let session = try sessions(where: "session.id = ?", [id], database).first else { return }
      try database.execute(sql: "DELETE FROM session WHERE id = ?", arguments: [id])
      let isOwn = session.account.name == AuditActor.current.name
      try record(isOwn ? .logout : .sessionEnded, session.account.name, database)
    }
  }

  /// Ends all sessions of an account, and returns their number.
  @discardableResult
  package func endLoginSessions(of account: Int64) throws -> Int {
    try writing { database in
      let account = try Self.existing(account, database)
      try database.execute(sql: "DELETE FROM session WHERE account = ?", arguments: [account.id])
      let count = database.changesCount
      try record(.sessionEnded, "\(account.name), \(count) sessions", database)
      return count
    }
  }

  /// Records the use of a session or token. A failure, for example on a full disk, does not matter.
  func touch(_ table: String, _ id: Int64, used: Timestamp?) {
    let now = now()
    if let used, now.since(used) < Self.usePrecision { return }
    try? writing { database in
      try database.execute(
        sql: "UPDATE \(table) SET used = ? WHERE id = ?", arguments: [now.millisecondsSince1970, id])
    }
  }

  private func sessions(
    where condition: String, _ arguments: StatementArguments, _ database: Database
  ) throws -> [LoginSession] {
    let now = now()
    return try Row.fetchAll(
      database.cachedStatement(
        sql: """
          SELECT account.*, session.id AS session, created, used, address, browser, provider,
            coalesce(confirmed, created) AS confirmed
          FROM session JOIN account ON account.id = session.account WHERE \(condition)
          """), arguments: arguments
    ).map { row in
      let age = now.since(Timestamp(millisecondsSince1970: row["confirmed"]))
      // Times in the future are those of a clock that was set back since.
      let isRecent = (.zero - Self.confirmedFor...Self.confirmedFor).contains(age)
      return LoginSession(
        id: row["session"], account: try Self.account(row), created: Timestamp(millisecondsSince1970: row["created"]),
        used: Timestamp(millisecondsSince1970: row["used"]), address: row["address"], browser: row["browser"],
        provider: row["provider"], isConfirmed: isRecent)
    }
  }
}
