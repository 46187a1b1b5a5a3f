import Crypto
import Foundation
import GRDB
import TernEvents
import Warehouse

/// The admin token and portal sessions, stored only as hashes.
extension Catalog {
  private static let tokenSetting = "admin_token_sha256"

  /// Creates the admin token if there is none yet.
  ///
  /// - Returns: The new token in plain text, for the login link; `nil` if a token already exists, which can't be
  ///   recovered.
  public func ensureAdminToken() throws -> String? {
    guard try setting(Self.tokenSetting) == nil else { return nil }
    let token = newToken()
    return try writing { database in
      try database.execute(
        sql: "INSERT OR IGNORE INTO setting VALUES (?, ?)", arguments: [Self.tokenSetting, hexadecimal(digest(token))])
      // If two servers start for the first time at once, only the one whose hash was stored may show its token.
      return database.changesCount == 1 ? token : nil
    }
  }

  /// Replaces the admin token, ends all sessions, and returns the new token in plain text.
  public func resetAdminToken() throws -> String {
    let token = newToken()
    try writing { database in
      try database.execute(
        sql: "INSERT OR REPLACE INTO setting VALUES (?, ?)", arguments: [Self.tokenSetting, hexadecimal(digest(token))])
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
