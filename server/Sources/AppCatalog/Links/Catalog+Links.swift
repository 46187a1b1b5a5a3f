import Foundation
import GRDB
import TernEvents
package import Warehouse

extension CatalogSchema {
  /// `hash` is the SHA-256 of the secret.
  static let links = """
    CREATE TABLE link (
      id INTEGER PRIMARY KEY AUTOINCREMENT, hash BLOB NOT NULL UNIQUE, app INTEGER NOT NULL, report TEXT NOT NULL,
      query TEXT NOT NULL, sites TEXT NOT NULL, created INTEGER NOT NULL, expires INTEGER
    );
    """
}

extension AuditEntry.Action {
  static let shared = Self("page shared")
  static let shareRevoked = Self("shared link revoked")
}

/// Shared links.
extension Catalog {
  /// Returns the shared links of an app, or of all apps, oldest first.
  package func links(app: AppID? = nil) throws -> [SharedLink] {
    try reading { database in
      try Row.fetchAll(
        database, sql: "SELECT * FROM link WHERE ?1 IS NULL OR app = ?1 ORDER BY id", arguments: [app?.rawValue]
      ).map(Self.link)
    }
  }

  /// Creates a shared link and returns it with its secret.
  package func createLink(
    app: AppID, report: String, query: String, name: String = "", sites: [String], lasting duration: Duration? = nil
  ) throws -> (link: SharedLink, secret: String) {
    try checkExists(app)
    for site in sites where !Self.isSite(site) {
      throw WarehouseError(.invalid, "\"\(site)\" is not a site. Enter one such as https://wiki.example.com.")
    }
    let (secret, now) = (newSecret(), now())
    let link: SharedLink = try writing { database in
      let expires = duration.map { now + $0 }
      try database.execute(sql: "DELETE FROM link WHERE expires <= ?", arguments: [now.millisecondsSince1970])
      try checkRoom(for: .links, of: app, database)
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
  package func revokeLink(_ id: Int64, app: AppID? = nil, name: String = "") throws -> Bool {
    try writing { database in
      try database.execute(
        sql: "DELETE FROM link WHERE id = ?1 AND (?2 IS NULL OR app = ?2)", arguments: [id, app?.rawValue])
      guard database.changesCount > 0 else { return false }
      try record(.shareRevoked, name.isEmpty ? "\(id)" : "\(id): \(name)", database)
      return true
    }
  }

  /// Returns the shared link with a secret, or `nil` if it has ended or was revoked.
  package func link(_ secret: String) throws -> SharedLink? {
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

  private static func link(_ row: Row) -> SharedLink {
    let (sites, expires): (String, Int64?) = (row["sites"], row["expires"])
    return SharedLink(
      id: row["id"], app: AppID(row["app"]), report: row["report"], query: row["query"],
      sites: sites.split(separator: " ").map(String.init), created: Timestamp(millisecondsSince1970: row["created"]),
      expires: expires.map { Timestamp(millisecondsSince1970: $0) })
  }
}
