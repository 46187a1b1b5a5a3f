import GRDB

extension ShippingLedger {
  /// Makes the ledger of a home whose rows came from the cluster, so that nothing is sent anew.
  ///
  /// - Parameter units: The units with their segments at home, the shards that have them, and whether older generations are left.
  package static func restore(
    path: String, home: Home, units: [(unit: ShippingUnit, shard: String, hasOlder: Bool)]
  ) throws {
    let ledger = try ShippingLedger(path: path, homeID: home.id) { home.epoch }
    try ledger.queue.write { database in
      for (unit, shard, hasOlder) in units {
        try database.execute(
          sql: "INSERT INTO unit VALUES (?, ?, ?, ?, ?, ?, ?, ?, 1, ?)",
          arguments: [
            unit.number, unit.generation, shard, unit.segment, unit.ids.lowerBound, unit.ids.upperBound,
            unit.content.rows, Int64(bitPattern: unit.content.checksum), !hasOlder,
          ])
      }
    }
    try ledger.close()
  }
}
