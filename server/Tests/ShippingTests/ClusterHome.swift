import ClickHouse
import Testing
import WarehouseContract

@testable import Shipping
@testable import WarehouseSQLite
@testable import WarehouseUpkeep

/// The rows of a home on real servers.
struct ClusterHome {
  let client: ClickHouseClient
  let servers: [ClickHouseServer]

  /// Makes a directory of what the cluster has of a home, as `tern restore` does.
  ///
  /// - Returns: Also the older epochs of which rows are left out, with their numbers of rows.
  func restore(
    _ home: ShippingManifest.Home, to directory: String, catalog: MemoryCatalog, backup: String? = nil
  ) async throws -> (summary: RestoredWarehouse.Summary, others: [ShippingManifest.Home: Int]) {
    let shipped = ClusterInventory(client, try await ClusterTopology.found(by: client, on: servers))
    let epochs = try await shipped.epochs().map(\.home).filter { $0.id == home.id }
    #expect(epochs.last == home)
    #expect(try await shipped.apps(of: home).allSatisfy { (1...3).contains($0) })
    let target = try RestoredWarehouse(at: directory, backup: backup)
    var stored: [(unit: ShippingUnit, shard: String, hasOlder: Bool)] = []
    let (units, others) = try await shipped.units(of: home, older: epochs.dropLast().reversed())
    for unit in units {
      #expect(unit.copies.count == 1)
      var copy = try #require(unit.copies.first)
      let rows = try await ClusterRows(client, unit.shard, home: home, uptime: { .zero })
        .rows(of: copy, within: .seconds(60))
      copy.segment = try target.add(to: catalog) { try rows.forEach($0) }
      stored.append((copy, unit.shard.name, unit.hasOlder))
    }
    let summary = try target.derive { _ in }
    try ShippingManifest.restore(path: target.unfinished + "/shipping.sqlite", home: home, units: stored)
    try target.finish()
    return (summary, others)
  }

  /// The number of rows that each server has.
  func counts(_ home: ShippingManifest.Home, where condition: String = "1") async throws -> [UInt64] {
    var counts: [UInt64] = []
    for server in servers {
      counts +=
        try await client.rows("SELECT count() FROM tern_row WHERE home = \(home.id) AND \(condition)", on: server)
        .first?.columns.first?.numbers ?? []
    }
    return counts
  }
}
