package import ClickHouse

/// A difference between home and the cluster.
package struct ClusterDifference: Sendable, CustomStringConvertible {
  /// The unit; `nil` for rows that belong to none.
  package let unit: ShippingUnit?
  package let server: ClickHouseServer
  package let shard: String
  package let text: String
  /// The number of a unit that the ledger doesn't have for the shard.
  fileprivate var unknownUnit: Int64?

  package var description: String {
    "\(server), shard \(shard)\(unit.map { ", unit \($0.number)" } ?? ""): \(text)"
  }
}

extension ClusterShipping {
  /// Compares all confirmed rows with those of each replica.
  ///
  /// - Parameters:
  ///   - mends: True to have units that differ sent anew, and to delete rows that home doesn't know.
  ///   - progress: Receives the number of rows compared so far.
  /// - Returns: The differences, and the number of rows compared.
  package func verify(
    mends: Bool, progress: @Sendable (Int) -> Void = { _ in }
  ) async throws -> (differences: [ClusterDifference], rows: Int) {
    // Rows that have changed since are sent anew anyway.
    try await check()
    var (differences, compared): ([ClusterDifference], Int) = ([], 0)
    for shard in try await shards() {
      let waiting = Set(try ledger.unconfirmed(shard: shard.name).map(\.number))
      let units = try ledger.units(shard: shard.name).filter { !waiting.contains($0.number) }
      for unit in units {
        let found = try await verify(unit, shard)
        compared += unit.content.rows
        progress(compared)
        differences += found
        if mends, !found.isEmpty { try await mend(unit, shard) }
      }
      let unknown = try await unknownUnits(shard)
      differences += unknown
      if mends, !unknown.isEmpty { try await shard.delete(units: Set(unknown.compactMap(\.unknownUnit)).sorted()) }
    }
    return (differences, compared)
  }

  private func verify(_ unit: ShippingUnit, _ shard: ClusterShard) async throws -> [ClusterDifference] {
    let comparison = UnitComparison(unit, try await rows(of: unit))
    var differences: [ClusterDifference] = []
    for server in shard.replicas {
      try await shard.catchUp(server)
      let blocks = try await shard.client.rows(
        ClusterSchema.rows(in: unit.ids, of: shard.home), on: server, maximumBytes: 4 * RowColumns.maximumBytes)
      guard let difference = comparison.difference(blocks) else { continue }
      // It may have been renewed meanwhile.
      guard try ledger.unit(number: unit.number) == unit else { return [] }
      differences.append(
        ClusterDifference(unit: unit, server: server, shard: shard.name, text: "\(difference)"))
    }
    return differences
  }

  private func mend(_ unit: ShippingUnit, _ shard: ClusterShard) async throws {
    var unit = unit
    unit.generation += 1
    unit.content = try await rows(of: unit).content
    try ledger.renew(unit)
    try await shard.deleteUnknown(in: unit)
  }

  /// Finds rows that say they are of units that the ledger doesn't have for this shard.
  private func unknownUnits(_ shard: ClusterShard) async throws -> [ClusterDifference] {
    let known = Set(try ledger.units(shard: shard.name).map(\.number))
    var differences: [ClusterDifference] = []
    for server in shard.replicas {
      let blocks = try await shard.client.rows(ClusterSchema.units(of: shard.home), on: server)
      for block in blocks {
        let (numbers, rows) = (block["unit"]?.numbers ?? [], block["rows"]?.numbers ?? [])
        for (number, count) in zip(numbers, rows) where !known.contains(Int64(bitPattern: number)) {
          // It may be newer than the answer from the ledger.
          guard try ledger.unit(number: Int64(bitPattern: number), shard: shard.name) == nil else { continue }
          differences.append(
            ClusterDifference(
              unit: nil, server: server, shard: shard.name, text: "\(count) rows of an unknown unit \(number)",
              unknownUnit: Int64(bitPattern: number)))
        }
      }
    }
    return differences
  }
}
