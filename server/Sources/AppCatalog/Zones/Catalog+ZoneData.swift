import Foundation
import GRDB
import ServerBase
import TernEvents
import Warehouse

extension CatalogSchema {
  /// Version 7. The rules of time zones by which days are counted, as TZif files without the names of their kinds of time.
  /// Without a reference to them, the data of Swift's runtime apply, as in earlier versions.
  static let zoneData = """
    CREATE TABLE zone_data (
      id INTEGER PRIMARY KEY AUTOINCREMENT, zone TEXT NOT NULL, edition TEXT, place TEXT NOT NULL, file BLOB NOT NULL,
      UNIQUE (zone, edition, place, file)
    );
    ALTER TABLE app ADD COLUMN zone_data INTEGER;
    ALTER TABLE view_zone ADD COLUMN zone_data INTEGER;
    """
}

/// The zone data by which days are counted are part of the data directory: every process counts by the same, whatever the computer
/// has, until ``takeZoneData(rowTimes:lastSealed:)`` takes newer ones.
extension Catalog {
  /// The rules of a zone by the data of this computer, for a new app or view.
  func newZone(_ name: String) throws -> ZoneRules {
    guard let zone = zones.zone(name) else {
      throw WarehouseError(
        .invalid, "There is no time zone \"\(name)\". Use an IANA name such as Europe/Berlin, or UTC.")
    }
    return zone
  }

  /// Stores the rules of a zone, unless they are; `nil` for those that no edition of the data can change.
  static func store(_ zone: ZoneRules, _ database: Database) throws -> Int64? {
    guard zone.source != .always else { return nil }
    let file = Data(zone.table.file)
    let known = try Int64.fetchOne(
      database, sql: "SELECT id FROM zone_data WHERE zone = ? AND edition IS ? AND place = ? AND file = ?",
      arguments: [zone.identifier, zone.source.version, zone.source.place, file])
    if let known { return known }
    try database.execute(
      sql: "INSERT INTO zone_data (zone, edition, place, file) VALUES (?, ?, ?, ?)",
      arguments: [zone.identifier, zone.source.version, zone.source.place, file])
    return database.lastInsertedRowID
  }
}

/// Reads stored rules, those of each number once.
struct StoredZones {
  private var known: [Int64: ZoneRules] = [:]

  /// - Parameters:
  ///   - name: The zone's name.
  ///   - number: The number of its rules; `nil` for those of Swift's runtime, or of a zone that no edition can change.
  mutating func zone(_ name: String, _ number: Int64?, _ database: Database) throws -> ZoneRules {
    guard let number else {
      if let zone = ZoneDatabase.runtime.zone(name) { return zone }
      throw WarehouseError(
        .damaged, "The catalog names a time zone that does not exist: \(name). Restore it from a backup."
      )
    }
    if let zone = known[number] { return zone }
    let row = try Row.fetchOne(database, sql: "SELECT * FROM zone_data WHERE id = ?", arguments: [number])
    guard let row, let table = ZoneTable(file: Array(row["file"] as Data)) else {
      throw WarehouseError(
        .damaged, "The catalog's data of the time zone \(name) are damaged. Restore it from a backup.")
    }
    let zone = ZoneRules(
      identifier: name, table: table, source: ZoneSource(version: row["edition"], place: row["place"]))
    known[number] = zone
    return zone
  }
}
