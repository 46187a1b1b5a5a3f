import GRDB
import Warehouse

/// The record of each unit at home: `shipping.sqlite`, beside the files with the rows.
///
/// A unit is written here before anything of it is sent, and confirmed after the shard has it. So a server that was killed
/// knows which rows may be on the cluster, and the cluster never has rows of which the home knows nothing.
package final class ShippingLedger: Sendable {
  /// The identity of the server that ships, drawn when the ledger is made. It tells homes on one cluster apart.
  package struct Home: Sendable, Hashable {
    package let id: UInt64
    /// Row IDs of a restored older backup are used again, for other rows. Each restore begins another epoch.
    package let epoch: UInt64
  }

  /// The numbers of units and rows that a shard has confirmed, and of those that wait.
  package struct Progress: Sendable, Hashable {
    package var confirmedUnits = 0
    package var confirmedRows = 0
    package var waitingUnits = 0
    package var waitingRows = 0
  }

  private static let format = DatabaseFormat(
    applicationID: 0x5472_6E53,  // "TrnS"
    steps: [
      """
      CREATE TABLE home (id INTEGER NOT NULL, epoch INTEGER NOT NULL);
      CREATE TABLE unit (
        number INTEGER PRIMARY KEY AUTOINCREMENT, generation INTEGER NOT NULL, shard TEXT NOT NULL,
        segment INTEGER NOT NULL, first_id INTEGER NOT NULL, last_id INTEGER NOT NULL, rows INTEGER NOT NULL,
        checksum INTEGER NOT NULL, is_confirmed INTEGER NOT NULL
      );
      CREATE INDEX unit_waiting ON unit (shard, number) WHERE NOT is_confirmed;
      """
    ])

  package let home: Home
  private let queue: DatabaseQueue

  /// Opens a ledger, and makes one if there is none.
  ///
  /// - Throws: `WarehouseError` with code `invalid` if another program or a newer version has written the file.
  package init(path: String, random: @Sendable () -> UInt64 = { .random(in: 1...UInt64.max) }) throws {
    var configuration = Configuration()
    configuration.busyMode = .timeout(10)
    configuration.label = "shipping"
    queue = try DatabaseQueue(path: path, configuration: configuration)
    try queue.writeWithoutTransaction { database in
      try database.execute(sql: "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")
    }
    let drawn = Home(id: random(), epoch: random())
    home = try queue.write { database in
      let state = try Self.format.state(path) { try Int64.fetchOne(database, sql: $0) }
      if state != .current {
        try Self.format.prepare(
          path, integer: { try Int64.fetchOne(database, sql: $0) }, execute: { try database.execute(sql: $0) })
      }
      if let row = try Row.fetchOne(database, sql: "SELECT id, epoch FROM home") {
        return Home(id: UInt64(bitPattern: row[0]), epoch: UInt64(bitPattern: row[1]))
      }
      try database.execute(
        sql: "INSERT INTO home VALUES (?, ?)",
        arguments: [Int64(bitPattern: drawn.id), Int64(bitPattern: drawn.epoch)])
      return drawn
    }
  }

  package func close() throws { try queue.close() }

  /// The last row ID of all units; 0 if there are none.
  package func lastID() throws -> Int64 {
    try queue.read { try Int64.fetchOne($0, sql: "SELECT max(last_id) FROM unit") ?? 0 }
  }

  /// Adds a unit, which may be sent afterwards.
  ///
  /// - Parameter shards: The names of the shards, which get the units in turn. A name stays with its unit, however many
  ///   shards there are later.
  /// - Returns: The unit with its number, and the name of its shard.
  package func add(
    segment: Int64, ids: ClosedRange<Int64>, content: UnitContent, shards: [String]
  ) throws -> (unit: ShippingUnit, shard: String) {
    try queue.write { database in
      try database.execute(
        sql: """
          INSERT INTO unit (generation, shard, segment, first_id, last_id, rows, checksum, is_confirmed)
          VALUES (0, '', ?, ?, ?, ?, ?, 0)
          """,
        arguments: [
          segment, ids.lowerBound, ids.upperBound, content.rows, Int64(bitPattern: content.checksum),
        ])
      let number = database.lastInsertedRowID
      let shard = shards[Int(number % Int64(shards.count))]
      try database.execute(sql: "UPDATE unit SET shard = ? WHERE number = ?", arguments: [shard, number])
      return (ShippingUnit(number: number, segment: segment, ids: ids, content: content), shard)
    }
  }

  /// Notes a new generation of a unit.
  package func renew(_ unit: ShippingUnit) throws {
    try queue.write { database in
      try database.execute(
        sql: "UPDATE unit SET generation = ?, is_confirmed = 0 WHERE number = ?",
        arguments: [unit.generation, unit.number])
    }
  }

  /// Notes that the unit's shard has it.
  package func confirm(_ unit: ShippingUnit) throws {
    try queue.write { database in
      try database.execute(
        sql: "UPDATE unit SET is_confirmed = 1 WHERE number = ? AND generation = ?",
        arguments: [unit.number, unit.generation])
    }
  }

  /// The units that a shard may or may not have, in order.
  package func unconfirmed(shard: String) throws -> [ShippingUnit] {
    try queue.read { database in
      try Row.fetchAll(
        database, sql: "SELECT * FROM unit WHERE shard = ? AND NOT is_confirmed ORDER BY number", arguments: [shard]
      ).map(Self.unit)
    }
  }

  /// The units with rows in a range of IDs, in the order of their rows.
  package func units(in ids: ClosedRange<Int64>) throws -> [ShippingUnit] {
    try queue.read { database in
      try Row.fetchAll(
        database, sql: "SELECT * FROM unit WHERE last_id >= ? AND first_id <= ? ORDER BY first_id",
        arguments: [ids.lowerBound, ids.upperBound]
      ).map(Self.unit)
    }
  }

  /// The progress of each shard, by its name.
  package func progress() throws -> [String: Progress] {
    try queue.read { database in
      let rows = try Row.fetchAll(
        database, sql: "SELECT shard, is_confirmed, count(*), sum(rows) FROM unit GROUP BY shard, is_confirmed")
      return rows.reduce(into: [:]) { progress, row in
        let (shard, isConfirmed, units, count): (String, Bool, Int, Int) = (row[0], row[1], row[2], row[3])
        if isConfirmed {
          progress[shard, default: Progress()].confirmedUnits = units
          progress[shard, default: Progress()].confirmedRows = count
        } else {
          progress[shard, default: Progress()].waitingUnits = units
          progress[shard, default: Progress()].waitingRows = count
        }
      }
    }
  }

  private static func unit(_ row: Row) throws -> ShippingUnit {
    let (first, last): (Int64, Int64) = (row["first_id"], row["last_id"])
    guard first <= last else {
      throw WarehouseError(
        code: .damaged,
        message:
          "shipping.sqlite is damaged. Move it away: all rows are then sent to the cluster again, as another home.")
    }
    return ShippingUnit(
      number: row["number"], generation: row["generation"], segment: row["segment"], ids: first...last,
      content: UnitContent(rows: row["rows"], checksum: UInt64(bitPattern: row["checksum"])),
      mayBeThere: true)
  }
}
