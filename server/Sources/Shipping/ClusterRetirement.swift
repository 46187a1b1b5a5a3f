package import Warehouse

/// Finds out whether the rows of a segment may leave home: only rows that every replica has at this moment may.
package struct ClusterRetirement: Sendable {
  package enum Readiness: Sendable, Hashable {
    /// The units that have all rows of the segment.
    case ready([RetiredUnit])
    /// The reason why they stay.
    case blocked(String)
  }

  private let shipping: ClusterShipping
  private let shards: [String: ClusterShard]

  package init(_ shipping: ClusterShipping) async throws {
    self.shipping = shipping
    // Rows that have changed since they were sent are noted before.
    try await shipping.check()
    shards = Dictionary(uniqueKeysWithValues: try await shipping.shards().map { ($0.name, $0) })
  }

  /// Compares the rows of a segment with those of every replica.
  ///
  /// - Throws: `ClickHouseError` if a replica doesn't answer.
  package func check(_ segment: RetirementCandidate) async throws -> Readiness {
    let units = try shipping.manifest.settledUnits(in: segment.ids, segment: segment.number)
    var next = segment.ids.lowerBound
    for (_, unit) in units where unit.ids.lowerBound == next { next = unit.ids.upperBound + 1 }
    guard next == segment.ids.upperBound + 1 else {
      return .blocked("not all of its rows are confirmed by the cluster")
    }
    var retired: [RetiredUnit] = []
    for (name, unit) in units {
      guard let shard = shards[name] else { return .blocked("no address leads to shard \(name)") }
      if let difference = try await shipping.verify(unit, shard).first {
        return .blocked("\(difference). `tern clickhouse verify --mend` mends it")
      }
      retired.append(unit.retired(from: shipping.manifest.home, shard: name))
    }
    return .ready(retired)
  }
}

extension ShippingUnit {
  /// The unit as a home that no longer has its rows knows it.
  package func retired(from home: ShippingManifest.Home, shard: String) -> RetiredUnit {
    RetiredUnit(
      home: home.id, epoch: epoch, shard: shard, number: number, generation: generation, ids: ids,
      rows: content.rows, checksum: content.checksum)
  }

  package init(_ unit: RetiredUnit) {
    self.init(
      epoch: unit.epoch, number: unit.number, generation: unit.generation, segment: 0, ids: unit.ids,
      content: UnitContent(rows: unit.rows, checksum: unit.checksum))
  }
}

extension ShippingManifest {
  /// Returns the given units that have left home and that their shards have in a newer generation, and in no older one.
  package func renewed(_ units: [RetiredUnit]) throws -> [RetiredUnit] {
    try units.compactMap { unit in
      guard let current = try settledUnit(unit.id), current.generation > unit.generation else { return nil }
      return current.retired(from: home, shard: unit.shard)
    }
  }
}

extension RetiredUnit {
  package var id: ShippingUnit.ID { ShippingUnit.ID(epoch: epoch, number: number) }
}
