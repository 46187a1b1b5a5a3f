import GRDB
package import Warehouse

extension ShippingManifest {
  /// Returns the units with rows in a range of IDs that are in a segment at home.
  package func copies(of ids: ClosedRange<Int64>, segment: Int64) throws -> RowCopies {
    try queue.read { database in
      let rows = try Row.fetchAll(
        database, sql: "SELECT * FROM unit WHERE first_id <= ? AND last_id >= ? ORDER BY first_id",
        arguments: [ids.upperBound, ids.lowerBound])
      return try rows.reduce(into: RowCopies()) { copies, row in
        // A unit that was read from another segment may have lost rows since.
        if row["is_confirmed"], row["segment"] == segment {
          copies.units.append(try Self.unit(row).retired(from: home, shard: row["shard"]))
        } else {
          copies.hasOthers = true
        }
      }
    }
  }
}
