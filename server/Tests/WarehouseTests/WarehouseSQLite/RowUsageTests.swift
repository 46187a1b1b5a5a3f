import Foundation
import Ingest
import TernEvents
import Testing

@testable import AppCatalog
@testable import Warehouse
@testable import WarehouseSQLite

/// The rows of apps by time, against a plain count.
@Suite struct RowUsageTests {
  @Test func `rows of apps are counted before any time`() async throws {
    let seed = ProcessInfo.processInfo.environment["SEED"].flatMap { UInt64($0) } ?? .random(in: 0...UInt64(UInt32.max))
    var generator = FastGenerator(seed: seed)
    let directory = try TemporaryDirectory()
    let catalog = try Catalog(directory: directory.path)
    let apps = try ["A", "B", "C"].map { try catalog.createApp(name: $0).id }
    let start = timestamp("2026-05-04T00:00:00Z")
    var times: [AppID: [Int64]] = [:]
    for restart in 0..<2 {
      // Spans of five rows, so that most have rows of both apps.
      let warehouse = try SQLiteWarehouse(
        directory: directory.path, catalog: catalog, configuration: WarehouseConfiguration(spanRows: 5))
      for _ in 0..<60 {
        let app = apps[Int.random(in: 0..<2, using: &generator)]
        let moment = start + .seconds(Int.random(in: 0..<86_400, using: &generator))
        let names = (0..<Int.random(in: 1...9, using: &generator)).map { "E\($0)" }
        _ = try await warehouse.commit(batch(names, at: moment.utcText(withMilliseconds: false)), app: app)
        times[app, default: []] += names.indices.map { (moment + .seconds($0)).millisecondsSince1970 }
      }
      for app in apps {
        let all = times[app] ?? []
        let near = start.millisecondsSince1970 - 1_000...start.millisecondsSince1970 + 90_000_000
        var limits = (0..<20).map { _ in Int64.random(in: near, using: &generator) }
        limits += all.prefix(3) + [Int64.min / 2, .max / 2]
        let usage = try await warehouse.reader.rowUsage(of: app, before: limits)
        #expect(usage.rows == all.count && usage.earliest == all.min(), "seed \(seed), start \(restart)")
        #expect(usage.rowsBefore == limits.map { limit in all.count { $0 < limit } }, "seed \(seed), start \(restart)")
        #expect((usage.columnBytes > 0) == !all.isEmpty, "seed \(seed)")
      }
      try await warehouse.close()
    }
    try catalog.close()
  }
}
