import GRDB

extension ShippingManifest {
  /// Makes the manifest of a home whose rows came from the cluster, so that nothing is sent again.
  ///
  /// - Parameter units: The units with their segments at home, the shards that have them, and whether older generations are left.
  package static func restore(
    path: String, home: Home, units: [(unit: ShippingUnit, shard: String, hasOlder: Bool)]
  ) throws {
    let manifest = try ShippingManifest(path: path, homeID: home.id) { home.epoch }
    try manifest.queue.write { database in
      var last: Int64 = 0
      for (unit, shard, hasOlder) in units.sorted(by: { $0.unit.ids.lowerBound < $1.unit.ids.lowerBound }) {
        // Rows that were deleted between two units belong to the second one, as at home.
        let whole = unit.covering(min(last + 1, unit.ids.lowerBound)...unit.ids.upperBound)
        try manifest.insert(whole, shard: shard, isConfirmed: true, isClean: !hasOlder, database)
        last = unit.ids.upperBound
      }
    }
    try manifest.close()
  }

  /// Takes over a unit of an earlier manifest whose rows have left home.
  ///
  /// Does nothing if another process has done it.
  func adopt(_ unit: ShippingUnit, shard: String, isClean: Bool) throws {
    try queue.write { database in
      let isKnown = try Row.fetchOne(
        database, sql: "SELECT 1 FROM unit WHERE epoch = ? AND number = ?",
        arguments: [Int64(bitPattern: unit.epoch), unit.number])
      guard isKnown == nil else { return }
      try insert(unit, shard: shard, isConfirmed: true, isClean: isClean, database)
    }
  }

  /// The units that were taken over from earlier manifests.
  func adoptedUnits() throws -> Set<ShippingUnit.ID> {
    try queue.read { database in
      try Row.fetchSet(
        database, sql: "SELECT epoch, number FROM unit WHERE epoch <> ?", arguments: [Int64(bitPattern: home.epoch)])
    }.reduce(into: []) { $0.insert(ShippingUnit.ID(epoch: UInt64(bitPattern: $1[0]), number: $1[1])) }
  }
}

extension ShippingUnit {
  /// The unit with another range of IDs that has the same rows.
  fileprivate func covering(_ ids: ClosedRange<Int64>) -> ShippingUnit {
    ShippingUnit(
      epoch: epoch, number: number, generation: generation, segment: segment, ids: ids, content: content,
      mayBeThere: mayBeThere)
  }
}
