import Cryptography
import Foundation
import GRDB
import ServerBase
import TernEvents
package import Warehouse

extension CatalogSchema {
  /// Version 11. `factor` is the key of a second factor, or null. The key itself, since codes are computed from it; recovery codes
  /// are SHA-256 of 80 random bits. `login_step` has logins that wait for a code.
  static let secondFactors = """
    ALTER TABLE account ADD COLUMN factor BLOB;
    ALTER TABLE account ADD COLUMN factor_step INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE account ADD COLUMN wrong_codes INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE account ADD COLUMN last_wrong_code INTEGER NOT NULL DEFAULT 0;
    CREATE TABLE recovery_code (account INTEGER NOT NULL, hash BLOB NOT NULL, PRIMARY KEY (account, hash)) WITHOUT ROWID;
    CREATE TABLE login_step (
      id INTEGER PRIMARY KEY AUTOINCREMENT, hash BLOB NOT NULL UNIQUE, account INTEGER NOT NULL, expires INTEGER NOT NULL
    );
    """
}

extension AuditEntry.Action {
  static let secondFactorOn = Self("second factor turned on")
  static let secondFactorOff = Self("second factor turned off")
  static let secondFactorReset = Self("second factor reset")
  static let recoveryCodesMade = Self("recovery codes made")
  static let recoveryCodeUsed = Self("recovery code used")
}

/// Second factors, and logins that wait for a code.
extension Catalog {
  static let recoveryCodes = 10
  /// The number of logins of an account that may wait for a code.
  static let maximumLoginSteps = 10

  /// Returns a new key for an authenticator app, in Base32. It counts once it is given to ``turnOnSecondFactor(key:code:of:keeping:)``.
  package func newSecondFactorKey() -> String { Base32.encode(randomBytes(OneTimePassword.keyBytes)) }

  /// Turns a second factor on if the code is right, and returns recovery codes; `nil` for a wrong code. Ends all other sessions and
  /// login links, since their holders may not have the code.
  ///
  /// - Parameter session: The session that goes on; `nil` to end all.
  /// - Throws: ``WarehouseError`` with code `invalid` for a key that is none, without a password, or if there is a second factor already.
  package func turnOnSecondFactor(
    key: String, code: String, of id: Int64, keeping session: Int64?
  ) throws -> [String]? {
    guard let bytes = Base32.decode(key), bytes.count == OneTimePassword.keyBytes else {
      throw WarehouseError(.invalid, "This page is out of date. Open it again to set up a second factor.")
    }
    var factor = SecondFactor(key: bytes)
    guard factor.use(code, recoveryCodes: [], now: now()) == .right else { return nil }
    return try writing { database in
      let account = try Self.existing(id, database)
      guard account.hasPassword else {
        throw WarehouseError(.invalid, "Choose a password first: the second factor is asked for after it.")
      }
      guard !account.hasSecondFactor else {
        throw WarehouseError(.invalid, "There is a second factor already. Turn it off before you set up another one.")
      }
      try database.execute(sql: "UPDATE account SET factor = ? WHERE id = ?", arguments: [Data(bytes), id])
      try store(factor, of: id, database)
      try database.execute(sql: "DELETE FROM session WHERE account = ? AND id IS NOT ?", arguments: [id, session])
      try database.execute(sql: "DELETE FROM login_code WHERE account = ?", arguments: [id])
      try record(.secondFactorOn, account.name, database)
      return try replaceRecoveryCodes(of: id, database)
    }
  }

  /// Makes new recovery codes, in place of those that are left, and returns them.
  ///
  /// - Throws: ``WarehouseError`` with code `invalid` without a second factor.
  package func newRecoveryCodes(of id: Int64) throws -> [String] {
    try writing { database in
      let account = try existingWithFactor(id, database)
      try record(.recoveryCodesMade, account.name, database)
      return try replaceRecoveryCodes(of: id, database)
    }
  }

  /// Removes a second factor, so that the password suffices.
  ///
  /// - Parameter isReset: True if someone else does that for a person who has lost it, false if the person turns it off.
  /// - Throws: ``WarehouseError`` with code `invalid` without a second factor.
  package func removeSecondFactor(of id: Int64, isReset: Bool) throws {
    try writing { database in
      let account = try existingWithFactor(id, database)
      try database.execute(
        sql: "UPDATE account SET factor = NULL, factor_step = 0, wrong_codes = 0, last_wrong_code = 0 WHERE id = ?",
        arguments: [id])
      try database.execute(sql: "DELETE FROM recovery_code WHERE account = ?", arguments: [id])
      try record(isReset ? .secondFactorReset : .secondFactorOff, account.name, database)
    }
  }

  /// Uses up a code of an account's second factor, or a recovery code.
  package func useCode(_ code: String, of id: Int64) throws -> CodeOutcome {
    try writing { try useCode(code, of: existingWithFactor(id, $0), $0) }
  }

  /// Remembers that a person has given the password or opened a login link, and returns the secret with which the code must come.
  package func beginLoginStep(of id: Int64, lasting duration: Duration) throws -> String {
    let (secret, now) = (newSecret(), now())
    try writing { database in
      try database.execute(
        sql: "DELETE FROM login_step WHERE expires <= ?", arguments: [now.millisecondsSince1970])
      try database.execute(
        sql: "INSERT INTO login_step (hash, account, expires) VALUES (?, ?, ?)",
        arguments: [
          Secrets.digest(secret), try Self.existing(id, database).id,
          (now + duration).millisecondsSince1970,
        ])
      try database.execute(
        sql: """
          DELETE FROM login_step WHERE account = ?1
            AND id NOT IN (SELECT id FROM login_step WHERE account = ?1 ORDER BY id DESC LIMIT ?2)
          """, arguments: [id, Self.maximumLoginSteps])
    }
    return secret
  }

  /// Returns the account of a login that waits for a code; `nil` if there is none, or not any more.
  package func account(loginStep secret: String) throws -> Account? {
    try reading { try account(loginStep: secret, $0) }
  }

  /// Uses up a code, and the login that waits for it if the code is right. Returns `nil` if no login waits any more.
  package func finishLoginStep(_ secret: String, code: String) throws -> CodeOutcome? {
    try writing { database in
      guard let account = try account(loginStep: secret, database) else { return nil }
      // The second factor may have been turned off in the meantime; then the password has to be given again.
      guard account.hasSecondFactor else { return nil }
      let outcome = try useCode(code, of: account, database)
      if outcome == .right {
        try database.execute(sql: "DELETE FROM login_step WHERE hash = ?", arguments: [Secrets.digest(secret)])
      }
      return outcome
    }
  }

  private func account(loginStep secret: String, _ database: Database) throws -> Account? {
    try Self.account(
      where: "id = (SELECT account FROM login_step WHERE hash = ? AND expires > ?)",
      [Secrets.digest(secret), now().millisecondsSince1970], database)
  }

  private func existingWithFactor(_ id: Int64, _ database: Database) throws -> Account {
    let account = try Self.existing(id, database)
    guard account.hasSecondFactor else {
      throw WarehouseError(.invalid, "\"\(account.name)\" has no second factor.")
    }
    return account
  }

  private func useCode(_ code: String, of account: Account, _ database: Database) throws -> CodeOutcome {
    guard let row = try Row.fetchOne(database, sql: "SELECT * FROM account WHERE id = ?", arguments: [account.id]),
      let key: Data = row["factor"]
    else { return .wrong }
    var factor = SecondFactor(
      key: Array(key), lastStep: row["factor_step"], wrong: row["wrong_codes"],
      lastWrong: Timestamp(millisecondsSince1970: row["last_wrong_code"]))
    let hashes = try Data.fetchSet(
      database, sql: "SELECT hash FROM recovery_code WHERE account = ?", arguments: [account.id])
    let outcome = factor.use(code, recoveryCodes: hashes, now: now())
    // Nothing to write: a request that costs a sync could be repeated at will.
    if outcome == .closed { return .closed }
    try store(factor, of: account.id, database)
    switch outcome {
    case .right: return .right
    case .wrong: return .wrong
    case .closed: return .closed
    case .recoveryCode(let hash):
      try database.execute(
        sql: "DELETE FROM recovery_code WHERE account = ? AND hash = ?", arguments: [account.id, hash])
      try record(.recoveryCodeUsed, "\(account.name), \(hashes.count - 1) left", database)
      return .right
    }
  }

  private func store(_ factor: SecondFactor, of id: Int64, _ database: Database) throws {
    try database.execute(
      sql: "UPDATE account SET factor_step = ?, wrong_codes = ?, last_wrong_code = ? WHERE id = ?",
      arguments: [factor.lastStep, factor.wrong, factor.lastWrong.millisecondsSince1970, id])
  }

  private func replaceRecoveryCodes(of id: Int64, _ database: Database) throws -> [String] {
    try database.execute(sql: "DELETE FROM recovery_code WHERE account = ?", arguments: [id])
    return try (0..<Self.recoveryCodes).map { _ in
      let code = Array(Base32.encode(randomBytes(10)))
      try database.execute(
        sql: "INSERT INTO recovery_code VALUES (?, ?)", arguments: [id, Secrets.digest(String(code))])
      return stride(from: 0, to: code.count, by: 4).map { String(code[$0..<$0 + 4]) }.joined(separator: "-")
    }
  }
}
