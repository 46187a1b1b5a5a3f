import Ingest
import TernBase
import TernEvents
import Testing

@testable import AppCatalog
@testable import Views
@testable import Warehouse
@testable import WarehouseSQLite

/// The filter of a stored day after a restart.
@Suite struct DuplicateLoadingTests {
  private static let start = timestamp("2026-05-04T00:00:00Z")

  /// Events of one day, in an order unrelated to their times.
  private func request(_ numbers: Range<Int>) -> IncomingBatch {
    IncomingBatch(
      source: .native, received: Self.start + .seconds(86_400), installs: ["install"], devices: [phone],
      events: numbers.map { number in
        let time = Self.start + .seconds(number * 7_919 % 86_400)
        return IncomingEvent(
          index: number - numbers.lowerBound, duplicateKey: key(Int64(number), at: time), time: time, name: "e")
      })
  }

  @Test(arguments: [500, 1 << 19])
  func `commits after a restart read a bounded number of keys, and miss no duplicate`(pendingKeys: Int) async throws {
    let directory = try TemporaryDirectory()
    let catalog = try Catalog(directory: directory.path)
    let app = try catalog.createApp(name: "Player").id
    let configuration = WarehouseConfiguration(pendingKeys: pendingKeys)
    var warehouse = try SQLiteWarehouse(
      directory: directory.path, catalog: catalog, configuration: configuration)
    let stored = 5 * DuplicateIndex.keysLoadedPerCommit
    #expect(try await warehouse.commit(request(0..<stored), app: app).accepted == stored)
    try await warehouse.close()

    warehouse = try SQLiteWarehouse(directory: directory.path, catalog: catalog, configuration: configuration)
    let loaded = Locked([0])
    var sent = stored
    for round in 0..<10 {
      // New events, whose keys enter the table while it is read, between duplicates of old and new events.
      let receipt = try await warehouse.commit(request(sent - 2_500..<sent + 1_000), app: app)
      #expect(receipt.accepted == 1_000 && receipt.duplicates == Array(0..<2_500), "round \(round)")
      sent += 1_000
      try await warehouse.perform { writer in loaded.withLock { $0.append(writer.duplicates.loadedKeys) } }
    }
    let counts = loaded.withLock { $0 }
    for (before, after) in zip(counts, counts.dropFirst()) {
      #expect(after - before <= DuplicateIndex.keysLoadedPerCommit)
    }
    #expect(counts[9] >= stored, "all keys are loaded in the end")
    #expect(counts[10] == counts[9], "and then no more")
    #expect(try await warehouse.commit(request(0..<sent), app: app).duplicates == Array(0..<sent))
    try await warehouse.close()
  }
}
