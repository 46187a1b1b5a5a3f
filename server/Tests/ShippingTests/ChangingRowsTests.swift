import ClickHouse
import ClickHouseTestSupport
import Foundation
import Ingest
import TernBase
import TernEvents
import Testing
import WarehouseContract

@testable import Shipping
@testable import Warehouse
@testable import WarehouseSQLite
@testable import WarehouseUpkeep

/// A warehouse whose rows change in every way that there is, and its copy on real servers.
@Suite(.enabled(if: Cluster.isThere), .serialized) struct ChangingRowsTests {
  private static let seeds: [UInt64] = Cluster.isThere ? [seed, seed &+ 1] : []
  /// `SEED` repeats a run.
  private static let seed =
    ProcessInfo.processInfo.environment["SEED"].flatMap { UInt64($0) } ?? .random(in: 0...UInt64(UInt32.max))

  private struct World {
    let directory: URL
    let catalog = MemoryCatalog(zones: ["Europe/Berlin", "UTC", "Asia/Tokyo"])
    let client: ClickHouseClient
    let servers: [ClickHouseServer]
    let manifest: ShippingManifest
    var warehouse: SQLiteWarehouse
    var traffic: RandomTraffic
    /// Without those that were deleted.
    var apps: [AppID]

    init(_ directory: URL, isReplicated: Bool, seed: UInt64) async throws {
      self.directory = directory
      client = try Cluster.client()
      servers = isReplicated ? try Cluster.servers() : [try Cluster.modern()]
      manifest = try ShippingManifest(
        path: directory.appending(path: "shipping.sqlite").path, homeID: .random(in: 1...UInt64.max))
      warehouse = try Self.open(directory, catalog)
      apps = catalog.apps().map(\.id)
      let center = try #require(try? Date("2026-05-04T12:00:00Z", strategy: .iso8601))
      traffic = RandomTraffic(
        seed: seed, apps: apps, center: Timestamp(millisecondsSince1970: Int64(center.timeIntervalSince1970) * 1_000),
        days: 10, isOrdered: true)
    }

    private static func open(_ directory: URL, _ catalog: MemoryCatalog) throws -> SQLiteWarehouse {
      try SQLiteWarehouse(
        directory: directory.path, catalog: catalog,
        configuration: WarehouseConfiguration(spanRows: 50, segmentBytes: 5_000))
    }

    /// Changes rows in one of the ways, which `kind` numbers; returns the persons who are gone.
    mutating func change(_ kind: Int) async throws -> [Person] {
      switch kind {
      case 0, 1: try await send()
      case 2: return try await delete(.user("user \(traffic.below(9))"))
      case 3: return try await delete(.install("client \(3 * traffic.below(13))"))
      case 4:
        let first = Day(number: Int(traffic.now.millisecondsSince1970 / 86_400_000) - 2 - traffic.below(4))
        if let app = apps.first { try await warehouse.removeRows(of: app, before: first, views: []) }
      case 5:
        try await warehouse.close()
        try SQLiteWarehouse.rebuild(directory: directory.path, catalog: catalog)
        warehouse = try Self.open(directory, catalog)
      case 6:
        let last = try await warehouse.perform { $0.lastID }
        let id = Int64(1 + traffic.below(Int(last)))
        try await warehouse.quarantine(id, work: "test")
        await warehouse.finishQuarantine()
      case 7 where apps.count > 1:
        try await warehouse.delete(app: apps.removeLast(), views: [])
      default: break
      }
      return []
    }

    private mutating func send() async throws {
      for _ in 0..<12 {
        let (batch, app) = traffic.next()
        if apps.contains(app) { _ = try await warehouse.commit(batch, app: app) }
      }
      try await warehouse.perform { try $0.finishHits() }
    }

    private func delete(_ person: Person) async throws -> [Person] {
      for app in apps {
        try await warehouse.delete(PersonDeletionRequest(person: person, refusesLater: false), app: app, views: [])
      }
      return [person]
    }

    /// Has all rows leave that may.
    private func retire(_ shipping: ClusterShipping) async throws {
      let retirement = try await ClusterRetirement(shipping)
      for segment in try await warehouse.segments(receivedBefore: .max) {
        guard case .ready(let units) = try await retirement.check(segment) else { continue }
        #expect(try await warehouse.retire(segment, units))
      }
    }

    /// Ships everything, then compares all rows.
    ///
    /// - Parameter retires: True to have all rows leave afterwards, and to compare once more.
    func differences(retires: Bool) async throws -> [String] {
      RetiredRowCache.connect(directory.path, to: ClusterRowSource(client, servers: servers) { [manifest] in manifest })
      let rows = ShippedRows(warehouse.reader, hasAttachments: true)
      defer { rows.close() }
      let shipping = try ClusterShipping(
        client, servers: servers, manifest: manifest, source: rows, patience: .zero, report: { _ in },
        sleep: { try await Task.sleep(for: min($0, .milliseconds(20))) })
      try await ClusterTables.shared.make(by: shipping, isReplicated: servers.count > 1)
      try await shipping.backfill()
      if retires {
        // Rows that were sent anew leave only when the older copy is gone from every replica.
        _ = try await shipping.settle(within: .seconds(20))
        try await retire(shipping)
      }
      var differences: [String] = []
      let compared = try await shipping.verify(mends: false) { differences.append("\($0)") }.compared
      let home = try await warehouse.reader.reading { connection in
        let scan = try EventScan(connection, after: 0)
        var count = 0
        while try scan.next() != nil { count += 1 }
        return count
      }
      try await warehouse.flush()
      let report = try await warehouse.reader.verify()
      differences += report.problems + report.differences.map(\.description)
      return differences + (compared == home ? [] : ["\(compared) of \(home) rows"])
    }

    func rows(of person: Person) async throws -> [UInt64] {
      let column = if case .user = person { "user" } else { "install" }
      let name =
        switch person {
        case .user(let name), .install(let name): name
        }
      var counts: [UInt64] = []
      for server in servers {
        let condition = "home = \(manifest.home.id) AND \(column) = '\(name)'"
        counts +=
          try await client.rows("SELECT count() FROM tern_row WHERE \(condition)", on: server).first?.columns
          .first?.numbers ?? []
      }
      return counts
    }
  }

  @Test(arguments: seeds, [true, false])
  func `after every change the cluster has what home has`(seed: UInt64, isReplicated: Bool) async throws {
    try await change(seed: seed, isReplicated: isReplicated, retires: false)
  }

  @Test(arguments: seeds.prefix(1), [true, false])
  func `rows that have left change like those at home`(seed: UInt64, isReplicated: Bool) async throws {
    try await change(seed: seed, isReplicated: isReplicated, retires: true)
  }

  private func change(seed: UInt64, isReplicated: Bool, retires: Bool) async throws {
    let directory = FileManager.default.temporaryDirectory.appending(path: "tern-changes-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    var world = try await World(directory, isReplicated: isReplicated, seed: seed)
    var retired = 0
    for step in 0..<14 {
      let kind = step < 2 ? 0 : world.traffic.below(8)
      let gone = try await world.change(kind)
      #expect(try await world.differences(retires: retires) == [], "seed \(seed), step \(step), change \(kind)")
      // The last change may have removed all rows that can leave.
      retired = max(retired, try world.warehouse.reader.retiredRows())
      for person in gone {
        let rows = try await world.rows(of: person)
        #expect(rows.count == world.servers.count && rows.allSatisfy { $0 == 0 }, "seed \(seed), \(person)")
      }
    }
    #expect(!retires || retired > 0, "seed \(seed)")
    try await world.warehouse.close()
    RetiredRowCache.connect(directory.path, to: nil)
    try world.manifest.close()
  }
}
