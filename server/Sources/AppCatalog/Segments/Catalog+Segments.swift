import GRDB
import TernEvents
package import Warehouse

extension CatalogSchema {
  /// `filters` is a JSON array.
  static let segments = """
    CREATE TABLE segment (
      id INTEGER PRIMARY KEY AUTOINCREMENT, app INTEGER NOT NULL, name TEXT NOT NULL, filters TEXT NOT NULL,
      author TEXT NOT NULL, changed INTEGER NOT NULL
    );
    CREATE INDEX segment_by_app ON segment (app);
    """
}

extension AuditEntry.Action {
  static let segmentCreated = Self("segment created")
  static let segmentChanged = Self("segment changed")
  static let segmentRemoved = Self("segment deleted")
}

/// Saved segments.
extension Catalog {
  /// Returns an app's segments by name.
  package func segments(app: AppID) throws -> [SavedSegment] {
    try reading { database in
      try Row.fetchAll(
        database, sql: "SELECT * FROM segment WHERE app = ? ORDER BY name COLLATE NOCASE, id",
        arguments: [app.rawValue]
      ).map(Self.segment)
    }
  }

  /// Saves a segment.
  package func createSegment(app: AppID, name: String, filters: String) throws -> SavedSegment {
    try check(name: name)
    try checkExists(app)
    let (now, author) = (now(), AuditActor.current.name)
    return try writing { database in
      try Self.checkFree(name, "segment", app: app, except: nil, database)
      try checkRoom(for: .segments, of: app, database)
      try database.execute(
        sql: "INSERT INTO segment (app, name, filters, author, changed) VALUES (?, ?, ?, ?, ?)",
        arguments: [app.rawValue, name, filters, author, now.millisecondsSince1970])
      let segment = SavedSegment(
        id: database.lastInsertedRowID, app: app, name: name, filters: filters, author: author, changed: now)
      try record(.segmentCreated, "\(segment.id) \(name), app \(app)", database)
      return segment
    }
  }

  /// Changes a segment; returns `nil` if the app has none with this number.
  package func changeSegment(_ id: Int64, app: AppID, name: String, filters: String) throws -> SavedSegment? {
    try check(name: name)
    let (now, author) = (now(), AuditActor.current.name)
    return try writing { database in
      try Self.checkFree(name, "segment", app: app, except: id, database)
      try database.execute(
        sql: "UPDATE segment SET name = ?, filters = ?, author = ?, changed = ? WHERE id = ? AND app = ?",
        arguments: [name, filters, author, now.millisecondsSince1970, id, app.rawValue])
      guard database.changesCount > 0 else { return nil }
      try record(.segmentChanged, "\(id) \(name), app \(app)", database)
      return SavedSegment(id: id, app: app, name: name, filters: filters, author: author, changed: now)
    }
  }

  /// Removes a segment. Returns false if the app has none with this number.
  package func removeSegment(_ id: Int64, app: AppID) throws -> Bool {
    try writing { database in
      let name = try String.fetchOne(
        database, sql: "SELECT name FROM segment WHERE id = ? AND app = ?", arguments: [id, app.rawValue])
      guard let name else { return false }
      try database.execute(sql: "DELETE FROM segment WHERE id = ?", arguments: [id])
      try record(.segmentRemoved, "\(id) \(name), app \(app)", database)
      return true
    }
  }

  private static func segment(_ row: Row) -> SavedSegment {
    SavedSegment(
      id: row["id"], app: AppID(row["app"]), name: row["name"], filters: row["filters"], author: row["author"],
      changed: Timestamp(millisecondsSince1970: row["changed"]))
  }
}
