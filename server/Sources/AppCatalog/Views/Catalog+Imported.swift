import GRDB
package import Warehouse

extension CatalogSchema {
  /// Version 6. Figures of a view's days that another service counted, as it wrote them. `day` is a number of days since
  /// 1970.
  static let imported = """
    CREATE TABLE imported (
      view INTEGER NOT NULL, metric TEXT NOT NULL, day INTEGER NOT NULL, value TEXT NOT NULL,
      PRIMARY KEY (view, metric, day)
    ) WITHOUT ROWID;
    """
}

extension AuditEntry.Action {
  package static let imported = Self("data imported")
  static let importRemoved = Self("imported days deleted")
}

/// Imported figures of views. They are in the catalog, because nothing that is counted derives from them.
extension Catalog {
  /// The most figures of a view: forty metrics of twenty years.
  static let maximumImported = 300_000

  /// Adds figures that another service counted to a view, replacing those that it has of the same day and metric.
  ///
  /// - Parameter source: The file that they come from, for the audit log.
  /// - Returns: The number of figures that are new, and of those that replaced a different one.
  /// - Throws: ``WarehouseError`` with code `invalid` if there is no such view, or it would have too many figures.
  package func importFigures(
    _ figures: [ImportedFigure], to view: ViewID, source: String
  ) throws -> (new: Int, changed: Int) {
    _ = try existing(view)
    guard figures.count <= Self.maximumImported else { throw Self.tooMany }
    return try writing { database in
      let before = try Self.importedCount(view, database)
      var written = 0
      let insert = try database.cachedStatement(
        sql: """
          INSERT INTO imported (view, metric, day, value) VALUES (?, ?, ?, ?)
          ON CONFLICT DO UPDATE SET value = excluded.value WHERE value <> excluded.value
          """)
      for figure in figures {
        try insert.execute(arguments: [view.rawValue, figure.metric, figure.day.number, figure.text])
        written += database.changesCount
      }
      let after = try Self.importedCount(view, database)
      guard after <= Self.maximumImported else { throw Self.tooMany }
      try record(.imported, "view \(view), \(source)", database)
      return (after - before, written - (after - before))
    }
  }

  /// Returns the imported figures of a view's days, ordered by day and metric.
  package func importedFigures(view: ViewID, days: ClosedRange<Day>) throws -> [ImportedFigure] {
    try reading { database in
      try Row.fetchAll(
        database,
        sql: "SELECT day, metric, value FROM imported WHERE view = ? AND day BETWEEN ? AND ? ORDER BY day, metric",
        arguments: [view.rawValue, days.lowerBound.number, days.upperBound.number]
      ).map { ImportedFigure(day: Day(number: $0["day"]), metric: $0["metric"], text: $0["value"]) }
    }
  }

  /// Returns the metrics for which a view has imported figures, by name.
  package func importedMetrics(view: ViewID) throws -> [ImportedMetric] {
    try reading { database in
      try Row.fetchAll(
        database,
        sql: """
          SELECT metric, min(day) AS first, max(day) AS last, count(*) AS n FROM imported WHERE view = ?
          GROUP BY metric ORDER BY metric
          """,
        arguments: [view.rawValue]
      ).map { row in
        ImportedMetric(name: row["metric"], days: Day(number: row["first"])...Day(number: row["last"]), count: row["n"])
      }
    }
  }

  /// Deletes the imported figures of a view, or of one of its metrics, and returns how many there were.
  package func deleteImported(view: ViewID, metric: String? = nil) throws -> Int {
    try writing { database in
      try database.execute(
        sql: "DELETE FROM imported WHERE view = ?1 AND (?2 IS NULL OR metric = ?2)",
        arguments: [view.rawValue, metric])
      let count = database.changesCount
      if count > 0 {
        try record(.importRemoved, "view \(view)\(metric.map { ", \($0)" } ?? ""), \(count) figures", database)
      }
      return count
    }
  }

  private static let tooMany = WarehouseError(
    .invalid, "A view can have at most \(maximumImported) imported figures. Delete metrics that aren't needed.")

  private static func importedCount(_ view: ViewID, _ database: Database) throws -> Int {
    try Int.fetchOne(
      database, sql: "SELECT count(*) FROM imported WHERE view = ?", arguments: [view.rawValue]) ?? 0
  }
}
