import Ingest
import TernEvents
import Testing

@testable import AppCatalog
@testable import Views
@testable import Warehouse
@testable import WarehouseSQLite

/// The embedded warehouse, checked against the naive one.
@Suite struct SQLiteWarehouseContractTests {
  /// Small limits, so that spans, flushes, drains and evictions happen all the time.
  private static let tight = {
    var configuration = WarehouseConfiguration(
      flushInterval: .milliseconds(1), flushEvents: 37, pendingKeys: 50, cachedInstalls: 8, checkpointPages: 5)
    configuration.spanRows = 60
    return configuration
  }()

  private func run(
    seed: UInt64, center: String, days: Int64, batches: Int, _ configuration: WarehouseConfiguration
  ) async throws {
    let directory = try TemporaryDirectory()
    let catalog = try Catalog(directory: directory.path)
    var zones: [AppID: String] = [:]
    for zone in ["UTC", "Europe/Berlin", "America/Sao_Paulo", "Australia/Lord_Howe"] {
      zones[try catalog.createApp(name: zone, timeZone: zone).id] = zone
    }
    @Sendable func open() throws -> SQLiteWarehouse {
      try SQLiteWarehouse(directory: directory.path, catalog: catalog, configuration: configuration)
    }
    let contract = WarehouseContract<SQLiteWarehouse>(
      zones: zones, settle: { try await $0.flush() }, source: { $0.reader },
      reopen: { warehouse in
        try await warehouse.close()
        return try open()
      })
    let warehouse = try await contract.run(
      try open(), seed: seed, center: center, days: days, batches: batches)
    let report = try await warehouse.reader.verify()
    #expect(report.isClean, "seed \(seed): \(report.differences)")
    #expect(report.metrics > 0)
    try await warehouse.close()
  }

  @Test(arguments: 1...6 as ClosedRange<UInt64>)
  func `reports exactly match a naive count`(seed: UInt64) async throws {
    try await run(seed: seed, center: "2026-03-29T01:00:00Z", days: 4, batches: 120, WarehouseConfiguration())
  }

  @Test(arguments: 11...14 as ClosedRange<UInt64>)
  func `reports are exact with limits so small that they are always reached`(seed: UInt64) async throws {
    try await run(seed: seed, center: "2026-10-25T01:00:00Z", days: 2, batches: 120, Self.tight)
  }

  @Test(arguments: 21...22 as ClosedRange<UInt64>)
  func `reports are exact over months`(seed: UInt64) async throws {
    try await run(seed: seed, center: "2026-01-01T00:00:00Z", days: 90, batches: 150, Self.tight)
  }
}
