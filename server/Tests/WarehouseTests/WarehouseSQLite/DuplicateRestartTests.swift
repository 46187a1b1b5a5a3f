import Ingest
import TernEvents
import Testing

@testable import AppCatalog
@testable import RowFiles
@testable import Views
@testable import Warehouse
@testable import WarehouseSQLite

/// Duplicates of events that were stored before a restart.
@Suite struct DuplicateRestartTests {
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
  func `duplicates from before and after a restart are found, whichever keys were written`(pendingKeys: Int)
    async throws
  {
    let directory = try TemporaryDirectory()
    let catalog = try Catalog(directory: directory.path)
    let app = try catalog.createApp(name: "Player").id
    let configuration = WarehouseConfiguration(pendingKeys: pendingKeys)
    var warehouse = try SQLiteWarehouse(
      directory: directory.path, catalog: catalog, configuration: configuration)
    let stored = 40_000
    #expect(try await warehouse.commit(request(0..<stored), app: app).accepted == stored)
    try await warehouse.close()

    warehouse = try SQLiteWarehouse(directory: directory.path, catalog: catalog, configuration: configuration)
    try await warehouse.perform { #expect($0.duplicates.coveredRow == Int64(stored)) }
    var sent = stored
    for round in 0..<10 {
      // New events between duplicates of old and new ones.
      let receipt = try await warehouse.commit(request(sent - 2_500..<sent + 1_000), app: app)
      #expect(receipt.accepted == 1_000 && receipt.duplicates == Array(0..<2_500), "round \(round)")
      sent += 1_000
    }
    #expect(try await warehouse.commit(request(0..<sent), app: app).duplicates == Array(0..<sent))
    try await warehouse.close()
  }
}
