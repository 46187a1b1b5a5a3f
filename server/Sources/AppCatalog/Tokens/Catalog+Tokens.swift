import Foundation
import GRDB
import TernEvents
package import Warehouse

extension CatalogSchema {
  /// `hash` is the SHA-256 of the secret.
  static let tokens = """
    CREATE TABLE token (
      id INTEGER PRIMARY KEY AUTOINCREMENT, hash BLOB NOT NULL UNIQUE, name TEXT NOT NULL, scopes TEXT NOT NULL,
      app INTEGER, created INTEGER NOT NULL, used INTEGER, expires INTEGER
    );
    """
}

extension AuditEntry.Action {
  static let tokenCreated = Self("token created")
  static let tokenRevoked = Self("token revoked")
}

/// Tokens of programs.
extension Catalog {
  /// Returns all tokens, oldest first.
  package func tokens() throws -> [AccessToken] {
    try reading { try Row.fetchAll($0, sql: "SELECT * FROM token ORDER BY id").map(Self.token) }
  }

  /// Creates a token and returns it with its secret.
  package func createToken(
    name: String, scopes: Set<AccessToken.Scope>, app: AppID? = nil, lasting duration: Duration? = nil
  ) throws -> (token: AccessToken, secret: String) {
    try check(name: name)
    guard !scopes.isEmpty else { throw WarehouseError(.invalid, "A token needs at least one scope.") }
    if scopes.contains(.write), app == nil { throw WarehouseError(.invalid, "A token that sends events needs an app.") }
    if scopes.contains(.administer), app != nil {
      throw WarehouseError(
        .invalid, "A token that administers the server can't be limited to an app. Use manage for one.")
    }
    try checkExists(app)
    let (secret, now) = ("ternt_" + newSecret(), now())
    let token: AccessToken = try writing { database in
      let expires = duration.map { now + $0 }
      try database.execute(sql: "DELETE FROM token WHERE expires <= ?", arguments: [now.millisecondsSince1970])
      try checkRoom(for: .tokens, database)
      try database.execute(
        sql: "INSERT INTO token (hash, name, scopes, app, created, expires) VALUES (?, ?, ?, ?, ?, ?)",
        arguments: [
          Secrets.digest(secret), name, Self.text(of: scopes), app?.rawValue, now.millisecondsSince1970,
          expires?.millisecondsSince1970,
        ])
      let token = AccessToken(
        id: database.lastInsertedRowID, name: name, scopes: scopes, app: app, created: now, expires: expires)
      let place = app.map { "app \($0)" } ?? "all apps"
      try record(.tokenCreated, "\(token.id) \(name): \(Self.text(of: scopes)), \(place)", database)
      return token
    }
    return (token, secret)
  }

  /// Revokes a token. Returns false if there is none.
  package func revokeToken(_ id: Int64) throws -> Bool {
    try writing { database in
      let row = try Row.fetchOne(database, sql: "SELECT * FROM token WHERE id = ?", arguments: [id])
      guard let row else { return false }
      try database.execute(sql: "DELETE FROM token WHERE id = ?", arguments: [id])
      try record(.tokenRevoked, "\(id) \(Self.token(row).name)", database)
      return true
    }
  }

  /// Returns the token with a secret, or `nil` if it has ended or was revoked.
  package func token(_ secret: String) throws -> AccessToken? {
    // Other texts, such as keys of unknown apps, don't cost a query.
    guard secret.hasPrefix("ternt_") else { return nil }
    let (hash, now) = (Secrets.digest(secret), now().millisecondsSince1970)
    let row = try reading { database in
      try Row.fetchOne(
        database.cachedStatement(sql: "SELECT * FROM token WHERE hash = ? AND (expires IS NULL OR expires > ?)"),
        arguments: [hash, now])
    }
    guard let token = row.map(Self.token) else { return nil }
    touch("token", token.id, used: token.used)
    return token
  }

  private static func text(of scopes: Set<AccessToken.Scope>) -> String {
    AccessToken.Scope.allCases.filter(scopes.contains).map(\.rawValue).joined(separator: ",")
  }

  private static func token(_ row: Row) -> AccessToken {
    let scopes: String = row["scopes"]
    let (app, used, expires): (Int64?, Int64?, Int64?) = (row["app"], row["used"], row["expires"])
    return AccessToken(
      id: row["id"], name: row["name"],
      scopes: Set(scopes.split(separator: ",").compactMap { AccessToken.Scope(rawValue: String($0)) }),
      app: app.map { AppID($0) }, created: Timestamp(millisecondsSince1970: row["created"]),
      used: used.map { Timestamp(millisecondsSince1970: $0) },
      expires: expires.map { Timestamp(millisecondsSince1970: $0) })
  }
}
