import ClickHouse
import DataFiles
import GRDB
package import TernEvents
import Warehouse

/// The record of each unit at home: `shipping.sqlite`, beside the files with the rows.
///
/// A unit is written here before anything of it is sent, and confirmed after the shard has it. So a server that was killed
/// knows which rows may be on the cluster, and the cluster never has rows that the home doesn't know about.
package final class ShippingManifest: Sendable {
  /// The server that ships.
  package struct Home: Sendable, Hashable {
    /// A number that tells homes on one cluster apart. A restored backup has the same one.
    package let id: UInt64
    /// The number of this manifest, drawn when it was made. Backups don't have the manifest, and a restored older backup uses
    /// row IDs again for other rows: those go to the cluster in another epoch. Rows that had left home before stay in theirs.
    package let epoch: UInt64

    package init(id: UInt64, epoch: UInt64) { (self.id, self.epoch) = (id, epoch) }
  }

  /// The numbers of rows that a shard has confirmed, and of those that wait.
  package struct Progress: Sendable, Hashable {
    package var confirmedRows = 0
    package var waitingRows = 0
    /// The units for which it may still have rows that were deleted or replaced at home.
    package var olderUnits = 0
    /// The time since which it may have them.
    package var olderSince: Timestamp?
  }

  private static let format = DatabaseFormat(
    applicationID: 0x5472_6E53,  // "TrnS"
    steps: [
      """
      CREATE TABLE home (id INTEGER NOT NULL, epoch INTEGER NOT NULL);
      CREATE TABLE unit (
        number INTEGER PRIMARY KEY AUTOINCREMENT, generation INTEGER NOT NULL, shard TEXT NOT NULL,
        segment INTEGER NOT NULL, first_id INTEGER NOT NULL, last_id INTEGER NOT NULL, rows INTEGER NOT NULL,
        checksum INTEGER NOT NULL, is_confirmed INTEGER NOT NULL, is_clean INTEGER NOT NULL
      );
      CREATE INDEX unit_waiting ON unit (shard, number) WHERE NOT is_confirmed;
      CREATE INDEX unit_unclean ON unit (shard, number) WHERE NOT is_clean;
      CREATE INDEX unit_rows ON unit (first_id, segment);
      CREATE INDEX unit_progress ON unit (shard, is_confirmed, rows);
      CREATE TABLE server (url TEXT PRIMARY KEY, shard TEXT, replica TEXT) WITHOUT ROWID;
      """,
      // Units of earlier manifests, too.
      """
      CREATE TABLE epoch_unit (
        epoch INTEGER NOT NULL, number INTEGER NOT NULL, generation INTEGER NOT NULL, shard TEXT NOT NULL,
        segment INTEGER NOT NULL, first_id INTEGER NOT NULL, last_id INTEGER NOT NULL, rows INTEGER NOT NULL,
        checksum INTEGER NOT NULL, is_confirmed INTEGER NOT NULL, is_clean INTEGER NOT NULL, PRIMARY KEY (epoch, number)
      );
      INSERT INTO epoch_unit SELECT home.epoch, unit.* FROM unit, home;
      DROP TABLE unit;
      ALTER TABLE epoch_unit RENAME TO unit;
      CREATE INDEX unit_waiting ON unit (shard, number) WHERE NOT is_confirmed;
      CREATE INDEX unit_unclean ON unit (shard, number) WHERE NOT is_clean;
      CREATE INDEX unit_rows ON unit (first_id, segment);
      CREATE INDEX unit_progress ON unit (shard, is_confirmed, rows);
      """,
      // The time since which rows of older generations may be left; 0 if none are.
      """
      ALTER TABLE unit ADD COLUMN unclean_since INTEGER NOT NULL DEFAULT 0;
      UPDATE unit SET unclean_since = unixepoch() * 1000 WHERE NOT is_clean;
      """,
    ])

  package let home: Home
  let queue: DatabaseQueue
  let wallTime: @Sendable () -> Timestamp

  /// Opens a manifest, and makes one if there is none.
  ///
  /// - Parameter homeID: The number of the home.
  /// - Throws: `WarehouseError` with code `invalid` if another program or a newer version has written the file, or for another
  ///   home.
  package init(
    path: String, homeID: UInt64, random: @Sendable () -> UInt64 = { .random(in: 1...UInt64.max) },
    wallTime: @escaping @Sendable () -> Timestamp = WallClock.system
  ) throws {
    self.wallTime = wallTime
    var configuration = Configuration()
    configuration.busyMode = .timeout(10)
    configuration.label = "shipping"
    do {
      queue = try DatabaseQueue(path: path, configuration: configuration)
    } catch {
      throw WarehouseError(
        .damaged,
        """
        \(path) can't be opened. If it is damaged, move it away, run `tern clickhouse setup --discard-older` and start again: all \
        rows are then sent again.
        """, cause: error)
    }
    try queue.writeWithoutTransaction { database in
      try database.execute(sql: DatabaseFormat.writeAheadLog)
      try database.execute(sql: "PRAGMA synchronous = FULL")
    }
    let drawn = Home(id: homeID, epoch: random())
    home = try queue.write { database in
      let state = try Self.format.state(path) { try Int64.fetchOne(database, sql: $0) }
      if state != .current {
        try Self.format.prepare(
          path, integer: { try Int64.fetchOne(database, sql: $0) }, execute: { try database.execute(sql: $0) })
      }
      if let row = try Row.fetchOne(database, sql: "SELECT id, epoch FROM home") {
        let home = Home(id: UInt64(bitPattern: row[0]), epoch: UInt64(bitPattern: row[1]))
        guard home.id == homeID else {
          throw WarehouseError(
            .invalid, "\(path) belongs to another data directory. Move it away: all rows are then sent again.")
        }
        return home
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
    try queue.read { try Int64.fetchOne($0, sql: "SELECT last_id FROM unit ORDER BY first_id DESC LIMIT 1") ?? 0 }
  }

  /// Adds a unit, which may be sent afterwards.
  ///
  /// - Parameter shard: The name of the shard that gets it. It stays there, however many shards there are later.
  package func add(
    segment: Int64, ids: ClosedRange<Int64>, content: UnitContent, shard: String
  ) throws -> ShippingUnit {
    try queue.write { database in
      let unit = ShippingUnit(
        epoch: home.epoch, number: try lastNumber(database) + 1, segment: segment, ids: ids, content: content)
      try insert(unit, shard: shard, isConfirmed: false, isClean: true, database)
      return unit
    }
  }

  func insert(
    _ unit: ShippingUnit, shard: String, isConfirmed: Bool, isClean: Bool, _ database: Database
  ) throws {
    try database.execute(
      sql: "INSERT INTO unit VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
      arguments: [
        Int64(bitPattern: unit.epoch), unit.number, unit.generation, shard, unit.segment, unit.ids.lowerBound,
        unit.ids.upperBound, unit.content.rows, Int64(bitPattern: unit.content.checksum), isConfirmed, isClean,
        isClean ? 0 : wallTime().millisecondsSince1970,
      ])
  }

  /// Notes the next generation of a unit, with its content.
  ///
  /// - Returns: False if there is such a generation already, because the rows have changed at home at the same time.
  @discardableResult
  package func renew(_ unit: ShippingUnit) throws -> Bool {
    try queue.write { database in
      try database.execute(
        sql: """
          UPDATE unit SET generation = ?1, segment = ?2, rows = ?3, checksum = ?4, is_confirmed = 0, is_clean = 0,
            unclean_since = CASE WHEN is_clean THEN ?7 ELSE unclean_since END
          WHERE epoch = ?5 AND number = ?6 AND generation = ?1 - 1
          """,
        arguments: [
          unit.generation, unit.segment, unit.content.rows, Int64(bitPattern: unit.content.checksum),
          Int64(bitPattern: unit.epoch), unit.number, wallTime().millisecondsSince1970,
        ])
      return database.changesCount > 0
    }
  }

  /// Notes that a unit's rows have moved to another segment, unchanged, unless the unit has changed since it was read.
  package func move(_ unit: ShippingUnit, to segment: Int64) throws {
    try queue.write { database in
      try database.execute(
        sql: "UPDATE unit SET segment = ? WHERE epoch = ? AND number = ? AND generation = ? AND segment = ?",
        arguments: [segment, Int64(bitPattern: unit.epoch), unit.number, unit.generation, unit.segment])
    }
  }

  /// Notes that a replica has rows of a unit that are older than its generation.
  package func markUnclean(_ id: ShippingUnit.ID, olderThan generation: Int) throws {
    try queue.write { database in
      try database.execute(
        sql: """
          UPDATE unit SET is_clean = 0, unclean_since = CASE WHEN is_clean THEN ?4 ELSE unclean_since END
          WHERE epoch = ?1 AND number = ?2 AND generation > ?3
          """,
        arguments: [Int64(bitPattern: id.epoch), id.number, generation, wallTime().millisecondsSince1970])
    }
  }

  /// Notes that no replica has rows of older generations of some units.
  package func markClean(_ units: [ShippingUnit]) throws {
    try queue.write { database in
      for unit in units {
        try database.execute(
          sql: "UPDATE unit SET is_clean = 1, unclean_since = 0 WHERE epoch = ? AND number = ? AND generation = ?",
          arguments: [Int64(bitPattern: unit.epoch), unit.number, unit.generation])
      }
    }
  }

  /// Notes that the unit's shard has it.
  package func confirm(_ unit: ShippingUnit) throws {
    try queue.write { database in
      try database.execute(
        sql: "UPDATE unit SET is_confirmed = 1 WHERE epoch = ? AND number = ? AND generation = ?",
        arguments: [Int64(bitPattern: unit.epoch), unit.number, unit.generation])
    }
  }

  /// The units that a shard may or may not have, in order.
  package func unconfirmed(shard: String, limit: Int = .max) throws -> [ShippingUnit] {
    try units("shard = ? AND NOT is_confirmed ORDER BY number LIMIT ?", [shard, limit])
  }

  /// The units that a shard has and may still have in older generations, too, in order. Until a unit is confirmed, the
  /// older rows may be the only whole copy.
  package func unclean(shard: String, limit: Int) throws -> [ShippingUnit] {
    try units("shard = ? AND NOT is_clean AND is_confirmed ORDER BY number LIMIT ?", [shard, limit])
  }

  /// The number of units up to one of this epoch, and of other epochs, that are not confirmed, or may have rows of
  /// older generations left.
  package func unsettled(through number: Int64) throws -> Int {
    try queue.read { database in
      try Int.fetchOne(
        database,
        sql: "SELECT count(*) FROM unit WHERE (number <= ? OR epoch <> ?) AND NOT (is_confirmed AND is_clean)",
        arguments: [number, Int64(bitPattern: home.epoch)]) ?? 0
    }
  }

  /// All units, in the order of their rows.
  package func units() throws -> [ShippingUnit] { try units("1 ORDER BY first_id", []) }

  /// The units that begin in a range of IDs, but were read from another segment, in the order of their rows.
  package func units(in ids: ClosedRange<Int64>, outside segment: Int64) throws -> [ShippingUnit] {
    try units(
      "first_id BETWEEN ? AND ? AND segment <> ? ORDER BY first_id", [ids.lowerBound, ids.upperBound, segment])
  }

  /// The units of a segment that begin in a range of IDs and that their shards have, without older copies, in the order of their
  /// rows.
  package func settledUnits(
    in ids: ClosedRange<Int64>, segment: Int64
  ) throws -> [(shard: String, unit: ShippingUnit)] {
    try queue.read { database in
      try Row.fetchAll(
        database,
        sql: """
          SELECT * FROM unit WHERE first_id BETWEEN ? AND ? AND segment = ? AND is_confirmed AND is_clean ORDER BY first_id
          """, arguments: [ids.lowerBound, ids.upperBound, segment]
      ).map { (shard: $0["shard"], unit: try Self.unit($0)) }
    }
  }

  /// The number of the newest unit of this epoch; 0 if there is none.
  package func lastNumber() throws -> Int64 { try queue.read(lastNumber) }

  private func lastNumber(_ database: Database) throws -> Int64 {
    try Int64.fetchOne(
      database, sql: "SELECT max(number) FROM unit WHERE epoch = ?", arguments: [Int64(bitPattern: home.epoch)]) ?? 0
  }

  /// The IDs of all rows after one that are in units, in order. No unit may begin up to that row and end after it.
  package func ranges(after id: Int64) throws -> [ClosedRange<Int64>] {
    try units("first_id > ? ORDER BY first_id", [id]).map(\.ids)
  }

  /// The units of a shard, in the order of their rows.
  package func units(shard: String) throws -> [ShippingUnit] {
    try units("shard = ? ORDER BY first_id", [shard])
  }

  /// A unit as it is now; `nil` if there is none.
  package func unit(_ id: ShippingUnit.ID, shard: String? = nil) throws -> ShippingUnit? {
    try units(
      "epoch = ? AND number = ? AND shard = coalesce(?, shard)", [Int64(bitPattern: id.epoch), id.number, shard]
    ).first
  }

  /// A unit that its shard has, without older copies; `nil` if there is none.
  package func settledUnit(_ id: ShippingUnit.ID) throws -> ShippingUnit? {
    try units(
      "epoch = ? AND number = ? AND is_confirmed AND is_clean", [Int64(bitPattern: id.epoch), id.number]
    ).first
  }

  /// Has all units compared with home by the next check.
  package func forgetSegments() throws {
    try queue.write { try $0.execute(sql: "UPDATE unit SET segment = 0") }
  }

  private func units(_ condition: String, _ arguments: StatementArguments) throws -> [ShippingUnit] {
    try queue.read { database in
      try Row.fetchAll(database, sql: "SELECT * FROM unit WHERE " + condition, arguments: arguments).map(Self.unit)
    }
  }

  static func unit(_ row: Row) throws -> ShippingUnit {
    let (first, last): (Int64, Int64) = (row["first_id"], row["last_id"])
    guard first <= last else {
      throw WarehouseError(
        .damaged,
        "shipping.sqlite is damaged. Move it away, run `tern clickhouse setup --discard-older` and restart: all rows are then sent again."
      )
    }
    return ShippingUnit(
      epoch: UInt64(bitPattern: row["epoch"]), number: row["number"], generation: row["generation"],
      segment: row["segment"], ids: first...last,
      content: UnitContent(rows: row["rows"], checksum: UInt64(bitPattern: row["checksum"])),
      mayBeThere: true)
  }
}
