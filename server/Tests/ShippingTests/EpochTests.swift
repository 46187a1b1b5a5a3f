import ClickHouse
import ClickHouseTestSupport
import Foundation
import Ingest
import TernEvents
import Testing
import WarehouseContract

@testable import RowFiles
@testable import Shipping
@testable import Warehouse
@testable import WarehouseSQLite
@testable import WarehouseUpkeep

/// Rows that have left home before its manifest was lost, or after the backup was made that is restored.
@Suite(.enabled(if: Cluster.isThere), .serialized) struct EpochTests {
  private static let seed =
    ProcessInfo.processInfo.environment["SEED"].flatMap { UInt64($0) } ?? .random(in: 0...UInt64(UInt32.max))
  private static let kinds = Cluster.isThere ? [true, false] : []
  private static let now = Timestamp(millisecondsSince1970: 1_777_000_000_000)

  /// A data directory with its manifest.
  private struct Home {
    let directory: String
    let cluster: ClusterHome
    let catalog: MemoryCatalog
    let warehouse: SQLiteWarehouse
    let manifest: ShippingManifest

    init(_ directory: String, _ cluster: ClusterHome, id: UInt64, _ catalog: MemoryCatalog? = nil) throws {
      self.catalog = catalog ?? MemoryCatalog(zones: ["Europe/Berlin", "UTC", "Asia/Tokyo"])
      (self.directory, self.cluster) = (directory, cluster)
      try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
      warehouse = try SQLiteWarehouse(
        directory: directory, catalog: self.catalog,
        configuration: WarehouseConfiguration(spanRows: 50, segmentBytes: 5_000))
      manifest = try ShippingManifest(path: directory + "/shipping.sqlite", homeID: id)
      RetiredRowCache.connect(
        directory, to: ClusterRowSource(cluster.client, servers: cluster.servers) { [manifest] in manifest })
    }

    func close() async throws {
      try await warehouse.close()
      try manifest.close()
      RetiredRowCache.connect(directory, to: nil)
    }

    /// Takes batches that were received from five days before `now` on, or as many days later as given.
    func send(_ batches: Int, seed: UInt64, daysLater days: Int64 = 0) async throws {
      let center = now + .seconds(86_400 * days)
      var traffic = RandomTraffic(seed: seed, apps: catalog.apps().map(\.id), center: center, days: 10, isOrdered: true)
      for _ in 0..<batches {
        let (batch, app) = traffic.next()
        _ = try await warehouse.commit(batch, app: app)
      }
      try await warehouse.flush()
    }

    func withShipping<Value>(_ body: (ClusterShipping) async throws -> Value) async throws -> Value {
      let rows = ShippedRows(warehouse.reader, hasAttachments: false)
      defer { rows.close() }
      let shipping = try ClusterShipping(
        cluster.client, servers: cluster.servers, manifest: manifest, source: rows,
        retired: { [warehouse] in try warehouse.reader.retiredUnits() }, patience: .zero, report: { _ in },
        sleep: { try await Task.sleep(for: min($0, .milliseconds(20))) })
      try await ClusterTables.shared.make(by: shipping, isReplicated: cluster.servers.count > 1)
      return try await body(shipping)
    }

    /// Ships everything until no replica has an older copy of anything.
    func ship() async throws {
      try await withShipping { shipping in
        try await shipping.backfill()
        #expect(try await shipping.settle(within: .seconds(30)) == nil)
      }
    }

    /// Has all rows leave that may.
    func retire() async throws {
      try await ship()
      try await withShipping { shipping in
        let retirement = try await ClusterRetirement(shipping)
        for segment in try await warehouse.segments(receivedBefore: .max) {
          let readiness = try await retirement.check(segment)
          guard case .ready(let units) = readiness else {
            Issue.record("\(readiness)")
            continue
          }
          #expect(try await warehouse.retire(segment, units))
        }
      }
      #expect(try warehouse.reader.retiredRows() > 0)
    }

    func delete(_ persons: [Person]) async throws {
      for person in persons {
        for app in catalog.apps().map(\.id) {
          try await warehouse.delete(PersonDeletionRequest(person: person, refusesLater: false), app: app, views: [])
        }
      }
    }

    func ids() async throws -> Set<Int64> {
      try await warehouse.reader.reading { connection in
        let scan = try EventScan(connection, after: 0)
        var ids: Set<Int64> = []
        while let row = try scan.next() { ids.insert(row.id) }
        return ids
      }
    }

    /// Expects that the cluster has each row once, and that it is the one that is read here.
    func expectSame(_ comment: Comment? = nil) async throws {
      let rows = try await ids().count
      try await withShipping { shipping in
        var differences: [String] = []
        let compared = try await shipping.verify(mends: false) { differences.append("\($0)") }.compared
        #expect(differences == [], "seed \(seed), \(comment ?? "")")
        #expect(compared == rows, "seed \(seed), \(comment ?? "")")
      }
    }
  }

  private func withHome(isReplicated: Bool, _ body: (Home, URL) async throws -> Void) async throws {
    let directory = FileManager.default.temporaryDirectory.appending(path: "tern-epochs-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: directory) }
    let cluster = ClusterHome(
      client: try Cluster.client(), servers: isReplicated ? try Cluster.servers() : [try Cluster.modern()])
    let home = try Home(directory.appending(path: "home").path, cluster, id: .random(in: 1...UInt64.max))
    try await body(home, directory)
  }

  /// Copies a directory without its manifest, as a backup and its restoration do.
  private func copy(_ old: String, to new: String) throws {
    try FileManager.default.copyItem(atPath: old, toPath: new)
    for name in try FileManager.default.contentsOfDirectory(atPath: new) where name.hasPrefix("shipping.sqlite") {
      try FileManager.default.removeItem(atPath: new + "/" + name)
    }
    try? FileManager.default.removeItem(atPath: new + "/rows/fetched")
  }

  @Test(arguments: kinds)
  func `rows that left home before its manifest was lost are there once, change, and are restored`(isReplicated: Bool)
    async throws
  {
    try await withHome(isReplicated: isReplicated) { old, directory in
      try await old.send(40, seed: Self.seed)
      try await old.retire()
      // Later than all others: the epoch with the newest rows is restored.
      try await old.send(10, seed: Self.seed &+ 1, daysLater: 20)
      try await old.ship()
      try await old.close()
      let place = directory.appending(path: "moved").path
      try copy(old.directory, to: place)
      let home = try Home(place, old.cluster, id: old.manifest.home.id, old.catalog)
      let all = try await home.ids()
      let refusal = await #expect(throws: ClickHouseError.self) {
        try await home.withShipping { try await $0.backfill() }
      }
      #expect(refusal?.message.contains("--discard-older") == true)
      let retired = try home.warehouse.reader.retiredRows()
      let discarded = try await home.withShipping { try await $0.discardOlder { _ in } }
      #expect(discarded > 0)
      try await home.ship()
      try await home.expectSame("with a new manifest")
      let mine = try await home.cluster.counts(home.manifest.home, where: "epoch = \(home.manifest.home.epoch)")
      let theirs = try await home.cluster.counts(home.manifest.home, where: "epoch = \(old.manifest.home.epoch)")
      if !isReplicated { #expect(mine == [UInt64(all.count - retired)] && theirs == [UInt64(retired)]) }

      // They are deleted like others, without discarding anything.
      let user = try #require(
        try await home.warehouse.reader.reading { try $0.texts("SELECT name FROM member WHERE app = 1 LIMIT 1").first })
      try await home.delete([.user(user)])
      try await home.ship()
      #expect(try await home.cluster.counts(home.manifest.home, where: "user = '\(user)'").allSatisfy { $0 == 0 })
      try await home.expectSame("after a deletion")
      try await home.retire()
      try await home.expectSame("after they have left again")

      let ids = try await home.ids()
      #expect(ids.isStrictSubset(of: all))
      let epochs = try home.manifest.units().reduce(into: Set<UInt64>()) { $0.insert($1.epoch) }
      #expect(epochs == [old.manifest.home.epoch, home.manifest.home.epoch])
      try await home.close()
      let lost = directory.appending(path: "lost").path
      let (summary, others) = try await home.cluster.restore(home.manifest.home, to: lost, catalog: home.catalog)
      #expect(summary.rows == ids.count && others.isEmpty, "seed \(Self.seed)")
      let again = try Home(lost, home.cluster, id: home.manifest.home.id, home.catalog)
      #expect(try await again.ids() == ids)
      let units = try again.manifest.units()
      // Enough for another segment: the last one stays.
      try await again.send(20, seed: Self.seed &+ 2, daysLater: 40)
      try await again.ship()
      try await again.expectSame("restored")
      #expect(try again.manifest.units().prefix(units.count).map(\.generation) == units.map(\.generation))
      try await again.retire()
      try await again.expectSame("restored, and left")
      try await again.close()
    }
  }

  @Test(arguments: kinds)
  func `a restored backup reads what was sent anew after it was made, and goes on with it`(isReplicated: Bool)
    async throws
  {
    try await withHome(isReplicated: isReplicated) { old, directory in
      try await old.send(60, seed: Self.seed)
      try await old.retire()
      let before = try await old.ids()
      let names = ["backup", "later"].map { directory.appending(path: $0).path }
      try await old.warehouse.close()
      for name in names { try copy(old.directory, to: name) }
      var running = try Home(old.directory, old.cluster, id: old.manifest.home.id, old.catalog)
      try await running.delete((1...3).map { .user("user \($0)") })
      try await running.ship()
      let after = try await running.ids()
      #expect(after.isStrictSubset(of: before), "seed \(Self.seed)")

      let backup = try Home(names[0], old.cluster, id: old.manifest.home.id, old.catalog)
      let ranges = try backup.warehouse.reader.retiredUnits().map(\.ids)
      func expected(_ left: Set<Int64>) -> Set<Int64> {
        before.filter { id in left.contains(id) || !ranges.contains { $0.contains(id) } }
      }
      #expect(try await backup.ids() == expected(after), "seed \(Self.seed)")
      try await running.close()
      // The epoch of the backup has other rows than the cluster from now on.
      _ = try await backup.withShipping { try await $0.discardOlder { _ in } }
      try await backup.ship()
      try await backup.expectSame("the backup")
      let renewed = try backup.manifest.renewed(backup.warehouse.reader.retiredUnits())
      #expect(!renewed.isEmpty && renewed.allSatisfy { $0.epoch == old.manifest.home.epoch })
      try await backup.warehouse.renew(renewed)
      #expect(try await backup.ids() == expected(after))
      try await backup.delete((1...3).map { .user("user \($0)") })
      try await backup.ship()
      #expect(try await backup.ids() == after)
      try await backup.expectSame("after the deletion was repeated")

      // Then all rows of some units expire.
      let day = Day(number: Int(Self.now.millisecondsSince1970 / 86_400_000))
      for app in backup.catalog.apps().map(\.id) {
        _ = try await backup.warehouse.removeRows(of: app, before: day, views: [])
      }
      try await backup.ship()
      let last = try await backup.ids()
      let gone = ranges.filter { ids in !last.contains { ids.contains($0) } }
      #expect(!gone.isEmpty && !last.isEmpty, "seed \(Self.seed)")
      try await backup.close()
      running = try Home(names[1], old.cluster, id: old.manifest.home.id, old.catalog)
      _ = try await running.withShipping { try await $0.discardOlder { _ in } }
      try await running.ship()
      #expect(try await running.ids() == expected(last), "seed \(Self.seed)")
      try await running.expectSame("the same backup, later")
      try await running.close()
    }
  }
}
