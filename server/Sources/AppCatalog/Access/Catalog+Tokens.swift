import Foundation
import GRDB
import TernEvents
public import Warehouse

/// Tokens of programs and shared links.
extension Catalog {
  /// Returns all tokens, oldest first.
  public func tokens() throws -> [AccessToken] {
    try reading { try Row.fetchAll($0, sql: "SELECT * FROM token ORDER BY id").map(Self.token) }
  }

  /// Creates a token and returns it with its secret.
  public func createToken(
    name: String, scopes: Set<AccessToken.Scope>, app: AppID? = nil, lasting duration: Duration? = nil
  ) throws -> (token: AccessToken, secret: String) {
    try check(name: name)
    guard !scopes.isEmpty else { throw WarehouseError(code: .invalid, message: "A token needs at least one scope.") }
    if scopes.contains(.write), app == nil {
      throw WarehouseError(code: .invalid, message: "A token that sends events needs an app.")
    }
    if scopes.contains(.administer), app != nil {
      throw WarehouseError(
        code: .invalid, message: "A token that administers the server can't be limited to an app. Use manage for one.")
    }
    try checkExists(app)
    let (secret, now) = ("ternt_" + newSecret(), now())
    let token: AccessToken = try writing { database in
      let expires = duration.map { now + $0 }
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
  public func revokeToken(_ id: Int64) throws -> Bool {
    try writing { database in
      let row = try Row.fetchOne(database, sql: "SELECT * FROM token WHERE id = ?", arguments: [id])
      guard let row else { return false }
      try database.execute(sql: "DELETE FROM token WHERE id = ?", arguments: [id])
      try record(.tokenRevoked, "\(id) \(Self.token(row).name)", database)
      return true
    }
  }

  /// Returns the token with a secret, or `nil` if it has ended or was revoked.
  public func token(_ secret: String) throws -> AccessToken? {
    // Other texts, such as keys of unknown apps, don't cost a query.
    guard secret.hasPrefix("ternt_") else { return nil }
    let (hash, now) = (Secrets.digest(secret), now().millisecondsSince1970)
    let row = try reading { database in
      try Row.fetchOne(
        database, sql: "SELECT * FROM token WHERE hash = ? AND (expires IS NULL OR expires > ?)",
        arguments: [hash, now])
    }
    guard let token = row.map(Self.token) else { return nil }
    touch("token", token.id, used: token.used)
    return token
  }

  /// Returns the shared links of an app, or of all apps, oldest first.
  public func links(app: AppID? = nil) throws -> [SharedLink] {
    try reading { database in
      try Row.fetchAll(
        database, sql: "SELECT * FROM link WHERE ?1 IS NULL OR app = ?1 ORDER BY id", arguments: [app?.rawValue]
      ).map(Self.link)
    }
  }

  /// Creates a shared link and returns it with its secret.
  public func createLink(
    app: AppID, report: String, query: String, name: String = "", sites: [String], lasting duration: Duration? = nil
  ) throws -> (link: SharedLink, secret: String) {
    try checkExists(app)
    for site in sites where !Self.isSite(site) {
      throw WarehouseError(
        code: .invalid, message: "\"\(site)\" is not a site. Enter one such as https://wiki.example.com.")
    }
    let (secret, now) = (newSecret(), now())
    let link: SharedLink = try writing { database in
      let expires = duration.map { now + $0 }
      try database.execute(
        sql: "INSERT INTO link (hash, app, report, query, sites, created, expires) VALUES (?, ?, ?, ?, ?, ?, ?)",
        arguments: [
          Secrets.digest(secret), app.rawValue, report, query, sites.joined(separator: " "), now.millisecondsSince1970,
          expires?.millisecondsSince1970,
        ])
      let id = database.lastInsertedRowID
      // Not the query: the audit log is kept when a person whom filters may name is deleted.
      try record(.shared, "\(id): app \(app), \(name.isEmpty ? report : name)", database)
      return SharedLink(
        id: id, app: app, report: report, query: query, sites: sites, created: now, expires: expires)
    }
    return (link, secret)
  }

  /// Revokes a shared link of an app. Returns false if there is none.
  public func revokeLink(_ id: Int64, app: AppID? = nil, name: String = "") throws -> Bool {
    try writing { database in
      try database.execute(
        sql: "DELETE FROM link WHERE id = ?1 AND (?2 IS NULL OR app = ?2)", arguments: [id, app?.rawValue])
      guard database.changesCount > 0 else { return false }
      try record(.shareRevoked, name.isEmpty ? "\(id)" : "\(id): \(name)", database)
      return true
    }
  }

  /// Returns the shared link with a secret, or `nil` if it has ended or was revoked.
  public func link(_ secret: String) throws -> SharedLink? {
    let (hash, now) = (Secrets.digest(secret), now().millisecondsSince1970)
    return try reading { database in
      try Row.fetchOne(
        database, sql: "SELECT * FROM link WHERE hash = ? AND (expires IS NULL OR expires > ?)",
        arguments: [hash, now]
      ).map(Self.link)
    }
  }

  /// Returns true for a scheme, host and port: anything else could add a directive to the response's header.
  private static func isSite(_ text: String) -> Bool {
    text.wholeMatch(of: /https?:\/\/[A-Za-z0-9.-]+(:[0-9]{1,5})?/) != nil
  }

  private func checkExists(_ app: AppID?) throws {
    guard let app, try self.app(app) == nil else { return }
    throw WarehouseError(
      code: .unknownApp, message: "There is no app \(app). Run `tern apps list` to see all apps.")
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

  private static func link(_ row: Row) -> SharedLink {
    let (sites, expires): (String, Int64?) = (row["sites"], row["expires"])
    return SharedLink(
      id: row["id"], app: AppID(row["app"]), report: row["report"], query: row["query"],
      sites: sites.split(separator: " ").map(String.init), created: Timestamp(millisecondsSince1970: row["created"]),
      expires: expires.map { Timestamp(millisecondsSince1970: $0) })
  }
}
