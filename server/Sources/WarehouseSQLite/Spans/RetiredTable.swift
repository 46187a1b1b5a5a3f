import RowFiles
package import Warehouse

/// The table `retired_unit`: which rows are on the cluster only.
///
/// Such rows keep their spans. A segment is retired as a whole, and rewriting its rows brings all of them home.
package enum RetiredTable {
  /// The statements that create it.
  static let schema = """
    CREATE TABLE retired_unit (
      first_id INTEGER PRIMARY KEY, last_id INTEGER NOT NULL, segment INTEGER NOT NULL, received INTEGER NOT NULL,
      home INTEGER NOT NULL, epoch INTEGER NOT NULL, shard TEXT NOT NULL, number INTEGER NOT NULL,
      generation INTEGER NOT NULL, rows INTEGER NOT NULL, checksum INTEGER NOT NULL
    );
    CREATE INDEX retired_unit_segment ON retired_unit (segment);
    """

  /// True if there is such a table: a backup also reads directories that no server of this version has converted.
  private static func exists(_ connection: SQLConnection) throws -> Bool {
    try connection.prepare("SELECT 1 FROM sqlite_master WHERE name = 'retired_unit'").exists()
  }

  /// Returns the number of rows that only the cluster has.
  package static func rows(_ connection: SQLConnection) throws -> Int {
    guard try exists(connection) else { return 0 }
    return Int(try connection.integer("SELECT sum(rows) FROM retired_unit") ?? 0)
  }

  /// Returns the units of a segment, or of all segments, in the order of their rows.
  package static func units(of segment: Int64? = nil, _ connection: SQLConnection) throws -> [RetiredUnit] {
    guard try exists(connection) else { return [] }
    let load = try connection.prepare(
      """
      SELECT home, epoch, shard, number, generation, first_id, last_id, rows, checksum FROM retired_unit
      \(segment == nil ? "" : "WHERE segment = ?") ORDER BY first_id
      """)
    if let segment { load.bind(segment) }
    return try load.all { row in
      guard row.integer(5) <= row.integer(6) else { throw RowSegment.damage("warehouse.sqlite") }
      return RetiredUnit(
        home: UInt64(bitPattern: row.integer(0)), epoch: UInt64(bitPattern: row.integer(1)), shard: row.text(2),
        number: row.integer(3), generation: Int(row.integer(4)), ids: row.integer(5)...row.integer(6),
        rows: Int(row.integer(7)), checksum: UInt64(bitPattern: row.integer(8)))
    }
  }

  /// Returns the numbers of the segments that have left.
  package static func segments(_ connection: SQLConnection) throws -> Set<Int64> {
    guard try exists(connection) else { return [] }
    return Set(try connection.prepare("SELECT DISTINCT segment FROM retired_unit").all { $0.integer(0) })
  }

  /// Returns the latest time of receipt in a segment that has left; `nil` if it hasn't.
  static func latestReceived(of segment: Int64, _ connection: SQLConnection) throws -> Int64? {
    try connection.prepare("SELECT max(received) FROM retired_unit WHERE segment = ?").bind(segment)
      .first { $0.isNull(0) ? nil : $0.integer(0) } ?? nil
  }

  package static func insert(
    _ unit: RetiredUnit, segment: Int64, received: Int64, _ connection: SQLConnection
  ) throws {
    let insert = try connection.prepare("INSERT INTO retired_unit VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
    insert.bind(
      unit.ids.lowerBound, unit.ids.upperBound, segment, received, Int64(bitPattern: unit.home),
      Int64(bitPattern: unit.epoch))
    insert.bind(unit.shard, at: 7)
    insert.bind(unit.number, at: 8)
    insert.bind(Int64(unit.generation), at: 9)
    insert.bind(Int64(unit.rows), at: 10)
    insert.bind(Int64(bitPattern: unit.checksum), at: 11)
    try insert.run()
  }

  /// Notes a newer copy of a unit that has left.
  package static func renew(_ unit: RetiredUnit, _ connection: SQLConnection) throws {
    let update = try connection.prepare(
      """
      UPDATE retired_unit SET generation = ?, rows = ?, checksum = ? WHERE first_id = ? AND epoch = ? AND number = ?
      """)
    update.bind(
      Int64(unit.generation), Int64(unit.rows), Int64(bitPattern: unit.checksum), unit.ids.lowerBound,
      Int64(bitPattern: unit.epoch), unit.number)
    try update.run()
  }

  /// Forgets that the rows of a segment have left, because they are in another one.
  static func delete(segment: Int64, _ connection: SQLConnection) throws {
    try connection.prepare("DELETE FROM retired_unit WHERE segment = ?").bind(segment).run()
  }
}
