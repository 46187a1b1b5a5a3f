import AppCatalog
import Foundation
import Ingest
import Reports
import ServerBase
import TernEvents
import Testing
import Warehouse
import WarehouseSQLite

@testable import TernServer
@testable import WarehouseUpkeep

/// The removal of old rows by a running server.
@Suite struct KeepingServiceTests {
  @Test func `rows of each app are kept for as long as it says, by the clock that is passed in`() async throws {
    let directory = FileManager.default.temporaryDirectory.appending(path: "tern-keeping-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let catalog = try Catalog(directory: directory)
    let warehouse = try SQLiteWarehouse(directory: directory, catalog: catalog)
    let apps = try ["30d", "2mo", "forever"].map { text in
      let app = try catalog.createApp(name: text, timeZone: "Europe/Berlin")
      try catalog.changeApp(app.id, AppChange(keeping: try KeepingPeriod.reading(text)))
      return app.id
    }
    let day: Int64 = 86_400_000
    // 1 June 2026, 00:30 in Berlin.
    let now = Timestamp(millisecondsSince1970: Int64((Day("2026-05-31") ?? Day(number: 0)).number) * day + 81_000_000)
    for app in apps {
      for age in [0, 29, 31, 60, 63, 100] as [Int64] {
        let time = Timestamp(millisecondsSince1970: now.millisecondsSince1970 - age * day)
        _ = try await warehouse.commit(
          IncomingBatch(
            source: .native, received: time, installs: ["a"], devices: [IncomingDevice()],
            events: [IncomingEvent(index: 0, kind: .event, duplicateKey: nil, time: time, name: "\(age)")]), app: app)
      }
    }
    try await warehouse.flush()
    // Views must seal their days first.
    try await warehouse.sealDays(of: try catalog.views(), now: now)
    #expect(
      try await JobRunner(warehouse: warehouse, catalog: catalog, directory: "").removeOldRows(now: now) == nil)
    func kept() async throws -> [[String]] {
      try await apps.asyncMap { app in try await warehouse.reader.recent(app: app, limit: 9).map(\.name) }
    }
    #expect(try await kept() == [["29", "0"], ["60", "31", "29", "0"], ["100", "63", "60", "31", "29", "0"]])
    // A person who has confirmed a day needn't wait for the hour.
    let today = ReportZone(ZoneRules("Europe/Berlin")!).day(of: now)
    let job = try catalog.requestRemoval(ofRowsOf: apps[2], before: today.advanced(by: -61))
    try await JobRunner(warehouse: warehouse, catalog: catalog, directory: "").run()
    #expect(try catalog.result(ofJob: job.id)?.message.hasPrefix("Removed the rows of app 3") == true)
    #expect(try await kept() == [["29", "0"], ["60", "31", "29", "0"], ["60", "31", "29", "0"]])
    let report = try await warehouse.reader.verify()
    #expect(report.isClean, "\(report.differences)")
    try await warehouse.close()
    try catalog.close()
  }
}

extension Sequence {
  fileprivate func asyncMap<Value>(_ transform: (Element) async throws -> Value) async rethrows -> [Value] {
    var values: [Value] = []
    for element in self { values.append(try await transform(element)) }
    return values
  }
}
