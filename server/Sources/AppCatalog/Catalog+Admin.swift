import Crypto
import Foundation
import GRDB
import TernEvents
import Warehouse

/// The admin token, login codes and portal sessions, stored only as hashes.
extension Catalog {
  private static let tokenSetting = "admin_token_sha256"
  private static let codeSetting = "login_code"
  private static let firstLoginSetting = "first_login"

  /// True once the administrator has logged in with a code or has created a token.
  public func hasAdministrator() throws -> Bool {
    try setting(Self.firstLoginSetting) != nil || setting(Self.tokenSetting) != nil
  }

  /// Creates a code for one login, which replaces any earlier code, and returns it in plain text.
  public func createLoginCode(lasting duration: Duration = .seconds(900)) throws -> String {
    let code = newToken()
    let expires = (now() + duration).millisecondsSince1970
    try setSetting(Self.codeSetting, to: "\(hexadecimal(digest(code))) \(expires)")
    return code
  }

  /// Uses up a login code. Returns false if the code is wrong, has expired or was used before.
  public func redeemLoginCode(_ code: String) throws -> Bool {
    // A wrong code usually costs only a read. The write below decides between concurrent logins with the same code.
    guard matches(code, stored: try setting(Self.codeSetting)) else { return false }
    return try writing { database in
      let stored = try String.fetchOne(
        database, sql: "SELECT value FROM setting WHERE name = ?", arguments: [Self.codeSetting])
      guard matches(code, stored: stored) else { return false }
      try database.execute(sql: "DELETE FROM setting WHERE name = ?", arguments: [Self.codeSetting])
      try database.execute(sql: "INSERT OR REPLACE INTO setting VALUES (?, '1')", arguments: [Self.firstLoginSetting])
      return true
    }
  }

  private func matches(_ code: String, stored: String?) -> Bool {
    let parts = stored?.split(separator: " ") ?? []
    guard parts.count == 2, let expires = Int64(parts[1]), now().millisecondsSince1970 < expires else { return false }
    return isEqual(Array(parts[0].utf8), Array(hexadecimal(digest(code)).utf8))
  }

  /// Replaces the admin token, ends all sessions, deletes the login code, and returns the new token in plain text.
  public func resetAdminToken() throws -> String {
    let token = newToken()
    try writing { database in
      try database.execute(
        sql: "INSERT OR REPLACE INTO setting VALUES (?, ?)", arguments: [Self.tokenSetting, hexadecimal(digest(token))])
      try database.execute(sql: "DELETE FROM setting WHERE name = ?", arguments: [Self.codeSetting])
      try database.execute(sql: "DELETE FROM session")
    }
    return token
  }

  /// Returns true if `token` is the admin token. Takes constant time, so that timing reveals nothing about it.
  public func verifyAdminToken(_ token: String) throws -> Bool {
    guard let stored = try setting(Self.tokenSetting) else { return false }
    return isEqual(Array(stored.utf8), Array(hexadecimal(digest(token)).utf8))
  }

  /// Starts a portal session and returns its token, for a cookie.
  public func createSession(lasting duration: Duration) throws -> String {
    let token = newToken()
    let now = now()
    try writing { database in
      try database.execute(
        sql: "DELETE FROM session WHERE expires <= ?", arguments: [now.millisecondsSince1970])
      try database.execute(
        sql: "INSERT OR REPLACE INTO session VALUES (?, ?)",
        arguments: [Data(digest(token)), (now + duration).millisecondsSince1970])
    }
    return token
  }

  /// Returns true if the session exists and hasn't expired.
  public func isSessionValid(_ token: String) throws -> Bool {
    // The look-up is by hash, so its timing reveals nothing about valid tokens.
    let expires = try reading { database in
      try Int64.fetchOne(database, sql: "SELECT expires FROM session WHERE hash = ?", arguments: [Data(digest(token))])
    }
    return expires.map { $0 > now().millisecondsSince1970 } ?? false
  }

  /// Ends a session. Has no effect if there is no such session.
  public func deleteSession(_ token: String) throws {
    try writing { try $0.execute(sql: "DELETE FROM session WHERE hash = ?", arguments: [Data(digest(token))]) }
  }

  private func newToken() -> String { urlSafeBase64(randomBytes(24)) }

  private func digest(_ token: String) -> [UInt8] { Array(SHA256.hash(data: Data(token.utf8))) }

  private func isEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    guard left.count == right.count else { return false }
    return zip(left, right).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
  }
}
