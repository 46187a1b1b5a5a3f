import ClickHouse

/// The tables of a cluster, and the views for people.
///
/// They use what ClickHouse has had since 18.16: no codecs, no `LowCardinality`, no lightweight deletes. The tables are Tern's
/// and may change with its versions; people ask the views.
package struct ClusterSchema: Sendable {
  /// The columns of a row. `row` has everything that home knows of it, for making a home again; the others are for people
  /// and for finding rows.
  static let columns: [(name: String, type: ColumnType)] = [
    // Which copy of which row.
    ("home", .one(.uint64)), ("epoch", .one(.uint64)), ("unit", .one(.uint64)), ("generation", .one(.uint32)),
    ("segment", .one(.uint64)), ("id", .one(.uint64)), ("month", .one(.date)), ("hash", .one(.uint64)),
    // For people.
    ("app", .one(.uint32)), ("day", .one(.date)), ("time", .one(.dateTime)), ("milliseconds", .one(.int64)),
    ("received", .one(.dateTime)), ("kind", .one(.string)), ("name", .one(.string)), ("version", .one(.string)),
    ("os", .one(.string)), ("model", .one(.string)), ("country", .one(.string)), ("language", .one(.string)),
    ("install", .one(.string)), ("user", .one(.string)), ("session", .one(.string)),
    ("property_names", .array(.string)), ("property_values", .array(.string)),
    // For a home.
    ("row", .one(.string)),
  ]

  package static let rowTable = "tern_row"
  package static let eventView = "tern_events"

  private let isReplicated: Bool

  /// - Parameter isReplicated: True if the servers have the macros `shard` and `replica`.
  package init(isReplicated: Bool) { self.isReplicated = isReplicated }

  /// The statements that make the tables and views on one server, in order. Existing tables stay as they are.
  package var statements: [String] {
    let columns = Self.columns.map { "\($0.name) \($0.type)" }.joined(separator: ", ")
    // The rows of a unit are in one partition, so that an insert is one part, and whole or not there at all.
    return [
      """
      CREATE TABLE IF NOT EXISTS \(Self.rowTable) (\(columns)) \
      ENGINE = \(engine) PARTITION BY month ORDER BY (app, home, id)
      """,
      """
      CREATE VIEW IF NOT EXISTS \(Self.eventView) AS \
      SELECT app, day, time, kind, name, version, os, model, country, language, install, user, session, \
      property_names, property_values, received FROM \(Self.rowTable)
      """,
    ]
  }

  private var engine: String {
    isReplicated ? "ReplicatedMergeTree('/clickhouse/tables/{shard}/\(Self.rowTable)', '{replica}')" : "MergeTree"
  }

  /// The query for what a shard has of a unit: the number of its rows and the sum of their hashes, which wraps.
  package static func content(of unit: ShippingUnit, of home: ShippingLedger.Home) -> String {
    "SELECT count() AS rows, sum(hash) AS checksum FROM \(rowTable) WHERE \(rows(of: unit, of: home)) AND generation = \(unit.generation)"
  }

  /// The statement that deletes what is left of a unit's older generations.
  package static func clearing(_ unit: ShippingUnit, of home: ShippingLedger.Home) -> String {
    "ALTER TABLE \(rowTable) DELETE WHERE \(rows(of: unit, of: home)) AND generation < \(unit.generation)"
  }

  private static func rows(of unit: ShippingUnit, of home: ShippingLedger.Home) -> String {
    "home = \(home.id) AND epoch = \(home.epoch) AND id BETWEEN \(unit.ids.lowerBound) AND \(unit.ids.upperBound) AND unit = \(unit.number)"
  }
}
