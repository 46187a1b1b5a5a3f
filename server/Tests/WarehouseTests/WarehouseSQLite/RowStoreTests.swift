import Foundation
import GRDB
import Ingest
import TernBase
import TernEvents
import Testing

@testable import AppCatalog
@testable import RowFiles
@testable import Views
@testable import Warehouse
@testable import WarehouseSQLite
@testable import WarehouseUpkeep

#if canImport(Glibc)
  import Glibc
#endif

/// Rows in segments, and the table `span` that tells which of them count.
@Suite struct RowStoreTests {
  private static let days = day("2026-05-01")...day("2026-05-30")

  private func open(
    _ directory: TemporaryDirectory, spanRows: Int = 5, segmentBytes: Int = 1_000,
    report: @escaping @Sendable (String) -> Void = { _ in }
  ) throws -> SQLiteWarehouse {
    var configuration = WarehouseConfiguration(flushInterval: .seconds(3_600))
    configuration.spanRows = spanRows
    configuration.segmentBytes = segmentBytes
    configuration.report = report
    return try SQLiteWarehouse(
      directory: directory.path, catalog: Catalog(directory: directory.path), configuration: configuration)
  }

  private func setUp() throws -> (TemporaryDirectory, AppID) {
    let directory = try TemporaryDirectory()
    return (directory, try Catalog(directory: directory.path).createApp(name: "Player").id)
  }

  private func batch(_ number: Int, _ count: Int = 7) -> IncomingBatch {
    WarehouseTests.batch(
      (0..<count).map { "\(number).\($0)" }, install: "install \(number % 3)", firstKey: Int64(number) * 100,
      properties: [Properties.Element(name: "text", value: .string("value \(number)"))])
  }

  private func segments(_ directory: TemporaryDirectory) throws -> [Int64] {
    try RowSegment.numbers(in: directory.path + "/rows").sorted()
  }

  private func check(_ directory: TemporaryDirectory, _ app: AppID, batches: Int) async throws {
    let reader = try SQLiteWarehouse.openForReading(
      directory: directory.path, catalog: Catalog(directory: directory.path))
    let recent = try await reader.recent(app: app, limit: 10_000)
    let expected = (0..<batches).flatMap { number in (0..<7).map { "\(number).\($0)" } }
    #expect(recent.reversed().map(\.name) == expected)
    #expect(recent.allSatisfy { $0.properties.first?.value == .string("value \($0.name.prefix { $0 != "." })") })
    let report = try await reader.verify()
    #expect(report.isClean && report.events == batches * 7, "\(report.differences)")
    try reader.close()
  }

  @Test func `rows go to another segment when one is large, and stay readable over restarts`() async throws {
    let (directory, app) = try setUp()
    for number in 0..<12 {
      let warehouse = try open(directory)
      _ = try await warehouse.commit(batch(number), app: app)
      try await warehouse.close()
    }
    #expect(try segments(directory).count > 2)
    try await check(directory, app, batches: 12)
  }

  @Test func `a span of large rows ends before it has all of its rows, so that readers needn't hold more`() async throws
  {
    let (directory, app) = try setUp()
    let warehouse = try open(directory, spanRows: 100, segmentBytes: 1 << 30)
    let large = Properties.Element(name: "text", value: .string(String(repeating: "x", count: 1_100_000)))
    for number in 0..<10 {
      let batch = WarehouseTests.batch(["a"], firstKey: Int64(number) * 10, properties: [large])
      _ = try await warehouse.commit(batch, app: app)
    }
    let spans = try await warehouse.reader.reading { try StoredSpan.all($0).map { ($0.rows, $0.isComplete) } }
    #expect(spans.map(\.0) == [4, 4, 2])
    #expect(spans.map(\.1) == [true, true, false])
    try await warehouse.flush()
    #expect(try await warehouse.reader.verify().isClean)
    try await warehouse.close()
  }

  @Test func `nothing stored is verified, and rebuilt, as nothing`() async throws {
    let (directory, _) = try setUp()
    try await open(directory).close()
    let catalog = try Catalog(directory: directory.path)
    let reader = try SQLiteWarehouse.openForReading(directory: directory.path, catalog: catalog)
    #expect(try await reader.verify().isClean)
    try reader.close()
    try SQLiteWarehouse.rebuild(directory: directory.path, catalog: catalog)
    #expect(try segments(directory).isEmpty)
  }

  @Test func `a reader follows the rows after one that it knows`() async throws {
    let (directory, app) = try setUp()
    let warehouse = try open(directory)
    for number in 0..<6 { _ = try await warehouse.commit(batch(number), app: app) }
    let (ids, found) = try await warehouse.reader.reading { connection in
      let scan = try EventScan(connection, ids: 12...33)
      var ids: [Int64] = []
      while let row = try scan.next() { ids.append(row.id) }
      let search = EventScan(connection, try StoredSpan.all(connection))
      let found = try [3, 4, 4, 30, 42, 43].map { try search.find($0)?.id }
      return (ids, found)
    }
    let after = try await warehouse.reader.reading { connection in
      try [0, 40, 42, .max - 1].map { known in
        let scan = try EventScan(connection, after: known)
        var count = 0
        while try scan.next() != nil { count += 1 }
        return count
      }
    }
    #expect(after == [42, 2, 0, 0])
    #expect(ids == Array(12...33))
    #expect(found == [3, 4, 4, 30, 42, nil])
    try await warehouse.close()
  }

  @Test func `rows never overwrite what a crash or a lost log left after the last row, which is reported`() async throws
  {
    let (directory, app) = try setUp()
    var warehouse = try open(directory, spanRows: 100, segmentBytes: 1 << 20)
    _ = try await warehouse.commit(batch(0), app: app)
    try await warehouse.close()
    let before = try directory.copy()
    warehouse = try open(directory, spanRows: 100, segmentBytes: 1 << 20)
    for number in 100..<103 { _ = try await warehouse.commit(batch(number), app: app) }
    try await warehouse.close()
    // As if the log had been lost: the rows are newer than the database.
    try FileManager.default.removeItem(atPath: before.path + "/rows")
    try FileManager.default.copyItem(atPath: directory.path + "/rows", toPath: before.path + "/rows")
    let path = before.path + "/rows/1.rows"
    let rows = try Data(contentsOf: URL(filePath: path))
    let messages = Locked<[String]>([])
    for number in 1..<4 {
      let warehouse = try open(before, spanRows: 100, segmentBytes: 1 << 20) { message in
        messages.withLock { $0.append(message) }
      }
      _ = try await warehouse.commit(batch(number), app: app)
      try await warehouse.close()
    }
    #expect(try Data(contentsOf: URL(filePath: path)) == rows)
    #expect(messages.withLock { $0.count } == 1, "they were only then after the last row")
    #expect(messages.withLock { $0.first?.contains("21 events") } == true)
    #expect(try segments(before) == [1, 2])
    try await check(before, app, batches: 4)
  }

  @Test func `a segment that a failed transaction began is deleted`() async throws {
    let (directory, app) = try setUp()
    let warehouse = try open(directory)
    _ = try await warehouse.commit(batch(0), app: app)
    let before = try segments(directory)
    let rows = try await failingTransaction(warehouse, app)
    #expect(rows > 0)
    #expect(try segments(directory) == before)
    for number in 1..<4 { _ = try await warehouse.commit(batch(number), app: app) }
    try await warehouse.close()
    try await check(directory, app, batches: 4)
  }

  #if os(Linux)
    /// As on a full disk that encrypts: the write fails, and the block before it can't be decrypted.
    @Test(arguments: [true, false])
    func `rows that a failed write has damaged are whole before anything reads them`(hasRoomAtOnce: Bool) async throws {
      let (directory, app) = try setUp()
      let warehouse = try open(directory, spanRows: 1_000, segmentBytes: 1 << 20)
      _ = try await warehouse.commit(batch(0), app: app)
      let path = directory.path + "/rows/1.rows"
      let whole = try Data(contentsOf: URL(filePath: path))
      let disk = Locked<FullDisk?>(nil)
      await #expect(throws: WarehouseError.self) {
        try await warehouse.perform { writer in
          try writer.transact {
            try addRows(to: writer, app)
            let full = try FullDisk(path)
            try damage(path, whole.count - 40)
            defer { if hasRoomAtOnce { full.end() } else { disk.withLock { $0 = full } } }
            try writer.rows.store()
          }
        }
      }
      #expect(try (Data(contentsOf: URL(filePath: path)) == whole) == hasRoomAtOnce)
      if !hasRoomAtOnce {
        await #expect(throws: WarehouseError.self) { try await warehouse.commit(batch(1), app: app) }
        disk.withLock { $0?.end() }
        // Even a transaction without rows.
        try await warehouse.probeWrite()
        #expect(try Data(contentsOf: URL(filePath: path)).prefix(whole.count) == whole)
      }
      for number in 1..<3 { _ = try await warehouse.commit(batch(number), app: app) }
      try await warehouse.close()
      try await check(directory, app, batches: 3)
    }

    private func damage(_ path: String, _ position: Int) throws {
      let file = try FileHandle(forUpdating: URL(filePath: path))
      try file.seek(toOffset: UInt64(position))
      try file.write(contentsOf: Data(repeating: 0xA5, count: 20))
      try file.close()
    }
  #endif

  /// Stores rows in a transaction that fails at its end; returns how many.
  private func failingTransaction(_ warehouse: SQLiteWarehouse, _ app: AppID) async throws -> Int64 {
    let stored = Locked<Int64>(0)
    await #expect(throws: WarehouseError.self) {
      try await warehouse.perform { writer in
        try writer.transact {
          try addRows(to: writer, app)
          stored.withLock { $0 += 100 }
          try writer.rows.store()
          throw WarehouseError(.damaged, "failed")
        }
      }
    }
    return stored.withLock { $0 }
  }

  private func addRows(to writer: Writer, _ app: AppID) throws {
    for id in writer.lastID + 1...writer.lastID + 100 {
      let row = EventRow(
        id: id, app: app.rawValue, time: 0, lag: 0, slot: 0, device: 1, session: 0,
        flags: EventRow.Flags(kind: .event, startsSession: false, isMeasurement: false), name: 1)
      try Array(repeating: UInt8(0), count: 200).withUnsafeBytes {
        try writer.rows.add(row, user: "", properties: $0, parameters: nil)
      }
    }
  }

  @Test func `every damaged byte of a segment is noticed`() async throws {
    let (directory, app) = try setUp()
    let warehouse = try open(directory, spanRows: 100, segmentBytes: 1 << 20)
    for number in 0..<2 { _ = try await warehouse.commit(batch(number), app: app) }
    try await warehouse.close()
    let path = directory.path + "/rows/1.rows"
    let whole = try Data(contentsOf: URL(filePath: path))
    let reader = try SQLiteWarehouse.openForReading(
      directory: directory.path, catalog: Catalog(directory: directory.path))
    for position in whole.indices where position < 120 || position % 7 == 0 {
      var damaged = whole
      damaged[position] ^= 0x10
      try damaged.write(to: URL(filePath: path))
      #expect(try await reader.verify().problemCount > 0, "byte \(position)")
      // A report has the events that can be read, and says that others can't.
      let noticed = Locked<[String]>([])
      let other = try SQLiteWarehouse.openForReading(
        directory: directory.path, catalog: Catalog(directory: directory.path)
      ) { message in noticed.withLock { $0.append(message) } }
      let events = try await other.recent(app: app, limit: 20)
      #expect(events.count < 14 || position < RowSegment.headerSize, "byte \(position)")
      #expect(noticed.withLock { $0.allSatisfy { $0.contains("damaged") } && !$0.isEmpty }, "byte \(position)")
      try other.close()
    }
    try reader.close()
  }

  @Test func `a backup of the database first and of the rows after it is whole, while events arrive`() async throws {
    let (directory, app) = try setUp()
    let warehouse = try open(directory)
    for number in 0..<3 { _ = try await warehouse.commit(batch(number), app: app) }
    try await warehouse.flush()
    let copy = try TemporaryDirectory()
    let target = try DatabaseQueue(path: copy.path + "/warehouse.sqlite")
    try warehouse.reader.pool.backup(to: target)
    try target.close()
    for number in 3..<9 { _ = try await warehouse.commit(batch(number), app: app) }
    for name in ["rows", "catalog.sqlite", "catalog.sqlite-wal"] {
      try FileManager.default.copyItem(atPath: "\(directory.path)/\(name)", toPath: "\(copy.path)/\(name)")
    }
    try await check(copy, app, batches: 3)
    let restored = try open(copy)
    for number in 2..<6 {
      let receipt = try await restored.commit(batch(number), app: app)
      #expect(receipt.accepted == (number < 3 ? 0 : 7))
    }
    try await restored.close()
    try await check(copy, app, batches: 6)
    try await warehouse.close()
    try await check(directory, app, batches: 9)
  }

  @Test func `a rebuild deletes segments that no span uses; nothing else does, and none is overwritten`() async throws {
    let (directory, app) = try setUp()
    var warehouse = try open(directory)
    _ = try await warehouse.commit(batch(0), app: app)
    try await warehouse.close()
    let stray = try #require(segments(directory).last) + 1
    try Data("stray".utf8).write(to: URL(filePath: directory.path + "/rows/\(stray).rows"))
    warehouse = try open(directory)
    for number in 1..<6 { _ = try await warehouse.commit(batch(number), app: app) }
    try await warehouse.close()
    #expect(try segments(directory).contains(stray))
    #expect(try String(contentsOfFile: directory.path + "/rows/\(stray).rows", encoding: .utf8) == "stray")
    try SQLiteWarehouse.rebuild(directory: directory.path, catalog: Catalog(directory: directory.path))
    #expect(try !segments(directory).contains(stray))
    try await check(directory, app, batches: 6)
  }
}

#if os(Linux)
  /// Lets writes to a file fail that this process has open, as on a full disk.
  private struct FullDisk {
    private let descriptor: Int32
    private let file: Int32

    init(_ path: String) throws {
      let path = URL(filePath: path).resolvingSymlinksInPath().path
      let names = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
      let found = names.compactMap { Int32($0) }.first {
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")) == path
          && fcntl($0, F_GETFL) & O_ACCMODE == O_RDWR
      }
      descriptor = try #require(found)
      file = dup(descriptor)
      let full = open("/dev/full", O_RDWR)
      dup2(full, descriptor)
      close(full)
    }

    func end() {
      dup2(file, descriptor)
      close(file)
    }
  }
#endif
