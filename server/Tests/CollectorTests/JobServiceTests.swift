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

  @Test func `a deletion that damage keeps from being done waits, says why once, and goes on after a rebuild`()
    async throws
  {
    let directory = FileManager.default.temporaryDirectory.appending(path: "tern-jobs-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let catalog = try Catalog(directory: directory)
    let app = try catalog.createApp(name: "A")
    var warehouse = try SQLiteWarehouse(directory: directory, catalog: catalog)
    for age in [3, 2, 1] as [Int64] { try await commit(age, to: warehouse, app.id) }
    try await warehouse.flush()
    // Only its last byte.
    let file = URL(filePath: RowSegment.path(1, in: "\(directory)/rows"))
    var bytes = try Data(contentsOf: file)
    bytes[bytes.count - 1] ^= 1
    try bytes.write(to: file)
    let request = PersonDeletionRequest(person: .install("a"), refusesLater: false)
    let job = try catalog.addJob(
      .deletePerson, app: app.id, argument: request.text, audit: .backupCreated, "a person")
    var jobs = JobRunner(warehouse: warehouse, catalog: catalog, directory: directory)
    let error = await #expect(throws: WarehouseError.self) { try await jobs.run() }
    #expect(error?.code == .damaged)
    let status = try #require(try catalog.job(job.id))
    #expect(status.state == .blocked && status.text.contains("1 event can't be read (3 to 3)"), "\(status.text)")
    #expect(status.text.hasSuffix("keeps all others. Then this deletion goes on by itself."), "\(status.text)")
    #expect(try catalog.jobCounts().unfinished == 0, "what is verified meanwhile isn't disturbed")
    // Each attempt would read all rows of the app.
    try await jobs.run()
    jobs.retryRefused()
    await #expect(throws: WarehouseError.self) { try await jobs.run() }
    #expect(try catalog.job(job.id)?.state == .blocked)
    // Other work goes on.
    _ = try catalog.addJob(.deleteView, app: app.id, argument: "99", audit: .backupCreated, "a view")
    try await jobs.run()
    #expect(try catalog.jobCounts().finished == 1)
    try await warehouse.close()

    try SQLiteWarehouse.rebuild(directory: directory, catalog: catalog)
    warehouse = try SQLiteWarehouse(directory: directory, catalog: catalog)
    jobs = JobRunner(warehouse: warehouse, catalog: catalog, directory: directory)
    try await jobs.run()
    #expect(try catalog.job(job.id)?.state == .done)
    #expect(try await warehouse.reader.recent(app: app.id, limit: 9).isEmpty)
    try await warehouse.close()
    try catalog.close()
  }

  @Test func `days that can't be counted again are tried less and less often`() {
    let pauses = [10, 20, 40, 80, 160, 320, 320].map { Duration.seconds($0) }
    #expect((0...6).map(RecoveryService.pause) == pauses && RecoveryService.pause(after: .max) == .seconds(320))
  }
}
