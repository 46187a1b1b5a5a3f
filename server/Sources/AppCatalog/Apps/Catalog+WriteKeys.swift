import GRDB
package import Warehouse

extension CatalogSchema {
  /// The keys of other systems by which apps are known, too.
  static let writeKeys = """
    CREATE TABLE write_key (key TEXT PRIMARY KEY, app INTEGER NOT NULL, position INTEGER NOT NULL) WITHOUT ROWID;
    CREATE INDEX write_key_app ON write_key (app);
    """
}

/// Keys of other systems, such as the write key of Segment, the domain of Plausible, or the number of a site of Matomo, so that
/// nothing changes in a client but the host.
extension Catalog {
  /// Returns the app with a key of another system, or with its own.
  package func app(writeKey: String) throws -> App? {
    try appDirectory.find { $0.byWriteKey[writeKey] ?? $0.byKey[writeKey] }
  }

  static func writeKeys(_ database: Database) throws -> [AppID: [String]] {
    var keys: [AppID: [String]] = [:]
    for row in try Row.fetchAll(database, sql: "SELECT key, app FROM write_key ORDER BY app, position") {
      let (key, app) = (try row.decode(String.self, forColumn: "key"), try row.decode(Int64.self, forColumn: "app"))
      keys[AppID(app), default: []].append(key)
    }
    return keys
  }

  /// Replaces all keys of an app.
  static func setWriteKeys(of app: AppID, to keys: [String], _ database: Database) throws {
    try database.execute(sql: "DELETE FROM write_key WHERE app = ?", arguments: [app.rawValue])
    guard keys.count <= App.maximumWriteKeys else {
      throw WarehouseError(.invalid, "An app has at most \(App.maximumWriteKeys) write keys.")
    }
    if let twice = keys.first(where: { key in keys.count { $0 == key } > 1 }) {
      throw WarehouseError(.invalid, "The key \(twice) is given twice.")
    }
    for (position, key) in keys.enumerated() {
      let isPrintable = key.unicodeScalars.allSatisfy { $0.value > 0x20 && $0.value < 0x7F }
      guard (1...App.maximumWriteKeyBytes).contains(key.utf8.count), isPrintable else {
        throw WarehouseError(
          .invalid, "A write key has 1 to \(App.maximumWriteKeyBytes) characters of ASCII without spaces.")
      }
      let isTaken = try Bool.fetchOne(
        database,
        sql: """
          SELECT EXISTS (SELECT 1 FROM write_key WHERE key = ?1)
          OR EXISTS (SELECT 1 FROM app WHERE id <> ?2 AND (key = ?1 OR app_secret = ?1 OR tracking_id = ?1))
          """, arguments: [key, app.rawValue])
      guard isTaken == false else {
        throw WarehouseError(.invalid, "Another app already has the key \(key).")
      }
      try database.execute(
        sql: "INSERT INTO write_key (key, app, position) VALUES (?, ?, ?)", arguments: [key, app.rawValue, position])
    }
  }
}
