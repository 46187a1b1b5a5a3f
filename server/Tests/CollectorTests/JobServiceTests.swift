import AppCatalog
import Foundation
import Ingest
import Logging
import Reports
import TernBase
import TernEvents
import Testing
import Warehouse

@testable import RowFiles
@testable import TernServer
@testable import WarehouseSQLite
@testable import WarehouseUpkeep

/// The work that a running server does for commands, and by itself.
@Suite struct JobServiceTests {
  /// A cluster that may have all rows, but hasn't confirmed its copies.
  private struct Unconfirmed: RetiredRowSource {
    func copies(of ids: ClosedRange<Int64>, segment: Int64) -> RowCopies { RowCopies(units: [], hasOthers: true) }
    func forEachRow(of unit: RetiredUnit, _ add: (StoredRow) throws -> Void) throws -> RetiredUnit { unit }
  }

  private static let day: Int64 = 86_400_000
  private let now = Timestamp(millisecondsSince1970: 20_600 * Self.day + 81_000_000)
  private let log = LogRecorder()

  private func commit(_ age: Int64, to warehouse: SQLiteWarehouse, _ app: AppID) async throws {
    let time = Timestamp(millisecondsSince1970: now.millisecondsSince1970 - age * Self.day)
    _ = try await warehouse.commit(
      IncomingBatch(
        source: .native, received: time, installs: ["a"], devices: [IncomingDevice()],
        events: [IncomingEvent(index: 0, kind: .event, duplicateKey: nil, time: time, name: "\(age)")]), app: app)
  }

  @Test func `a job that waits for unreadable rows stops neither the removal of old ones nor their leaving`()
    async throws
  {
    let directory = FileManager.default.temporaryDirectory.appending(path: "tern-jobs-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let catalog = try Catalog(directory: directory)
    let warehouse = try SQLiteWarehouse(
      directory: directory, catalog: catalog, configuration: WarehouseConfiguration(spanRows: 1, segmentBytes: 1))
    let apps = try ["damaged", "whole"].map { name in
      let app = try catalog.createApp(name: name)
      try catalog.changeApp(app.id, AppChange(keeping: try KeepingPeriod.reading("30d")))
      return app.id
    }
    // Each event is in a file of its own.
    for age in [60, 0] as [Int64] { for app in apps { try await commit(age, to: warehouse, app) } }
    try await warehouse.flush()
    try await warehouse.sealDays(of: try catalog.views(), now: now)
    RetiredRowCache.connect(directory, to: Unconfirmed())
    let rows = "\(directory)/rows"
    let first = try #require(try RowSegment.numbers(in: rows).min())
    try FileManager.default.removeItem(atPath: RowSegment.path(first, in: rows))
    let job = try catalog.requestRemoval(ofRowsOf: apps[0], before: Day(number: 20_590))

    let clock = Locked(now)
    let service = JobService(
      warehouse: warehouse, catalog: catalog,
      jobs: JobRunner(warehouse: warehouse, catalog: catalog, directory: directory),
      trials: ProcessTrials(directory: directory),
      logger: Logger(label: "test") { [log] _ in log }, keepsAtHome: .seconds(3_600),
      wallTime: { clock.withLock { $0 } })
    var schedule = KeepingSchedule(keepsAtHome: service.keepsAtHome)
    func work(minute: Int) async throws {
      clock.withLock { $0 = now + .seconds(60 * minute) }
      _ = try await service.work(&schedule) { .seconds(60 * minute) }
    }
    for minute in 0..<10 { try await work(minute: minute) }
    #expect(try catalog.nextJob()?.id == job.id, "it waits")
    #expect(try await warehouse.reader.recent(app: apps[1], limit: 9).map(\.name) == ["0", "60"])
    for minute in 10..<15 {
      // It comes as far as the rows that leave, for which there is no cluster.
      await #expect(throws: ServerFailure.self) { try await work(minute: minute) }
    }
    #expect(try await warehouse.reader.recent(app: apps[1], limit: 9).map(\.name) == ["0"])
    func removals() -> Int { log.messages.count { $0.contains("Could not remove some old rows yet") } }
    #expect(removals() == 1)
    await #expect(throws: ServerFailure.self) { try await work(minute: 15) }
    #expect(removals() == 2)
    RetiredRowCache.connect(directory, to: nil)
    try await warehouse.close()
    try catalog.close()
  }

  @Test func `days that can't be counted again are tried less and less often`() {
    let pauses = [10, 20, 40, 80, 160, 320, 320].map { Duration.seconds($0) }
    #expect((0...6).map(RecoveryService.pause) == pauses && RecoveryService.pause(after: .max) == .seconds(320))
  }
}
