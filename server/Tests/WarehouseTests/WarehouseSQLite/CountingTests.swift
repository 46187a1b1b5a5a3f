import Dispatch
import Foundation
import GRDB
import Ingest
import TernBase
import TernEvents
import Testing

@testable import AppCatalog
@testable import DataFiles
@testable import RowFiles
@testable import Views
@testable import Warehouse
@testable import WarehouseSQLite
@testable import WarehouseUpkeep

/// Counting, which happens on a thread of its own after rows were committed.
@Suite struct CountingTests {
  private let directory: TemporaryDirectory
  private let catalog: Catalog
  private let app: AppID

  init() throws {
    directory = try TemporaryDirectory()
    catalog = try Catalog(directory: directory.path)
    app = try catalog.createApp(name: "Player").id
  }

  private func open(_ configuration: WarehouseConfiguration = WarehouseConfiguration()) throws -> SQLiteWarehouse {
    try SQLiteWarehouse(directory: directory.path, catalog: catalog, configuration: configuration)
  }

  private func commit(_ number: Int, to warehouse: SQLiteWarehouse) async throws {
    let names = ["a", "b", "c", "d", "e", "f", "g"]
    let value = Properties.Element(name: "p", value: .integer(Int64(number)))
    _ = try await warehouse.commit(
      batch(names, install: "install \(number)", firstKey: Int64(number) * 10, properties: [value]), app: app)
  }

  private func total(_ reader: WarehouseReader) async throws -> Int {
    try await reader.total(app: app, dimension: .total, key: "", days: day("2026-05-01")...day("2026-05-30")).count
  }

  @Test func `a disk that doesn't keep what it confirms ends the collecting, until a restart`() async throws {
    let reports = Locked<[String]>([])
    var configuration = WarehouseConfiguration(flushInterval: .seconds(3_600))
    configuration.report = { message in reports.withLock { $0.append(message) } }
    var warehouse = try open(configuration)
    try await commit(0, to: warehouse)
    try await warehouse.flush()
    let path = RowSegment.path(1, in: directory.path + "/rows")
    let counted = try Data(contentsOf: URL(filePath: path)).count
    try await commit(1, to: warehouse)
    // Its block comes back as other bytes, before it is read for the first time.
    let file = try #require(FileHandle(forWritingAtPath: path))
    try file.seek(toOffset: UInt64(counted + RowSegment.blockHeaderSize + 4))
    try file.write(contentsOf: Data(repeating: 0, count: 16))
    try file.close()
    try await warehouse.flush()
    let error = await #expect(throws: WarehouseError.self) { try await commit(2, to: warehouse) }
    #expect(error?.code == .unavailable)
    #expect(error?.message.contains("doesn't keep what it confirms: events 8 to 14 were just written") == true)
    await #expect(throws: WarehouseError.self) { try await warehouse.probeWrite() }
    #expect(warehouse.problems.contains { $0.summary.hasPrefix("The disk doesn't keep what it confirms.") })
    #expect(reports.withLock { $0 }.filter { $0.contains("doesn't keep") }.count == 1)
    try await warehouse.close()
    // The next process can't know, and tries.
    warehouse = try open()
    try await commit(2, to: warehouse)
    try await warehouse.flush()
    #expect(try await total(warehouse.reader) == 14)
    try await warehouse.close()
  }

  @Test func `damage to events that were counted ends no collecting`() async throws {
    let warehouse = try open(WarehouseConfiguration(flushInterval: .seconds(3_600)))
    try await commit(0, to: warehouse)
    try await warehouse.flush()
    let file = try #require(FileHandle(forWritingAtPath: RowSegment.path(1, in: directory.path + "/rows")))
    try file.seek(toOffset: UInt64(RowSegment.headerSize + RowSegment.blockHeaderSize + 4))
    try file.write(contentsOf: Data(repeating: 0, count: 16))
    try file.close()
    try await commit(1, to: warehouse)
    try await warehouse.flush()
    try await commit(2, to: warehouse)
    try await warehouse.close()
  }

  @Test func `events are stored and answered while counting is busy, and are counted afterwards`() async throws {
    let warehouse = try open(WarehouseConfiguration(flushInterval: .milliseconds(1)))
    let (gate, isBusy) = (DispatchSemaphore(value: 0), Locked(false))
    async let busy: Void = warehouse.counting.perform { _ in
      isBusy.withLock { $0 = true }
      gate.wait()
    }
    while !isBusy.withLock({ $0 }) { await Task.yield() }
    for number in 0..<5 { try await commit(number, to: warehouse) }
    #expect(try await total(warehouse.reader) == 0)
    let during = try await warehouse.reader.verify()
    #expect(during.isClean && during.uncountedEvents == 35)
    gate.signal()
    try await busy
    try await warehouse.flush()
    #expect(try await total(warehouse.reader) == 35)
    #expect(try await warehouse.reader.verify().isClean)
    try await warehouse.close()
  }

  @Test func `without a flush, events are counted by themselves, one commit after another`() async throws {
    let warehouse = try open(WarehouseConfiguration(flushInterval: .milliseconds(1)))
    for number in 0..<3 {
      try await commit(number, to: warehouse)
      while try await total(warehouse.reader) != (number + 1) * 7 { try await Task.sleep(for: .milliseconds(2)) }
    }
    try await warehouse.close()
  }

  @Test func `a missing file of counts is made again from the events`() async throws {
    let warehouse = try open()
    for number in 0..<5 { try await commit(number, to: warehouse) }
    try await warehouse.close()
    for suffix in ["", "-wal", "-shm"] { try? StoredFile.delete("\(directory.path)/counts.sqlite\(suffix)") }
    let reader = try SQLiteWarehouse.openForReading(directory: directory.path, catalog: catalog)
    #expect(try await total(reader) == 35)
    #expect(try await reader.verify().isClean)
    try reader.close()
  }

  @Test func `rows that move to another segment while they are counted are counted once`() async throws {
    let configuration = WarehouseConfiguration(flushInterval: .seconds(3_600), spanRows: 7, segmentBytes: 1)
    let warehouse = try open(configuration)
    for number in 0..<5 { try await commit(number, to: warehouse) }
    try await warehouse.close()
    let files = DataDirectory(path: directory.path)
    let pool = try WarehouseFile.open(files, configuration: configuration)
    let reports = Locked<[String]>([])
    let moves = Locked(0)
    let damage = DamagedRows { message in reports.withLock { $0.append(message) } }
    let counter = try EventCounter(files, configuration: configuration, damage: damage, seed: 0) { [catalog] app in
      if moves.withLock({
        $0 += 1; return $0
      }) == 1 {
        try withConnection(pool, Self.moveRows)
      }
      return try catalog.calendar(app)
    }
    try counter.removeAll()
    try counter.count()
    #expect(moves.withLock { $0 } == 2)
    #expect(reports.withLock { $0 } == [])
    try pool.close()
    let reader = try SQLiteWarehouse.openForReading(directory: directory.path, catalog: catalog)
    #expect(try await total(reader) == 35)
    #expect(try await reader.verify().isClean)
    try reader.close()
  }

  @Test func `rows that move to another segment while days are counted again are counted once`() async throws {
    let configuration = WarehouseConfiguration(flushInterval: .seconds(3_600), spanRows: 7, segmentBytes: 1)
    let warehouse = try open(configuration)
    for number in 0..<5 { try await commit(number, to: warehouse) }
    try await warehouse.close()
    let files = DataDirectory(path: directory.path)
    let pool = try WarehouseFile.open(files, configuration: configuration)
    let reports = Locked<[String]>([])
    let (mustMove, calls) = (Locked(false), Locked(0))
    let damage = DamagedRows { message in reports.withLock { $0.append(message) } }
    let counter = try EventCounter(files, configuration: configuration, damage: damage, seed: 0) { [catalog] app in
      calls.withLock { $0 += 1 }
      // The first row has been read by then, and the segments of the others were not opened yet.
      let isNow = mustMove.withLock { mustMove in
        defer { mustMove = false }
        return mustMove
      }
      if isNow { try withConnection(pool, Self.moveRows) }
      return try catalog.calendar(app)
    }
    try counter.count()
    mustMove.withLock { $0 = true }
    #expect(try counter.recount([day("2026-05-04").number], app: app.rawValue) == 1)
    #expect(calls.withLock { $0 } == 2, "counted twice, because the rows have moved")
    #expect(reports.withLock { $0 } == [])

    // A file that is missing is another matter.
    let segment = try #require(try RowSegment.numbers(in: files.rowsPath).min())
    try StoredFile.delete(RowSegment.path(segment, in: files.rowsPath))
    #expect(try counter.recount([day("2026-05-04").number], app: app.rawValue) == 1)
    #expect(reports.withLock { $0 }.count == 2 && damage.ids.count == 1)
    try pool.close()
    let reader = try SQLiteWarehouse.openForReading(directory: directory.path, catalog: catalog)
    #expect(try await total(reader) == 28)
    try reader.close()
  }

  private static func moveRows(_ connection: SQLConnection) throws {
    let rows = try RowStore(connection, spanRows: 7, segmentBytes: 1, damage: DamagedRows())
    try connection.execute("BEGIN")
    try rows.rewrite(StoredSpan.all(connection)) { _, _ in .keep }
    try connection.execute("COMMIT")
    rows.committed()
    try rows.deleteUnused()
  }

  @Test func `counts that could not be stored are counted again`() async throws {
    let warehouse = try open(WarehouseConfiguration(flushInterval: .seconds(3_600)))
    try await commit(0, to: warehouse)
    try await warehouse.flush()
    try await warehouse.counting.perform {
      try $0.connection.execute("PRAGMA counts.max_page_count = 1")
    }
    for number in 1..<400 { try await commit(number, to: warehouse) }
    let failure = await #expect(throws: WarehouseError.self) { try await warehouse.flush() }
    #expect(failure?.code == .full)
    try await warehouse.counting.perform {
      try $0.connection.execute("PRAGMA counts.max_page_count = 100000")
    }
    try await warehouse.flush()
    #expect(try await total(warehouse.reader) == 2_800)
    #expect(try await warehouse.reader.verify().isClean)
    try await warehouse.close()
  }
}
