import TernEvents
import Testing
import WarehouseContract

@testable import AppCatalog
@testable import Warehouse
@testable import WarehouseSQLite
@testable import WarehouseUpkeep

/// Counting the days of an app again after its time zone has changed.
@Suite struct ZoneChangeTests {
  private static let days = day("2026-04-20")...day("2026-05-20")
  private static let (old, new) = ("America/Los_Angeles", "Asia/Tokyo")

  private func catalog(_ directory: TemporaryDirectory, zone: String) throws -> (Catalog, [AppID]) {
    let catalog = try Catalog(directory: directory.path)
    return (catalog, try ["Player", "Other"].map { try catalog.createApp(name: $0, timeZone: zone).id })
  }

  private func open(_ directory: TemporaryDirectory, _ catalog: Catalog) throws -> SQLiteWarehouse {
    try SQLiteWarehouse(
      directory: directory.path, catalog: catalog,
      configuration: WarehouseConfiguration(flushEvents: 100, recountedRows: 100, spanRows: 50, segmentBytes: 5_000))
  }

  private func fill(_ warehouse: SQLiteWarehouse, _ apps: [AppID], seed: UInt64, batches: Int = 60) async throws {
    var traffic = RandomTraffic(
      seed: seed, apps: apps, center: timestamp("2026-05-04T12:00:00Z"), days: 10, isOrdered: true)
    for _ in 0..<batches {
      let (batch, app) = traffic.next()
      _ = try await warehouse.commit(batch, app: app)
    }
    try await warehouse.flush()
  }

  /// The reports of whole days.
  private func reports(_ warehouse: SQLiteWarehouse, _ app: AppID, days: ClosedRange<Day> = days) async throws
    -> [String]
  {
    let store = warehouse.reader
    var reports: [String] = []
    for dimension in Dimension.allCases where ![.property, .dropped].contains(dimension) {
      reports += try await store.dailyCounts(app: app, dimension: dimension, days: days).map { "\($0)" }
      reports += try await store.totals(app: app, dimension: dimension, days: days, limit: nil).map { "\($0)" }
    }
    reports.append("\(try await store.activity(app: app, days: days))")
    reports.append("\(try await store.properties(app: app, event: "name 0", days: days, limit: 9))")
    return reports
  }

  private func expectClean(_ warehouse: SQLiteWarehouse, _ what: String) async throws {
    let report = try await warehouse.reader.verify()
    #expect(report.isClean, "\(what): \(report.differences) \(report.problems)")
  }

  @Test func `after a kill at any step, the days are those of an app that always had the zone`() async throws {
    let (directory, reference) = (try TemporaryDirectory(), try TemporaryDirectory())
    let (expectedCatalog, _) = try catalog(reference, zone: Self.new)
    let expectedWarehouse = try open(reference, expectedCatalog)
    let (catalog, apps) = try catalog(directory, zone: Self.old)
    let warehouse = try open(directory, catalog)
    for each in [expectedWarehouse, warehouse] { try await fill(each, apps, seed: 3) }
    let expected = try await reports(expectedWarehouse, apps[0])
    let other = try await reports(warehouse, apps[1])
    #expect(try await reports(warehouse, apps[0]) != expected)

    try catalog.changeApp(apps[0], AppChange(timeZone: Self.new))
    var crashes = [try directory.copy()]
    var steps: [Int] = []
    try await warehouse.recountDays(of: apps[0]) { done, all in
      steps.append(done)
      if done < all, let crash = try? directory.copy() { crashes.append(crash) }
    }
    #expect(steps.count > 3 && steps == steps.sorted() && crashes.count == steps.count)
    #expect(try await reports(warehouse, apps[0]) == expected)
    #expect(try await reports(warehouse, apps[1]) == other, "another app keeps its days")
    try await expectClean(warehouse, "at once")
    for (number, crash) in crashes.enumerated() {
      let catalog = try Catalog(directory: crash.path)
      let warehouse = try open(crash, catalog)
      #expect(try catalog.nextJob()?.kind == .changeZone, "the work waits after a crash")
      try await warehouse.recountDays(of: apps[0]) { _, _ in }
      #expect(try await reports(warehouse, apps[0]) == expected, "step \(number)")
      try await expectClean(warehouse, "step \(number)")
      try await warehouse.close()
    }
    try await expectedWarehouse.close()
    try await warehouse.close()
  }

  /// Its old day has no counts any more, and the new one none yet.
  @Test func `after a kill, the day onto which a lone day has moved is still counted`() async throws {
    let directory = try TemporaryDirectory()
    let (catalog, apps) = try catalog(directory, zone: Self.old)
    let warehouse = try SQLiteWarehouse(
      directory: directory.path, catalog: catalog, configuration: WarehouseConfiguration(recountedRows: 0))
    // The evening of the fourth in Los Angeles is the fifth in Tokyo.
    _ = try await warehouse.commit(batch(["a", "b"], at: "2026-05-05T02:00:00Z"), app: apps[0])
    try await warehouse.flush()
    try catalog.changeApp(apps[0], AppChange(timeZone: Self.new))
    var crashes: [TemporaryDirectory] = []
    try await warehouse.recountDays(of: apps[0]) { _, _ in
      if let crash = try? directory.copy() { crashes.append(crash) }
    }
    #expect(crashes.count == 5)
    for (number, crash) in crashes.enumerated() {
      let warehouse = try open(crash, try Catalog(directory: crash.path))
      try await warehouse.recountDays(of: apps[0]) { _, _ in }
      let counts = try await warehouse.reader.dailyCounts(app: apps[0], dimension: .total, days: Self.days)
      #expect(counts.map(\.day) == [day("2026-05-05")] && counts.map(\.count) == [2], "step \(number)")
      try await expectClean(warehouse, "step \(number)")
      try await warehouse.close()
    }
    try await warehouse.close()
  }

  @Test func `events that arrive while days are counted again are counted once`() async throws {
    let (directory, reference) = (try TemporaryDirectory(), try TemporaryDirectory())
    let (expectedCatalog, _) = try catalog(reference, zone: Self.new)
    let expectedWarehouse = try open(reference, expectedCatalog)
    let (catalog, apps) = try catalog(directory, zone: Self.old)
    let warehouse = try open(directory, catalog)
    for each in [expectedWarehouse, warehouse] { try await fill(each, apps, seed: 4) }
    try catalog.changeApp(apps[0], AppChange(timeZone: Self.new))
    let stopped = Task {
      try await warehouse.recountDays(of: apps[0]) { _, _ in withUnsafeCurrentTask { $0?.cancel() } }
    }
    await #expect(throws: CancellationError.self) { try await stopped.value }
    for each in [expectedWarehouse, warehouse] { try await fill(each, apps, seed: 5, batches: 20) }
    #expect(try await reports(warehouse, apps[0]) != reports(expectedWarehouse, apps[0]))
    try await warehouse.recountDays(of: apps[0]) { _, _ in }
    #expect(try await reports(warehouse, apps[0]) == reports(expectedWarehouse, apps[0]))
    try await expectClean(warehouse, "at the end")
    try await expectedWarehouse.close()
    try await warehouse.close()
  }

  @Test func `days whose rows are gone stay as they are`() async throws {
    let directory = try TemporaryDirectory()
    let (catalog, apps) = try catalog(directory, zone: Self.old)
    let warehouse = try open(directory, catalog)
    try await fill(warehouse, apps, seed: 6)
    let kept = Self.days.lowerBound...day("2026-05-03")
    let before = try await reports(warehouse, apps[0], days: kept)
    #expect(try await warehouse.removeRows(of: apps[0], before: day("2026-05-04"), views: []))
    let later = day("2026-05-06")...Self.days.upperBound
    let counted = try await reports(warehouse, apps[0], days: later)
    try catalog.changeApp(apps[0], AppChange(timeZone: Self.new))
    try await warehouse.recountDays(of: apps[0]) { _, _ in }
    #expect(try await reports(warehouse, apps[0], days: kept) == before)
    #expect(try await reports(warehouse, apps[0], days: later) != counted, "days with rows are counted again")
    try await expectClean(warehouse, "at the end")
    try await warehouse.close()
  }

  @Test func `a change of zone is known until its days are counted, and why that failed until it is repeated`() throws {
    let directory = try TemporaryDirectory()
    let (catalog, apps) = try catalog(directory, zone: Self.old)
    #expect(try catalog.zoneChange(of: apps[0]) == nil)
    #expect(throws: WarehouseError.self) { try catalog.changeApp(apps[0], AppChange(timeZone: "Mars/Olympus")) }
    #expect(throws: WarehouseError.self) { try catalog.changeApp(AppID(9), AppChange(timeZone: Self.new)) }
    #expect(try catalog.changeApp(apps[0], AppChange(timeZone: Self.old)).recount == nil, "it is the zone already")
    #expect(try catalog.nextJob() == nil)
    let job = try #require(try catalog.changeApp(apps[0], AppChange(timeZone: Self.new)).recount)
    #expect(try catalog.app(apps[0])?.timeZone == Self.new && catalog.app(apps[1])?.timeZone == Self.old)
    #expect(try catalog.zoneChange(of: apps[0]) == .running(nil) && catalog.zoneChange(of: apps[1]) == nil)
    try catalog.note(DataJob.Progress(text: "3 of 9 days done."), ofJob: job.id)
    #expect(try catalog.zoneChange(of: apps[0]) == .running("3 of 9 days done."))
    #expect(try catalog.changeApp(apps[0], AppChange(timeZone: Self.new)).recount?.id == job.id, "it waits for the job")
    let refusal = #expect(throws: WarehouseError.self) {
      try catalog.changeApp(apps[0], AppChange(name: "New", timeZone: "UTC"))
    }
    #expect(refusal?.message.contains("being counted again in Asia/Tokyo") == true)
    #expect(try catalog.app(apps[0])?.timeZone == Self.new && catalog.app(apps[0])?.name == "Player")
    try catalog.finishJob(job.id, DataJob.Result(isFailed: true, message: "Damaged."))
    #expect(try catalog.zoneChange(of: apps[0]) == .failed("Damaged."))
    let second = try #require(try catalog.changeApp(apps[0], AppChange(timeZone: Self.new)).recount)
    #expect(second.id != job.id)
    try catalog.finishJob(second.id, DataJob.Result(message: "Counted."))
    #expect(try catalog.zoneChange(of: apps[0]) == nil && catalog.nextJob() == nil)
    #expect(try catalog.audit(limit: 1).first?.subject == "1: time_zone Asia/Tokyo, days counted again")
  }
}
