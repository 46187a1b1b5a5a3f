import Foundation
import Ingest
import TernEvents
import Testing

@testable import AppCatalog
@testable import DataFiles
@testable import RowFiles
@testable import Views
@testable import Warehouse
@testable import WarehouseSQLite
@testable import WarehouseUpkeep

/// Recovery from crashes, full disks and repeated deliveries.
@Suite struct WarehouseRecoveryTests {
  private static let days = day("2026-05-01")...day("2026-05-30")

  private func setUp() throws -> (TemporaryDirectory, Catalog, AppID) {
    let directory = try TemporaryDirectory()
    let catalog = try Catalog(directory: directory.path)
    return (directory, catalog, try catalog.createApp(name: "Player").id)
  }

  private func count(_ metrics: some MetricsStore, _ app: AppID) async throws -> Int {
    try await metrics.total(app: app, dimension: .total, key: "", days: Self.days).count
  }

  @Test func `every acknowledged event survives a crash at any moment, exactly once`() async throws {
    let (directory, catalog, app) = try setUp()
    var configuration = WarehouseConfiguration(flushInterval: .seconds(3_600), flushEvents: 25, pendingKeys: 30)
    configuration.spanRows = 20
    let warehouse = try SQLiteWarehouse(directory: directory.path, catalog: catalog, configuration: configuration)
    var sent: [IncomingBatch] = []
    for round in 0..<12 {
      let batch = batch(
        ["a", "b", "c", "d", "e", "f", "g"], at: "2026-05-0\(1 + round % 9)T23:59:58Z", install: "install \(round % 5)",
        firstKey: Int64(round) * 100, properties: [Properties.Element(name: "p", value: .integer(Int64(round % 4)))])
      #expect(try await warehouse.commit(batch, app: app).accepted == 7)
      sent.append(batch)
      try await crash(directory, app, sent)
    }
    try await warehouse.close()
  }

  private func crash(_ directory: TemporaryDirectory, _ app: AppID, _ sent: [IncomingBatch]) async throws {
    let copy = try directory.copy()
    let catalog = try Catalog(directory: copy.path)
    let warehouse = try SQLiteWarehouse(
      directory: copy.path, catalog: catalog,
      configuration: WarehouseConfiguration(flushEvents: 10, pendingKeys: 20))
    #expect(try await count(warehouse.reader, app) == sent.count * 7, "after \(sent.count) batches")
    for batch in sent {
      let receipt = try await warehouse.commit(batch, app: app)
      #expect(receipt == CommitReceipt(accepted: 0, duplicates: Array(0..<7)), "after \(sent.count) batches")
    }
    try await warehouse.flush()
    let report = try await warehouse.reader.verify()
    #expect(report.isClean, "\(report.differences)")
    #expect(report.events == sent.count * 7)
    try await warehouse.close()
  }

  @Test func `reports after a crash are exact without a server`() async throws {
    let (directory, catalog, app) = try setUp()
    let warehouse = try SQLiteWarehouse(
      directory: directory.path, catalog: catalog, configuration: WarehouseConfiguration(flushInterval: .seconds(3_600))
    )
    _ = try await warehouse.commit(batch(["a", "b"]), app: app)
    let copy = try directory.copy()
    let reader = try SQLiteWarehouse.openForReading(directory: copy.path, catalog: Catalog(directory: copy.path))
    #expect(try await count(reader, app) == 2)
    #expect(try await reader.verify().isClean)
    try reader.close()
    try await warehouse.close()
  }

  @Test func `reports can be read while a server writes, and no other process may write`() async throws {
    let (directory, catalog, app) = try setUp()
    let warehouse = try SQLiteWarehouse(directory: directory.path, catalog: catalog)
    _ = try await warehouse.commit(batch(["a", "b"]), app: app)
    try await warehouse.flush()
    let reader = try SQLiteWarehouse.openForReading(directory: directory.path, catalog: catalog)
    #expect(try await count(reader, app) == 2)
    _ = try await warehouse.commit(batch(["c"]), app: app)
    try await warehouse.flush()
    #expect(try await count(reader, app) == 3)
    #expect(try await reader.verify().isClean)
    let second = #expect(throws: WarehouseError.self) {
      _ = try SQLiteWarehouse(
        directory: directory.path, catalog: catalog, configuration: WarehouseConfiguration(lockPatience: .zero))
    }
    #expect(second?.code == .inUse)
    let rebuild = #expect(throws: WarehouseError.self) {
      try SQLiteWarehouse.rebuild(directory: directory.path, catalog: catalog)
    }
    #expect(rebuild?.code == .inUse)
    try reader.close()
    try await warehouse.close()
    let third = try SQLiteWarehouse(directory: directory.path, catalog: catalog)
    #expect(try await count(third.reader, app) == 3)
    try await third.close()
  }

  @Test func `nothing is acknowledged while the disk is full, and storing resumes once there is space`() async throws {
    let (directory, catalog, app) = try setUp()
    var configuration = WarehouseConfiguration(pendingKeys: 10)
    configuration.maximumPages = 60
    let warehouse = try SQLiteWarehouse(directory: directory.path, catalog: catalog, configuration: configuration)
    let long = String(repeating: "x", count: 700)
    let batch = { (number: Int) in
      WarehouseTests.batch(
        ["a", "\(number) \(long)"], install: "install \(number)", firstKey: Int64(number) * 10)
    }
    var accepted = 0
    var failure: WarehouseError?
    for number in 0..<200 where failure == nil {
      do {
        accepted += try await warehouse.commit(batch(number), app: app).accepted
      } catch {
        failure = error as? WarehouseError
      }
    }
    #expect(failure?.code == .full)
    #expect(accepted > 0)
    let probe = await #expect(throws: WarehouseError.self) { try await warehouse.probeWrite() }
    #expect(probe?.code == .full)
    try await warehouse.perform { try $0.connection.execute("PRAGMA max_page_count = 100000") }
    try await warehouse.counting.perform { try $0.connection.execute("PRAGMA counts.max_page_count = 100000") }
    try await warehouse.probeWrite()
    try await warehouse.perform {
      let left = try $0.connection.integer("SELECT count(*) FROM write_probe")
      #expect(left == 0)
    }
    // Clients resend everything that was not acknowledged, and some events that were.
    for number in 0..<60 {
      accepted += try await warehouse.commit(batch(number), app: app).accepted
    }
    #expect(accepted == 120)
    try await warehouse.flush()
    #expect(try await count(warehouse.reader, app) == 120)
    #expect(try await warehouse.reader.total(app: app, dimension: .total, key: "", days: Self.days).users == 60)
    let report = try await warehouse.reader.verify()
    #expect(report.isClean, "\(report.differences)")
    try await warehouse.close()
  }

  @Test func `a batch that can't be stored doesn't fail others`() async throws {
    let (directory, catalog, app) = try setUp()
    let cursed = try catalog.createApp(name: "Cursed").id
    var configuration = WarehouseConfiguration()
    configuration.beforeBatch = { app in
      if app == cursed { throw WarehouseError(.damaged, "cursed") }
    }
    let warehouse = try SQLiteWarehouse(directory: directory.path, catalog: catalog, configuration: configuration)
    // While the writer is blocked, all batches queue up to become one group.
    let gate = DispatchSemaphore(value: 0)
    let results = try await withThrowingTaskGroup(of: (Int, Bool).self) { group in
      group.addTask {
        try await warehouse.perform { _ in gate.wait() }
        return (-1, true)
      }
      for number in 0..<20 {
        group.addTask {
          let batch = batch(["a"], install: "install \(number)", firstKey: Int64(number))
          let receipt = try? await warehouse.commit(batch, app: number % 5 == 0 ? cursed : app)
          return (number, receipt?.accepted == 1)
        }
      }
      group.addTask {
        gate.signal()
        return (-1, true)
      }
      return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
    }
    for number in 0..<20 { #expect(results[number] == (number % 5 != 0)) }
    try await warehouse.flush()
    #expect(try await count(warehouse.reader, app) == 16)
    #expect(try await warehouse.reader.verify().isClean)
    try await warehouse.close()
  }

  @Test func `verify finds tampered counts, and rebuild repairs them`() async throws {
    let (directory, catalog, app) = try setUp()
    let warehouse = try SQLiteWarehouse(directory: directory.path, catalog: catalog)
    let category = Properties.Element(name: "Category", value: .string("Music"))
    _ = try await warehouse.commit(batch(["a", "b", "a"], firstKey: 1, properties: [category]), app: app)
    _ = try await warehouse.commit(batch(["a"], install: "other", firstKey: 10), app: app)
    try await warehouse.close()
    let plants = [
      "UPDATE daily_count SET n = n + 1 WHERE dim = 1", "DELETE FROM daily_count WHERE dim = 0",
      "DELETE FROM daily_users WHERE dim = 3",
      "INSERT INTO daily_count VALUES (\(app), 1, 4, 77, 5)", "UPDATE daily_users SET n = 9 WHERE dim = 0",
      "DELETE FROM property_values",
      "UPDATE daily_users SET slots = x'0401' WHERE dim = 0",
    ]
    let changes: [@Sendable (inout EventRow) -> Void] = [
      { if $0.id == 1 { $0.name += 1 } }, { if $0.id == 2 { $0.slot += 1 } },
      { if $0.id == 3 { $0.time -= 86_400_000 } },
    ]
    for plant in plants.map({ (sql: $0, change: nil) }) + changes.map({ (sql: "a change of a row", change: $0) }) {
      let copy = try directory.copy()
      let catalog = try Catalog(directory: copy.path)
      var reader = try SQLiteWarehouse.openForReading(directory: copy.path, catalog: catalog)
      #expect(try await reader.verify().isClean)
      try reader.close()
      try tamper(copy, plant.sql, plant.change)
      reader = try SQLiteWarehouse.openForReading(directory: copy.path, catalog: catalog)
      #expect(try await !reader.verify().isClean, "\(plant.sql)")
      try reader.close()
      try SQLiteWarehouse.rebuild(directory: copy.path, catalog: catalog)
      reader = try SQLiteWarehouse.openForReading(directory: copy.path, catalog: catalog)
      #expect(try await reader.verify().isClean, "\(plant.sql)")
      try reader.close()
    }
  }

  private func tamper(
    _ directory: TemporaryDirectory, _ sql: String, _ change: (@Sendable (inout EventRow) -> Void)?
  ) throws {
    let pool = try WarehouseFile.open(
      DataDirectory(path: directory.path), configuration: WarehouseConfiguration())
    try withConnection(pool) { connection in
      guard let change else {
        try connection.execute("ATTACH DATABASE '\(directory.path)/counts.sqlite' AS counts")
        return try connection.execute(sql)
      }
      let rows = try RowStore(connection, spanRows: 20, segmentBytes: 1 << 20, damage: DamagedRows())
      try connection.execute("BEGIN")
      try rows.rewrite(StoredSpan.all(connection)) { row, scan in
        var row = row
        change(&row)
        return .replace(row, Array(scan.properties))
      }
      try connection.execute("COMMIT")
    }
  }

  @Test func `commits are synced to disk`() async throws {
    let (directory, catalog, _) = try setUp()
    let warehouse = try SQLiteWarehouse(directory: directory.path, catalog: catalog)
    // 2 is FULL. GRDB resets it to 1 when it opens a pool.
    try await warehouse.perform {
      let mode = try $0.connection.integer("PRAGMA synchronous")
      #expect(mode == 2)
    }
    let catalogMode = try withConnection(catalog.pool) { try $0.integer("PRAGMA synchronous") }
    #expect(catalogMode == 2)
    for (name, mode) in [("warehouse.sqlite", 0o600), ("counts.sqlite", 0o600), ("catalog.sqlite", 0o600)] {
      let attributes = try FileManager.default.attributesOfItem(atPath: directory.path + "/" + name)
      #expect(attributes[.posixPermissions] as? Int == mode, "\(name)")
    }
    try await warehouse.close()
  }

  @Test func `keys expire after their lifetime, and not before`() async throws {
    let (directory, catalog, app) = try setUp()
    let warehouse = try SQLiteWarehouse(directory: directory.path, catalog: catalog)
    let old = batch(["a"], at: "2025-01-01T00:00:00Z", firstKey: 1)
    let new = batch(["a"], firstKey: 2)
    _ = try await warehouse.commit(old, app: app)
    try await warehouse.close()
    var reopened = try SQLiteWarehouse(directory: directory.path, catalog: catalog)
    _ = try await reopened.commit(new, app: app)
    try await reopened.close()
    reopened = try SQLiteWarehouse(directory: directory.path, catalog: catalog)
    try await reopened.perform { $0.duplicates.expire(before: milliseconds("2026-01-01T00:00:00Z")) }
    var again = old
    again.received = new.received
    let refused = try await reopened.commit(again, app: app)
    #expect(refused.duplicates.isEmpty && refused.accepted == 0)
    #expect(refused.rejections.map(\.reason) == [RejectionReason.timeTooOld.rawValue])
    #expect(try await reopened.commit(new, app: app).duplicates == [0])
    try await reopened.close()
  }
}
