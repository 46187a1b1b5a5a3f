import Foundation
import Ingest
import ServerBase
import TernBase
import TernEvents
import Testing

@testable import AppCatalog
@testable import RowFiles
@testable import Warehouse
@testable import WarehouseContract
@testable import WarehouseSQLite
@testable import WarehouseUpkeep

/// Rows that can't be read at home, and their copies on a cluster.
@Suite(.timeLimit(.minutes(30))) struct RowMendingTests {
  static let seed =
    ProcessInfo.processInfo.environment["SEED"].flatMap { UInt64($0) } ?? .random(in: 0...UInt64(UInt32.max))
  static let app = AppID(1)

  let directory: TemporaryDirectory
  let catalog = MemoryCatalog(zones: ["Europe/Berlin", "UTC"])
  let cluster = MemoryRows()

  init() throws { directory = try TemporaryDirectory() }

  func open() throws -> SQLiteWarehouse {
    RetiredRowCache.connect(directory.path, to: cluster)
    var configuration = WarehouseConfiguration(spanRows: 30, segmentBytes: 4_000)
    configuration.now = { timestamp("2026-06-01T00:00:00Z") }
    return try SQLiteWarehouse(directory: directory.path, catalog: catalog, configuration: configuration)
  }

  func fill(_ warehouse: SQLiteWarehouse, batches: Int = 30) async throws {
    var traffic = RandomTraffic(
      seed: Self.seed, apps: catalog.apps().map(\.id), center: timestamp("2026-05-04T12:00:00Z"), days: 10,
      isOrdered: true)
    var (number, files) = (0, 0)
    // Some seeds make few rows.
    while number < batches || batches >= 30 && files < 4 {
      let (batch, app) = traffic.next()
      _ = try await warehouse.commit(batch, app: app)
      number += 1
      if number >= batches { files = try await warehouse.segments(receivedBefore: .max).count }
    }
    try await warehouse.flush()
  }

  func segment(_ warehouse: SQLiteWarehouse) async throws -> RetirementCandidate {
    try #require(try await warehouse.segments(receivedBefore: .max).dropFirst().first)
  }

  /// Returns a file with some of the rows, of which earlier and later files have others.
  func segment(_ warehouse: SQLiteWarehouse, amid rows: [Int64]) async throws -> RetirementCandidate? {
    try await warehouse.segments(receivedBefore: .max).first { segment in
      rows.contains { $0 < segment.ids.lowerBound } && rows.contains(where: segment.ids.contains)
        && rows.contains { $0 > segment.ids.upperBound }
    }
  }

  func file(_ segment: RetirementCandidate) -> ScrubbedFile {
    ScrubbedFile(.rows, path: RowSegment.path(segment.number, in: directory.path + "/rows"))
  }

  /// Changes a byte of a file, which makes the events of some blocks unreadable.
  func damage(_ segment: RetirementCandidate, at part: Double = 0.5) throws {
    try Self.flip(file(segment).path, at: part)
  }

  /// Mends a file, and returns true if it was necessary and possible.
  func isMended(_ segment: RetirementCandidate, _ warehouse: SQLiteWarehouse) async throws -> Bool {
    if case .mended = try await warehouse.mendRows(in: segment.number) { true } else { false }
  }

  func damages(_ warehouse: SQLiteWarehouse) throws -> [String] {
    try warehouse.scrubbedFiles().compactMap { try warehouse.damage(of: $0) { _ in } }
  }

  func expectWhole(_ warehouse: SQLiteWarehouse, _ before: [String], _ what: Comment) async throws {
    #expect(try await warehouse.everything() == before, "\(what), seed \(Self.seed)")
    #expect(try damages(warehouse) == [], "\(what)")
    let report = try await warehouse.reader.verify()
    #expect(report.isClean, "\(what): \(report.problems) \(report.differences), seed \(Self.seed)")
  }

  @Test(arguments: [0.02, 0.3, 0.5, 0.99, 1])
  func `rows that can't be read come back from the cluster, wherever they are`(part: Double) async throws {
    let warehouse = try open()
    try await fill(warehouse)
    let before = try await warehouse.everything()
    let segment = try await segment(warehouse)
    try await warehouse.copy(segment, to: cluster)
    if part < 1 {
      try damage(segment, at: part)
    } else {
      try FileManager.default.removeItem(atPath: file(segment).path)
    }
    #expect(try damages(warehouse).count == 1)
    #expect(!warehouse.problems.isEmpty)

    cluster.isAway = true
    await #expect(throws: WarehouseError.self) { try await warehouse.mend(file(segment)) }
    #expect(try damages(warehouse).count == 1 && warehouse.reader.retiredRows() == 0)
    cluster.isAway = false
    #expect(try await warehouse.mend(file(segment)))
    #expect(warehouse.problems.isEmpty)
    try await expectWhole(warehouse, before, "mended")
    #expect(try StoredFile.names(in: directory.path + "/rows/fetched", endingWith: [".unit"]).isEmpty)
    try await warehouse.close()
  }

  @Test func `a file stays as it is while the cluster doesn't have all of its lost rows`() async throws {
    let warehouse = try open()
    try await fill(warehouse)
    let segment = try await segment(warehouse)
    try damage(segment)
    #expect(try await !warehouse.mend(file(segment)))
    cluster.setOthers(true)
    #expect(try await !warehouse.mend(file(segment)))
    #expect(FileManager.default.fileExists(atPath: file(segment).path))
    try await warehouse.close()
  }

  /// Each way in which a job writes rows anew.
  private enum Job: CaseIterable {
    case person, quarantine, expiry, app
  }

  func person(_ warehouse: SQLiteWarehouse) async throws -> Person {
    let name = try await warehouse.reader.reading {
      try $0.texts("SELECT name FROM member WHERE app = 1 ORDER BY name LIMIT 1").first
    }
    return .user(try #require(name))
  }

  private func run(
    _ job: Job, _ warehouse: SQLiteWarehouse, _ segment: RetirementCandidate, _ person: Person = .user("nobody")
  ) async throws {
    switch job {
    case .person:
      try await warehouse.delete(PersonDeletionRequest(person: person, refusesLater: false), app: Self.app, views: [])
    case .quarantine:
      _ = try await warehouse.quarantine(segment.ids.lowerBound, work: "testing")
      await warehouse.finishQuarantine()
    case .expiry: _ = try await warehouse.removeRows(of: Self.app, before: day("2026-05-30"), views: [])
    case .app: try await warehouse.delete(app: Self.app, views: [])
    }
  }

  @Test(arguments: Job.allCases)
  private func `a job that writes a damaged file anew waits for the cluster, and loses nothing`(job: Job) async throws {
    let (path, other) = (directory.path, try TemporaryDirectory())
    var warehouse = try open()
    try await fill(warehouse)
    let segment = try await segment(warehouse)
    let copied = try await warehouse.storedRows(segment.ids)
    let person = try await person(warehouse)
    try await warehouse.close()
    // The same job, with all rows.
    try FileManager.default.removeItem(atPath: other.path)
    try FileManager.default.copyItem(atPath: path, toPath: other.path)
    let undamaged = try SQLiteWarehouse(
      directory: other.path, catalog: catalog, configuration: WarehouseConfiguration(spanRows: 30, segmentBytes: 4_000))
    try await run(job, undamaged, segment, person)
    let expected = try await undamaged.everything()
    try await undamaged.close()

    warehouse = try open()
    cluster.copy(segment.ids, copied, segment: segment.number)
    try damage(segment)
    cluster.isAway = true
    do {
      try await run(job, warehouse, segment, person)
      // Which rows are damaged depends on the seed: a job that takes away all or none of them needn't read them.
      #expect(job != .quarantine)
      cluster.isAway = false
    } catch {
      #expect((error as? WarehouseError)?.code == .rowsAway)
      #expect(FileManager.default.fileExists(atPath: file(segment).path))
      cluster.isAway = false
      try await run(job, warehouse, segment, person)
    }
    if FileManager.default.fileExists(atPath: file(segment).path) { #expect(try await warehouse.mend(file(segment))) }
    await warehouse.finishQuarantine()
    try await expectWhole(warehouse, expected, "\(job)")
    try await warehouse.close()
  }

  @Test func `a job waits if the cluster may have rows in another form, and refuses if it has none`() async throws {
    let warehouse = try open()
    try await fill(warehouse)
    let segment = try await segment(warehouse)
    try damage(segment)
    cluster.setOthers(true)
    let error = await #expect(throws: WarehouseError.self) { try await run(.quarantine, warehouse, segment) }
    #expect(error?.code == .rowsAway && error?.message.contains("tern rebuild") == true)
    cluster.setOthers(false)
    let refusal = await #expect(throws: WarehouseError.self) { try await run(.quarantine, warehouse, segment) }
    #expect(refusal?.code == .damaged && refusal?.message.contains("tern rebuild") == true)
    #expect(FileManager.default.fileExists(atPath: file(segment).path))
    #expect(try damages(warehouse).count == 1)
    try await warehouse.close()
  }

  @Test func `without settings of the cluster, rows that it may have are not given up`() async throws {
    let warehouse = try open()
    try await fill(warehouse)
    let segment = try await segment(warehouse)
    try damage(segment)
    RetiredRowCache.connect(directory.path, to: nil)
    try Data().write(to: URL(filePath: directory.path + "/shipping.sqlite"))
    let error = await #expect(throws: WarehouseError.self) { try await run(.quarantine, warehouse, segment) }
    #expect(error?.code == .rowsAway)
    #expect(FileManager.default.fileExists(atPath: file(segment).path))
    try await warehouse.close()
  }

  @Test func `days that were counted without rows are counted again when these are back, also after a restart`()
    async throws
  {
    var warehouse = try open()
    try await fill(warehouse)
    let before = try await warehouse.everything()
    let segment = try await segment(warehouse)
    try await warehouse.copy(segment, to: cluster)
    try damage(segment)
    for app in catalog.apps() { try await warehouse.recountDays(of: app.id) { _, _ in } }
    #expect(try await warehouse.everything() != before)
    // The process ends after the rows are back.
    #expect(try await isMended(segment, warehouse))
    try await warehouse.close()
    warehouse = try open()
    #expect(try await !warehouse.reader.reading { try UncountedDays($0).days.isEmpty })
    await warehouse.finishQuarantine()
    #expect(try await warehouse.reader.reading { try UncountedDays($0).days.isEmpty })
    try await expectWhole(warehouse, before, "counted again")
    try await warehouse.close()
  }

  @Test func `a rebuild takes rows that can't be read from the cluster, and removes those that it doesn't have`()
    async throws
  {
    var warehouse = try open()
    try await fill(warehouse)
    let before = try await warehouse.everything()
    let segments = try await warehouse.segments(receivedBefore: .max)
    let (first, second) = (segments[1], segments[2])
    try await warehouse.copy(first, to: cluster)
    try await warehouse.close()
    try damage(first)
    try SQLiteWarehouse.rebuild(directory: directory.path, catalog: catalog)
    warehouse = try open()
    try await expectWhole(warehouse, before, "rebuilt")
    try await warehouse.close()
    try damage(second)
    try SQLiteWarehouse.rebuild(directory: directory.path, catalog: catalog)
    warehouse = try open()
    #expect(try damages(warehouse) == [])
    let after = try await warehouse.everything()
    #expect(after.count < before.count && after.count > before.count / 2)
    try await warehouse.close()
  }

  @Test func `rows for the cluster are never taken for gone because they can't be read`() async throws {
    let warehouse = try open()
    try await fill(warehouse)
    let segment = try await segment(warehouse)
    let rows = ShippedRows(warehouse.reader, hasAttachments: false)
    let whole = try await rows.rows(segment.ids, into: [Int64]()) { ids, row in
      ids.append(row.id)
      return true
    }
    try damage(segment)
    let error = await #expect(throws: UnreadableRows.self) {
      _ = try await rows.rows(segment.ids, into: 0) { _, _ in true }
    }
    let lost = try #require(error?.ids)
    #expect(segment.ids.contains(lost.lowerBound) && segment.ids.contains(lost.upperBound))
    // Those before can be read.
    let some = try await rows.rows(segment.ids.lowerBound...lost.lowerBound - 1, into: [Int64]()) { ids, row in
      ids.append(row.id)
      return true
    }
    #expect(some == whole.filter { $0 < lost.lowerBound })
    rows.close()
    try await warehouse.close()
  }

  @Test func `the writer doesn't wait for columns that are being loaded`() async throws {
    let warehouse = try open()
    try await fill(warehouse, batches: 5)
    try await warehouse.perform { writer in
      try writer.transact { try RewritingTable.note(staleColumnsOf: [1], writer.connection) }
    }
    let (isHeld, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    Thread.detachNewThread {
      warehouse.reader.columns.state.withLock { _ in
        isHeld.signal()
        mayEnd.wait()
      }
    }
    await withCheckedContinuation { waiter in
      Thread.detachNewThread {
        isHeld.wait()
        waiter.resume()
      }
    }
    async let forgotten: Void = warehouse.forgetLostRows()
    for number in 0..<3 {
      _ = try await warehouse.commit(batch(["new"], firstKey: 7_000 + Int64(number)), app: Self.app)
    }
    mayEnd.signal()
    try await forgotten
    #expect(try await warehouse.perform { try RewritingTable.staleColumns($0.connection) } == [])
    try await warehouse.close()
  }
}
