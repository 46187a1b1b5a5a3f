import Foundation
import Ingest
import TernBase
import TernEvents
import Testing
import Threads

@testable import AppCatalog
@testable import Views
@testable import Warehouse
@testable import WarehouseSQLite

/// The size of SQLite's write-ahead log.
@Suite struct LogSizeTests {
  @Test func `the write-ahead logs shrink to 64 MiB`() async throws {
    let directory = try TemporaryDirectory()
    let warehouse = try SQLiteWarehouse(directory: directory.path, catalog: Catalog(directory: directory.path))
    try await warehouse.perform {
      let limit = try $0.connection.integer("PRAGMA journal_size_limit")
      #expect(limit == 64 << 20)
    }
    let limit = try await warehouse.counting.perform { try $0.connection.integer("PRAGMA counts.journal_size_limit") }
    #expect(limit == 64 << 20)
    try await warehouse.close()
  }

  @Test func `counting all rows again doesn't make the write-ahead log grow by all that is written`() async throws {
    let directory = try TemporaryDirectory()
    let catalog = try Catalog(directory: directory.path)
    let app = try catalog.createApp(name: "Player").id
    let configuration = WarehouseConfiguration(flushInterval: .seconds(3_600), flushEvents: 50, checkpointPages: 10)
    let warehouse = try SQLiteWarehouse(directory: directory.path, catalog: catalog, configuration: configuration)
    for round in 0..<40 {
      let value = Properties.Element(name: "p", value: .string(String(repeating: "x", count: 200) + String(round)))
      let names = (0..<50).map { "name \($0 + round)" }
      _ = try await warehouse.commit(
        batch(
          names, at: "2026-05-04T10:\(10 + round):00Z", install: "install \(round)", firstKey: Int64(round) * 100,
          properties: [value]), app: app)
    }
    try await warehouse.flush()
    // While anything reads the counts, their log can't begin again.
    try await warehouse.reader.columnThread.run {}
    let sizes = Locked<[Int]>([])
    try await warehouse.counting.perform { counter in
      try counter.removeAll()
      try counter.finish()
      try counter.count { _ in
        let log = try? FileManager.default.attributesOfItem(atPath: directory.path + "/counts.sqlite-wal")
        sizes.withLock { $0.append(log?[.size] as? Int ?? 0) }
      }
    }
    let largest = sizes.withLock { $0.max() } ?? .max
    #expect(sizes.withLock { $0.count } > 30)
    #expect(largest < 1 << 20, "\(largest) bytes")
    try await warehouse.close()
  }
}
