package import ClickHouse
package import Warehouse

/// Fetches rows of a home back from a shard.
package struct ClusterRows: Sendable {
  /// The rows of a unit, in the order of their IDs.
  package struct Unit: Sendable {
    private let parts: [RowColumns]

    fileprivate init(_ parts: [RowColumns]) { self.parts = parts }

    package var rows: Int { parts.reduce(0) { $0 + $1.rows } }

    /// Calls `body` with each row.
    ///
    /// - Throws: `ClickHouseError` with code `damaged` for values that no row has, and the errors of `body`.
    package func forEach(_ body: (StoredRow) throws -> Void) throws {
      for part in parts { try part.forEach(body) }
    }
  }

  private let client: ClickHouseClient
  private let shard: ClusterTopology.Shard
  private let home: ShippingManifest.Home
  private let uptime: @Sendable () -> Duration

  /// - Parameter uptime: The time since any moment.
  package init(
    _ client: ClickHouseClient, _ shard: ClusterTopology.Shard, home: ShippingManifest.Home,
    uptime: @escaping @Sendable () -> Duration
  ) {
    (self.client, self.shard, self.home, self.uptime) = (client, shard, home, uptime)
  }

  /// Fetches the rows of a unit from the first replica that has exactly its content.
  ///
  /// - Parameter time: The time for asking all replicas. Each gets its share of what is left.
  /// - Throws: `ClickHouseError` with code `unreachable` if no replica answers in time, and `damaged` if none that does has the
  ///   rows.
  package func rows(of unit: ShippingUnit, within time: Duration) async throws(ClickHouseError) -> Unit {
    let end = uptime() + time
    var failures: [ClickHouseError] = []
    for (index, server) in shard.replicas.enumerated() {
      let share = (end - uptime()) / (shard.replicas.count - index)
      guard share > .zero else { break }
      do throws(ClickHouseError) {
        let blocks = try await client.rows(
          ClusterSchema.rows(in: unit, of: home), on: server, maximumBytes: 4 * RowColumns.maximumBytes, timeout: share)
        return try Self.checked(blocks, unit, server)
      } catch {
        if error.code == .cancelled { throw error }
        failures.append(error)
      }
    }
    let isAway = failures.allSatisfy { $0.code == .unreachable }
    let reasons = failures.map(\.message).joined(separator: " ")
    throw ClickHouseError(
      isAway ? .unreachable : .damaged,
      "No replica of shard \(shard.name) sent the rows of unit \(unit.number). \(reasons)")
  }

  /// Returns what the shard has of a unit's newest generation; `nil` if no replica that answers has any of its rows.
  package func newest(of unit: ShippingUnit, within time: Duration) async throws(ClickHouseError) -> ShippingUnit? {
    let end = uptime() + time
    var (newest, failure): (ShippingUnit?, ClickHouseError?) = (nil, nil)
    for (index, server) in shard.replicas.enumerated() {
      let share = (end - uptime()) / (shard.replicas.count - index)
      guard share > .zero else { break }
      do throws(ClickHouseError) {
        for copy in try await ClusterInventory.copies(of: home, unit: unit, on: server, client, timeout: share) {
          // In the same generation, the one with most rows counts: another replica may have lost some.
          let isNewer = newest.map { ($0.generation, $0.content.rows) < (copy.generation, copy.content.rows) } ?? true
          if isNewer { newest = copy }
        }
      } catch {
        failure = error
      }
    }
    if newest == nil, let failure { throw failure }
    return newest.map {
      ShippingUnit(
        epoch: unit.epoch, number: unit.number, generation: $0.generation, segment: unit.segment, ids: unit.ids,
        content: $0.content)
    }
  }

  private static func checked(
    _ blocks: [NativeBlock], _ unit: ShippingUnit, _ server: ClickHouseServer
  ) throws(ClickHouseError) -> Unit {
    var parts: [RowColumns] = []
    var content = UnitContent.empty
    var last = unit.ids.lowerBound - 1
    for block in blocks {
      guard let rows = RowColumns(block)?.hashed, let hashes = block["hash"]?.numbers, hashes.count == rows.columns.rows
      else { throw damage(server, unit, "the table has other columns") }
      for (index, id) in rows.columns.ids.enumerated() {
        guard id > last, id <= unit.ids.upperBound else {
          throw damage(server, unit, "row \(id) is there twice or astray")
        }
        guard hashes[index] == rows.hash(of: index) else { throw damage(server, unit, "row \(id) was changed") }
        last = id
      }
      content.rows += rows.content.rows
      content.checksum &+= rows.content.checksum
      parts.append(rows.columns)
    }
    guard content == unit.content else {
      throw damage(server, unit, "it has \(content.rows) rows instead of \(unit.content.rows), or others")
    }
    return Unit(parts)
  }

  private static func damage(_ server: ClickHouseServer, _ unit: ShippingUnit, _ text: String) -> ClickHouseError {
    ClickHouseError(.damaged, "\(server) doesn't have unit \(unit.number) as it was sent: \(text).")
  }
}
