import GRDB
import TernEvents
package import Warehouse

extension CatalogSchema {
  /// `day` is a number of days since 1970.
  static let annotations = """
    CREATE TABLE annotation (
      id INTEGER PRIMARY KEY AUTOINCREMENT, app INTEGER NOT NULL, day INTEGER NOT NULL, text TEXT NOT NULL,
      author TEXT NOT NULL, created INTEGER NOT NULL
    );
    CREATE INDEX annotation_app ON annotation (app, day);
    """
}

extension AuditEntry.Action {
  static let annotationCreated = Self("note created")
  static let annotationRemoved = Self("note deleted")
}

/// Annotations.
extension Catalog {
  /// Returns an app's annotations, ordered by day, then number.
  package func annotations(app: AppID) throws -> [Annotation] {
    try reading { database in
      try Row.fetchAll(
        database, sql: "SELECT * FROM annotation WHERE app = ? ORDER BY day, id", arguments: [app.rawValue]
      ).map { row in
        Annotation(
          id: row["id"], app: app, day: Day(number: row["day"]), text: row["text"], author: row["author"],
          created: Timestamp(millisecondsSince1970: row["created"]))
      }
    }
  }

  package func createAnnotation(app: AppID, day: Day, text: String) throws -> Annotation {
    try check(name: text)
    try checkExists(app)
    let (now, author) = (now(), AuditActor.current.name)
    return try writing { database in
      try checkRoom(for: .notes, of: app, database)
      try database.execute(
        sql: "INSERT INTO annotation (app, day, text, author, created) VALUES (?, ?, ?, ?, ?)",
        arguments: [app.rawValue, day.number, text, author, now.millisecondsSince1970])
      let id = database.lastInsertedRowID
      try record(.annotationCreated, "\(id): app \(app), \(day)", database)
      return Annotation(id: id, app: app, day: day, text: text, author: author, created: now)
    }
  }

  /// Removes an annotation. Returns false if the app has none with this number.
  package func removeAnnotation(_ id: Int64, app: AppID) throws -> Bool {
    try writing { database in
      try database.execute(
        sql: "DELETE FROM annotation WHERE id = ? AND app = ?", arguments: [id, app.rawValue])
      guard database.changesCount > 0 else { return false }
      try record(.annotationRemoved, "\(id), app \(app)", database)
      return true
    }
  }
}
