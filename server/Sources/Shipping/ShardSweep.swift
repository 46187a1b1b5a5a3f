import ClickHouse

/// Deletes from one shard what is left of older generations of units, and makes sure that it is gone from each replica.
///
/// ClickHouse deletes later, and an insert that was given up may arrive later still. So a unit is clean only once all replicas
/// have answered that they have no such rows.
struct ShardSweep: Sendable {
  /// Statements are executed for several units at once, because each makes a server look at all of its rows.
  private static let maximumUnits = 200
  /// The time that a shard has for a deletion until it is told again.
  private static let patience: Duration = .seconds(60)

  let shard: ClusterShard
  let ledger: ShippingLedger
  private var told: [Int64: Duration] = [:]

  init(_ shard: ClusterShard, ledger: ShippingLedger) { (self.shard, self.ledger) = (shard, ledger) }

  /// Looks once; returns true if nothing is left to delete.
  mutating func run(now: Duration) async throws -> Bool {
    let units = try ledger.unclean(shard: shard.name, limit: Self.maximumUnits)
    guard !units.isEmpty else {
      told = [:]
      return true
    }
    let unclean = try await shard.unclean(units)
    try ledger.markClean(units.filter { !unclean.contains($0.number) })
    let due = units.filter { unit in
      unclean.contains(unit.number) && told[unit.number].map { now - $0 >= Self.patience } ?? true
    }
    guard !due.isEmpty else { return unclean.isEmpty }
    try await shard.clear(due)
    for unit in due { told[unit.number] = now }
    return false
  }
}
