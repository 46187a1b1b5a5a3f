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

/// A home that is lost, and made again from real servers.
@Suite(.enabled(if: Cluster.isThere), .serialized) struct RestoredHomeTests {
  private static let seed =
    ProcessInfo.processInfo.environment["SEED"].flatMap { UInt64($0) } ?? .random(in: 0...UInt64(UInt32.max))

  /// The servers of a test, and what it needs to ship.
  private struct World {
    let client: ClickHouseClient
    let servers: [ClickHouseServer]
    let catalog = MemoryCatalog(zones: ["Europe/Berlin", "UTC", "Asia/Tokyo"])

    init(isReplicated: Bool) throws {
      client = try Cluster.client()
      servers = isReplicated ? try Cluster.servers() : [try Cluster.modern()]
    }

    func open(_ directory: String) throws -> SQLiteWarehouse {
      try SQLiteWarehouse(
        directory: directory, catalog: catalog,
        configuration: WarehouseConfiguration(spanRows: 50, segmentBytes: 5_000))
    }

    func withShipping<Value>(
      _ warehouse: SQLiteWarehouse, _ manifest: ShippingManifest, _ body: (ClusterShipping) async throws -> Value
    ) async throws -> Value {
      let rows = ShippedRows(warehouse.reader, hasAttachments: false)
      defer { rows.close() }
      let shipping = try ClusterShipping(
        client, servers: servers, manifest: manifest, source: rows, patience: .zero, report: { _ in },
        sleep: { try await Task.sleep(for: min($0, .milliseconds(20))) })
      try await ClusterTables.shared.make(by: shipping, isReplicated: servers.count > 1)
      return try await body(shipping)
    }

    /// Makes a directory of what the cluster has of a home.
    func restore(
      _ home: ShippingManifest.Home, to directory: String, backup: String? = nil
    ) async throws -> RestoredWarehouse.Summary {
      let summary: RestoredWarehouse.Summary
      (summary, _) = try await ClusterHome(client: client, servers: servers).restore(
        home, to: directory, catalog: catalog, backup: backup)
      return summary
    }
  }

  /// All rows of a table, as text.
  private static func rows(of table: String, in path: String, columns: String? = nil) throws -> [String] {
    let database = try SQLDatabase(path)
    defer { withExtendedLifetime(database) {} }
    let connection = database.connection
    let names =
      try columns.map { $0.split(separator: ",").map(String.init) }
      ?? connection.texts("SELECT name FROM pragma_table_info('\(table)')")
    let values = names.map { "quote(\($0))" }.joined(separator: " || ',' || ")
    return try connection.texts("SELECT \(values) FROM \(table) ORDER BY 1")
  }

  /// Everything in `counts.sqlite`.
  private static func counts(_ directory: String) throws -> [String: [String]] {
    let path = directory + "/counts.sqlite"
    let database = try SQLDatabase(path)
    defer { withExtendedLifetime(database) {} }
    let tables = try database.connection.texts("SELECT name FROM sqlite_schema WHERE type = 'table'")
    return try Dictionary(uniqueKeysWithValues: tables.map { ($0, try rows(of: $0, in: path)) })
  }

  @Test(arguments: Cluster.isThere ? [true, false] : [])
  func `a home made again from the cluster has the same rows, names and counts`(isReplicated: Bool) async throws {
    let directory = FileManager.default.temporaryDirectory.appending(path: "tern-lost-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    let (old, new) = (directory.appending(path: "old").path, directory.appending(path: "new").path)
    try FileManager.default.createDirectory(atPath: old, withIntermediateDirectories: true)
    let world = try World(isReplicated: isReplicated)
    let manifest = try ShippingManifest(path: old + "/shipping.sqlite", homeID: .random(in: 1...UInt64.max))
    var traffic = RandomTraffic(
      seed: Self.seed, apps: world.catalog.apps().map(\.id),
      center: Timestamp(millisecondsSince1970: 1_777_000_000_000), days: 10, isOrdered: true)
    let warehouse = try world.open(old)
    func send(_ batches: Int, to warehouse: SQLiteWarehouse) async throws {
      for _ in 0..<batches {
        let (batch, app) = traffic.next()
        _ = try await warehouse.commit(batch, app: app)
      }
    }
    for _ in 0..<3 {
      try await send(20, to: warehouse)
      _ = try await world.withShipping(warehouse, manifest) { try await $0.backfill() }
    }
    // Units with gaps, and with newer generations.
    for app in world.catalog.apps().map(\.id) {
      try await warehouse.delete(
        PersonDeletionRequest(person: .install("client 3"), refusesLater: false), app: app, views: [])
    }
    // So that the last row is none of the deleted ones, of which the cluster knows nothing.
    try await send(5, to: warehouse)
    _ = try await world.withShipping(warehouse, manifest) { try await $0.backfill() }
    try await warehouse.flush()
    try await warehouse.close()
    // As it would count all rows anew.
    try SQLiteWarehouse.rebuild(directory: old, catalog: world.catalog)
    let (home, units) = (manifest.home, try manifest.units().filter { $0.content.rows > 0 })
    try manifest.close()

    let summary = try await world.restore(home, to: new)
    #expect(summary.rows == units.reduce(0) { $0 + $1.content.rows } && summary.rows > 300, "seed \(Self.seed)")
    for table in ["dictionary", "device", "member", "hit", "error_group", "error", "error_text"] {
      let (before, after) = (old + "/warehouse.sqlite", new + "/warehouse.sqlite")
      #expect(try Self.rows(of: table, in: after) == Self.rows(of: table, in: before), "seed \(Self.seed), \(table)")
    }
    let installs = try ["old", "new"].map {
      Set(try Self.rows(of: "install", in: "\(directory.path)/\($0)/warehouse.sqlite", columns: "app,name,slot"))
    }
    // The old one has also those that sent no rows, but a manifest.
    #expect(installs[1].isSubset(of: installs[0]) && !installs[1].isEmpty)
    let (before, after) = (try Self.counts(old), try Self.counts(new))
    #expect(before.keys == after.keys)
    for (table, rows) in before { #expect(after[table] == rows, "seed \(Self.seed), \(table)") }

    // From a whole backup comes what isn't in rows.
    #expect(FileManager.default.createFile(atPath: old + "/catalog.sqlite", contents: nil))
    let whole = directory.appending(path: "whole").path
    _ = try await world.restore(home, to: whole, backup: old)
    for table in ["reject", "reject_sample", "refused_person", "horizon"] {
      let (before, after) = (old + "/warehouse.sqlite", whole + "/warehouse.sqlite")
      #expect(try Self.rows(of: table, in: after) == Self.rows(of: table, in: before), "seed \(Self.seed), \(table)")
    }

    let attachments = try ["old", "whole"].map {
      try Self.rows(
        of: "attachment WHERE owner > 0", in: "\(directory.path)/\($0)/warehouse.sqlite",
        columns: "id,app,owner,error,name,stored,bytes")
    }
    #expect(attachments[0] == attachments[1] && !attachments[0].isEmpty, "seed \(Self.seed)")

    // It goes on where the old one was, and sends nothing anew.
    let again = try world.open(new)
    let manifestAgain = try ShippingManifest(path: new + "/shipping.sqlite", homeID: home.id)
    #expect(manifestAgain.home == home)
    try await send(10, to: again)
    try await world.withShipping(again, manifestAgain) { shipping in
      try await shipping.backfill()
      var differences: [String] = []
      _ = try await shipping.verify(mends: false) { differences.append("\($0)") }
      #expect(differences == [], "seed \(Self.seed)")
    }
    let sent = Dictionary(uniqueKeysWithValues: try manifestAgain.units().map { ($0.number, $0) })
    for unit in units {
      #expect(sent[unit.number]?.content == unit.content && sent[unit.number]?.generation == unit.generation)
    }
    #expect(sent.count > units.count)
    try await again.close()
    try manifestAgain.close()
  }

  @Test func `gaps between rows, and rows that contradict each other, are told apart`() throws {
    let directory = FileManager.default.temporaryDirectory.appending(path: "tern-lost-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: directory) }
    let catalog = MemoryCatalog(zones: ["UTC", "UTC"])
    let target = try RestoredWarehouse(at: directory.path, backup: nil)
    // The rows of the tests have a day that isn't that of their time.
    #expect(throws: WarehouseError.self) { try target.add(to: catalog) { try $0(FakeRows.row(7)) } }
    target.discard()
    #expect(!FileManager.default.fileExists(atPath: directory.path))
  }
}
