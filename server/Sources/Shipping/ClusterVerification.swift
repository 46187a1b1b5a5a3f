package import ClickHouse
package import Warehouse

/// A difference between home and the cluster.
package struct ClusterDifference: Sendable, CustomStringConvertible {
  /// The unit; `nil` for rows that belong to none.
  package let unit: ShippingUnit?
  /// The replica; `nil` if the rows at home can't be read.
  package let server: ClickHouseServer?
  package let shard: String
  package let text: String
  /// The number of a unit of this epoch that the manifest doesn't have.
  fileprivate var unknownUnit: Int64?
  /// The rows at home that can't be read.
  package fileprivate(set) var unreadable: UnreadableRows?

  fileprivate init(
    unit: ShippingUnit?, server: ClickHouseServer, shard: String, text: String, unknownUnit: Int64? = nil
  ) {
    (self.unit, self.server, self.shard, self.text, self.unknownUnit) = (unit, server, shard, text, unknownUnit)
  }

  fileprivate init(_ unit: ShippingUnit, shard: String, _ rows: UnreadableRows) {
    (self.unit, self.shard, text, unreadable, server) = (unit, shard, "\(rows)", rows, nil)
  }

  package var description: String {
    "\(server.map { "\($0)" } ?? "home"), shard \(shard)\(unit.map { ", unit \($0.number)" } ?? ""): \(text)"
  }
}

/// The numbers of rows that a verification of the cluster has compared, and of those that it has not.
package struct ComparedRows: Sendable, Hashable {
  /// The rows compared.
  package var compared = 0
  /// The rows that the cluster has not confirmed yet.
  package var waiting = 0
  /// The units for which the cluster may still have rows that were deleted or replaced at home.
  package var olderUnits = 0
}

extension ClusterShipping {
  /// Compares all confirmed rows with those of each replica.
  ///
  /// - Parameters:
  ///   - mends: True to have units that differ sent again, and to delete rows that home doesn't know. Units that can't be read at
  ///     home stay as they are.
  ///   - found: Receives each difference.
  ///   - progress: Receives the number of rows compared so far.
  package func verify(
    mends: Bool, found: (ClusterDifference) -> Void, progress: (Int) -> Void = { _ in }
  ) async throws -> ComparedRows {
    // Rows that have changed since are sent again anyway.
    try await check()
    var (compared, result) = (0, ComparedRows())
    for shard in try await shards() {
      let waiting = try manifest.unconfirmed(shard: shard.name)
      result.waiting += waiting.reduce(0) { $0 + $1.content.rows }
      // Their older rows would be differences until ClickHouse has deleted them.
      let older = try manifest.unclean(shard: shard.name, limit: .max)
      result.olderUnits += older.count
      let skipped = Set((waiting + older).map(\.id))
      for unit in try manifest.units(shard: shard.name) where !skipped.contains(unit.id) {
        let differences = try await verify(unit, shard)
        guard try differences.isEmpty || manifest.settledUnit(unit.id) != nil else {
          result.olderUnits += 1
          continue
        }
        for difference in differences { found(difference) }
        compared += unit.content.rows
        progress(compared)
        if mends, !differences.isEmpty, differences.allSatisfy({ $0.unreadable == nil }) {
          do { try await mend(unit, shard) } catch let rows as UnreadableRows {
            found(ClusterDifference(unit, shard: shard.name, rows))
          }
        }
      }
      let unknown = try await unknownUnits(shard)
      for difference in unknown { found(difference) }
      if mends { try await deleteUnknown(unknown, shard) }
    }
    result.compared = compared
    return result
  }

  func verify(_ unit: ShippingUnit, _ shard: ClusterShard) async throws -> [ClusterDifference] {
    let comparison: UnitComparison
    do { comparison = UnitComparison(unit, try await rows(of: unit)) } catch let rows as UnreadableRows {
      return [ClusterDifference(unit, shard: shard.name, rows)]
    }
    var differences: [ClusterDifference] = []
    for server in shard.replicas {
      try await shard.catchUp(server)
      let blocks = try await shard.client.rows(
        ClusterSchema.rows(inRangeOf: unit, of: shard.home), on: server, maximumBytes: 4 * RowColumns.maximumBytes)
      guard let difference = comparison.difference(blocks) else { continue }
      differences.append(
        ClusterDifference(unit: unit, server: server, shard: shard.name, text: "\(difference)"))
    }
    guard !differences.isEmpty else { return [] }
    // Rows that have changed at home meanwhile are no difference: they are sent again.
    try await check()
    return try manifest.unit(unit.id)?.generation == unit.generation ? differences : []
  }

  private func mend(_ unit: ShippingUnit, _ shard: ClusterShard) async throws {
    let next = unit.next(try await rows(of: unit).content)
    guard try manifest.renew(next) else { return }
    try await shard.deleteUnknown(in: next)
  }

  private func deleteUnknown(_ differences: [ClusterDifference], _ shard: ClusterShard) async throws {
    let units = Set(differences.compactMap(\.unknownUnit)).sorted()
    if !units.isEmpty {
      try await shard.delete(units: units)
      // ClickHouse deletes later, and until then a start takes these rows for those of another manifest.
      let ids = Set(units.map { ShippingUnit.ID(epoch: manifest.home.epoch, number: $0) })
      for _ in 0..<60 where try await !ids.isDisjoint(with: shard.oldestGenerations().keys) {
        try await sleep(.seconds(1))
      }
    }
    for unit in Set(differences.compactMap(\.unit)) { try await shard.deleteRows(outside: unit) }
  }

  /// Finds rows that name a unit that the manifest doesn't have for this shard, or that has other rows.
  private func unknownUnits(_ shard: ClusterShard) async throws -> [ClusterDifference] {
    var differences: [ClusterDifference] = []
    for server in shard.replicas {
      let blocks = try await shard.client.rows(ClusterSchema.units(of: shard.home), on: server)
      for block in blocks {
        let (first, last) = (block["first"]?.numbers ?? [], block["last"]?.numbers ?? [])
        for (id, ids) in zip(ShippingUnit.ID.ids(in: block), zip(first, last)) {
          let (unit, number) = (try manifest.unit(id), id.number)
          // Those of another epoch are rows that still have to be discarded, or that only the cluster has.
          if unit == nil, id.epoch != manifest.home.epoch { continue }
          let isHere = try unit != nil && manifest.unit(id, shard: shard.name) != nil
          let text: String
          switch unit {
          case nil: text = "rows of an unknown unit \(number)"
          case .some where !isHere: text = "rows of unit \(number), which belongs to another shard"
          case .some(let unit):
            guard ids.0 < UInt64(unit.ids.lowerBound) || ids.1 > UInt64(unit.ids.upperBound) else { continue }
            text = "rows of unit \(number) that are outside of it"
          }
          // A repair never deletes units that the manifest has for another shard: if shards were renamed, they are the only copies.
          differences.append(
            ClusterDifference(
              unit: isHere ? unit : nil, server: server, shard: shard.name, text: text,
              unknownUnit: unit == nil ? number : nil))
        }
      }
    }
    return differences
  }
}
