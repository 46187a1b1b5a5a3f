import ClickHouse

/// Deletes from one shard what is left of older generations of units, and makes sure that it is gone from each replica.
///
/// ClickHouse deletes later, and an insert that was given up may arrive later still. So a unit is clean only once all replicas
/// have answered that they have no such rows.
struct ShardSweep: Sendable {
  /// Statements are executed for several units at once, because each makes a server look at all of its rows.
  private static let maximumUnits = 200
  /// The time after which a deletion that the shard has not done is sent again.
  private static let patience: Duration = .seconds(60)

  let shard: ClusterShard
  let manifest: ShippingManifest
  /// The time that ClickHouse may take for a deletion before it is reported as a problem.
  private static let expectedTime: Duration = .seconds(300)
  /// The last deletion that was sent to the shard, and the time of the first one, by unit.
  private var deletions: [ShippingUnit.ID: (generation: Int, time: Duration, first: Duration)] = [:]

  init(_ shard: ClusterShard, manifest: ShippingManifest) { (self.shard, self.manifest) = (shard, manifest) }

  /// Checks once; returns true if nothing is left to delete.
  mutating func run(now: Duration) async throws -> Bool {
    let units = try manifest.unclean(shard: shard.name, limit: Self.maximumUnits)
    guard !units.isEmpty else {
      deletions = [:]
      return true
    }
    // Sent before the replicas are asked: one that is away must not keep the others from deleting.
    try await clear(units.filter { deletions[$0.id]?.generation != $0.generation }, now: now)
    let unclean = try await shard.unclean(units)
    try manifest.markClean(units.filter { !unclean.contains($0.id) })
    deletions = deletions.filter { unclean.contains($0.key) }
    try await clear(
      units.filter { unit in
        unclean.contains(unit.id) && now - (deletions[unit.id]?.time ?? now) >= Self.patience
      }, now: now)
    return unclean.isEmpty
  }

  private mutating func clear(_ units: [ShippingUnit], now: Duration) async throws {
    guard !units.isEmpty else { return }
    try await shard.clear(units)
    for unit in units {
      let first = deletions[unit.id]?.first ?? now
      deletions[unit.id] = (unit.generation, now, first)
    }
  }

  /// Returns the reason why rows that were deleted at home are on the shard longer than usual; `nil` if they aren't.
  func problem(now: Duration) -> String? {
    guard deletions.values.contains(where: { now - $0.first >= Self.expectedTime }) else { return nil }
    return "ClickHouse has not deleted older rows for more than five minutes; system.mutations there says why."
  }
}
