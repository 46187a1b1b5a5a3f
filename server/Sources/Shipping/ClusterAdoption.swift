import ClickHouse
import Warehouse

extension ClusterShipping {
  /// Takes over the units that earlier manifests have sent and that only the cluster has: rows that have left home are not sent
  /// again. So a home whose manifest was lost, or that was restored from a backup, uses them like its own, and its
  /// backups know them under one name.
  ///
  /// A backup may name a generation that was replaced after it was made, for example because a person was deleted. Then the
  /// newest one counts.
  func adoptRetired(_ shards: [ClusterShard]) async throws {
    // Read before the units: the next check finds a unit that comes home meanwhile, because its segment differs.
    let stretches = try await source.stretches(after: 0)
    let known = try manifest.adoptedUnits()
    let missing = try retired().filter { $0.epoch != manifest.home.epoch && !known.contains($0.id) }
    guard !missing.isEmpty else { return }
    let segments = missing.map { unit in Self.segment(of: unit.ids.lowerBound, stretches) }
    let places = Dictionary(grouping: zip(missing, segments)) { Place(shard: $0.0.shard, epoch: $0.0.epoch) }
    var (lost, emptied) = (0, 0)
    for shard in shards {
      for (place, units) in places where place.shard == shard.name {
        let copies = try await shard.copies(ofEpoch: place.epoch)
        for (unit, segment) in units {
          guard var newest = copies.newest(of: unit) else {
            lost += 1
            continue
          }
          if newest.unit.content == .empty, unit.rows > 0 { emptied += 1 }
          newest.unit.segment = segment
          try manifest.adopt(newest.unit, shard: shard.name, isClean: newest.isClean)
        }
      }
    }
    if emptied > 0 {
      report("\(emptied) units of rows that have left home are gone from the cluster, and count as deleted.")
    }
    if lost > 0 { report("\(lost) units of rows that have left home are not on the cluster any more.") }
  }

  private struct Place: Hashable {
    let shard: String
    let epoch: UInt64
  }

  /// Returns the number of the segment with a row; 0 if there is none, so that the unit is compared by the next check.
  private static func segment(of id: Int64, _ stretches: [RowStretch]) -> Int64 {
    var (low, high) = (0, stretches.count)
    while low < high {
      let middle = (low + high) / 2
      if stretches[middle].ids.upperBound < id { low = middle + 1 } else { high = middle }
    }
    guard low < stretches.count, stretches[low].ids.contains(id) else { return 0 }
    return stretches[low].segment
  }
}

extension ClusterShard {
  /// Returns what the replicas that answer have of an epoch of the home.
  fileprivate func copies(ofEpoch epoch: UInt64) async throws(ClickHouseError) -> ShardCopies {
    let home = ShippingManifest.Home(id: home.id, epoch: epoch)
    var copies: [ShippingUnit] = []
    let isComplete = try await onReplicas(includesAll: false) { server throws(ClickHouseError) in
      try await catchUp(server)
      copies += try await ClusterInventory.copies(of: home, on: server, client)
    }
    return ShardCopies(copies, isComplete: isComplete)
  }
}

/// The units of one epoch that a shard has.
struct ShardCopies: Sendable {
  private let units: [Int64: [ShippingUnit]]
  /// True if all replicas have answered.
  private let isComplete: Bool

  /// - Parameter copies: All generations of all units that some replicas have.
  init(_ copies: [ShippingUnit], isComplete: Bool) {
    units = Dictionary(grouping: copies, by: \.number)
    self.isComplete = isComplete
  }

  /// Returns the newest generation of a unit that has left home, and whether there is no older one.
  ///
  /// If no replica has rows of it, although they have others of its epoch, all of its rows were deleted after they had left,
  /// for example with their app or because of their age, and home was restored from an earlier backup. The unit is then empty,
  /// but keeps its generation, so that nothing is deleted if it appears again.
  ///
  /// - Returns: `nil` if that can't be known.
  func newest(of unit: RetiredUnit) -> (unit: ShippingUnit, isClean: Bool)? {
    var newest = ShippingUnit(unit)
    let copies = (units[unit.number] ?? []).filter {
      unit.ids.contains($0.ids.lowerBound) && unit.ids.contains($0.ids.upperBound)
    }
    guard let generation = copies.map(\.generation).max() else {
      newest.content = .empty
      return isComplete && !units.isEmpty ? (newest, true) : nil
    }
    // The cluster was set back. Taking over the noted generation would delete this one.
    guard generation >= unit.generation else { return nil }
    if generation > unit.generation {
      newest.generation = generation
      // Another replica may have lost some.
      let contents = copies.filter { $0.generation == generation }.map(\.content)
      newest.content = contents.max { $0.rows < $1.rows } ?? newest.content
    }
    return (newest, copies.allSatisfy { $0.generation >= newest.generation })
  }
}
