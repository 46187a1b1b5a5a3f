import Foundation
import GRDB
import Ingest
import TernBase
import TernEvents
import Testing

@testable import AppCatalog
@testable import RowFiles
@testable import Warehouse
@testable import WarehouseSQLite
@testable import WarehouseUpkeep

/// Collecting, verifying and rebuilding with damaged rows.
@Suite struct RowDamageTests {
  /// A directory with five batches of seven events in one span, or in spans of seven.
  private func stored(spanRows: Int = 1_000) async throws -> (TemporaryDirectory, AppID) {
    let directory = try TemporaryDirectory()
    let app = try Catalog(directory: directory.path).createApp(name: "Player").id
    let warehouse = try open(directory, spanRows: spanRows)
    for number in 0..<5 { _ = try await warehouse.commit(batch(number), app: app) }
    try await warehouse.close()
    return (directory, app)
  }

  private func open(
    _ directory: TemporaryDirectory, spanRows: Int = 1_000, report: @escaping @Sendable (String) -> Void = { _ in }
  ) throws -> SQLiteWarehouse {
    var configuration = WarehouseConfiguration(flushInterval: .seconds(3_600), spanRows: spanRows)
    configuration.report = report
    return try SQLiteWarehouse(
      directory: directory.path, catalog: Catalog(directory: directory.path), configuration: configuration)
  }

  private func batch(_ number: Int) -> IncomingBatch {
    WarehouseTests.batch((0..<7).map { "\(number).\($0)" }, firstKey: Int64(number) * 100)
  }

  private func verify(_ directory: TemporaryDirectory) async throws -> VerificationReport {
    let reader = try reader(directory)
    defer { try? reader.close() }
    return try await reader.verify()
  }

  private func reader(_ directory: TemporaryDirectory) throws -> WarehouseReader {
    try SQLiteWarehouse.openForReading(directory: directory.path, catalog: Catalog(directory: directory.path))
  }

  private func names(_ directory: TemporaryDirectory, _ app: AppID) async throws -> [String] {
    let reader = try reader(directory)
    defer { try? reader.close() }
    return try await reader.recent(app: app, limit: 1_000).reversed().map(\.name)
  }

  private func names(_ batches: [Int]) -> [String] { batches.flatMap { number in (0..<7).map { "\(number).\($0)" } } }

  /// Changes a byte in the middle of the block with a batch.
  private func damage(_ directory: TemporaryDirectory, batch number: Int) throws {
    let file = URL(filePath: directory.path + "/rows/1.rows")
    var bytes = try Data(contentsOf: file)
    var position = RowSegment.headerSize
    for _ in 0..<number { position += RowSegment.blockHeaderSize + byteCount(bytes, position) }
    bytes[position + RowSegment.blockHeaderSize + byteCount(bytes, position) / 2] ^= 0x10
    try bytes.write(to: file)
  }

  private func byteCount(_ bytes: Data, _ position: Int) -> Int {
    bytes.withUnsafeBytes { Int($0.loadUnaligned(fromByteOffset: position, as: RowSegment.BlockHeader.self).byteCount) }
  }

  @Test(arguments: [0, 2, 4]) func `collecting continues after a damaged block, and a rebuild keeps all other events`(
    damaged: Int
  ) async throws {
    let (directory, app) = try await stored()
    try damage(directory, batch: damaged)
    let messages = Locked<[String]>([])
    let warehouse = try open(directory) { message in messages.withLock { $0.append(message) } }
    #expect(try await warehouse.commit(batch(5), app: app).accepted == 7)
    #expect(try await warehouse.commit(batch((damaged + 1) % 5), app: app).duplicates.count == 7)
    try await warehouse.close()
    let lost = "events \(damaged * 7 + 1) to \(damaged * 7 + 7) can't be read"
    #expect(messages.withLock { $0.contains { $0.contains(lost) } }, "\(messages.withLock { $0 })")
    let report = try await verify(directory)
    #expect(report.problems.contains { $0.contains(lost) })
    #expect(!report.isClean && report.remedy.contains("tern rebuild"))

    let catalog = try Catalog(directory: directory.path)
    try SQLiteWarehouse.rebuild(directory: directory.path, catalog: catalog)
    let kept = (0..<6).filter { $0 != damaged }
    #expect(try await names(directory, app) == names(kept))
    let after = try await verify(directory)
    #expect(after.isClean && after.events == 35, "\(after.problems) \(after.differences)")
    let again = try open(directory)
    #expect(try await again.commit(batch(6), app: app).accepted == 7)
    #expect(try await again.commit(batch(kept[1]), app: app).accepted == 0)
    try await again.close()
    #expect(try await names(directory, app) == names(kept + [6]))
    #expect(try await verify(directory).isClean)
  }

  @Test(arguments: [0, 10, 24, 300, -1, -300])
  func `collecting continues after a segment lost its end or its beginning`(
    cut: Int
  ) async throws {
    let (directory, app) = try await stored(spanRows: 7)
    let file = URL(filePath: directory.path + "/rows/1.rows")
    let whole = try Data(contentsOf: file)
    var damaged = whole
    if cut < 0 { damaged.removeLast(-cut) } else { damaged.replaceSubrange(0..<cut, with: Data(count: cut)) }
    if cut == 0 { try FileManager.default.removeItem(at: file) } else { try damaged.write(to: file) }
    let warehouse = try open(directory, spanRows: 7)
    #expect(try await warehouse.commit(batch(5), app: app).accepted == 7)
    try await warehouse.close()
    #expect(try await verify(directory).problemCount > 0)
    try SQLiteWarehouse.rebuild(directory: directory.path, catalog: Catalog(directory: directory.path))
    let report = try await verify(directory)
    #expect(report.isClean, "\(report.problems) \(report.differences)")
    let kept = try await names(directory, app)
    // A damaged header costs no event.
    if cut == 10 || cut == 24 { #expect(kept == names([0, 1, 2, 3, 4, 5])) }
    #expect(kept.suffix(7) == names([5])[...])
    #expect(kept.count == report.events && (cut == 0 || kept.count >= 21))
  }

  @Test func `a segment that the system doesn't open is not taken for a damaged one`() async throws {
    let (directory, app) = try await stored()
    let path = directory.path + "/rows/1.rows"
    try FileManager.default.removeItem(atPath: path)
    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: path)
    let error = #expect(throws: WarehouseError.self) { try open(directory) }
    #expect(error?.code == .unavailable)
    let reader = try reader(directory)
    let reading = await #expect(throws: WarehouseError.self) { try await reader.recent(app: app, limit: 10) }
    #expect(reading?.code == .unavailable)
    try reader.close()
  }

  @Test(arguments: [
    ("UPDATE span SET min_t = max_t", "outside their listed"), ("UPDATE span SET apps = x''", "outside their listed"),
    ("DELETE FROM span WHERE first_id = 8", "continues at 15 instead of 8"),
    ("UPDATE span SET last_id = last_id + 1 WHERE first_id = 8", "continues at 15 instead of 16"),
    ("UPDATE counted SET row = 99", "include events up to 99"),
  ])
  func `a wrong description of rows is reported, and a rebuild mends what it can`(sql: String, problem: String)
    async throws
  {
    let (directory, _) = try await stored(spanRows: 7)
    let file = sql.contains("counted") ? "counts.sqlite" : "warehouse.sqlite"
    let queue = try DatabaseQueue(path: "\(directory.path)/\(file)")
    try await queue.write { try $0.execute(sql: sql) }
    try queue.close()
    let report = try await verify(directory)
    #expect(report.problems.contains { $0.contains(problem) }, "\(report.problems)")
    guard !problem.hasPrefix("continues") else { return }
    try SQLiteWarehouse.rebuild(directory: directory.path, catalog: Catalog(directory: directory.path))
    let after = try await verify(directory)
    #expect(after.isClean, "\(after.problems) \(after.differences)")
  }

  @Test func `keys that are missing or damaged in the index are reported`() async throws {
    let (directory, app) = try await stored()
    let warehouse = try open(directory)
    for number in 10..<50 { _ = try await warehouse.commit(batch(number), app: app) }
    try await warehouse.close()
    #expect(try await verify(directory).isClean)
    let keys = directory.path + "/keys"
    let name = try #require(FileManager.default.contentsOfDirectory(atPath: keys).max { $0.count < $1.count })
    let run = try KeyRun(path: "\(keys)/\(name)")
    // A valid run of the same rows, with other keys.
    let others = PendingKeys(capacity: 10)
    for number in 0..<Int64(10) { _ = others.insert(DuplicateKey(milliseconds: number, hash: 1), UInt64(number)) }
    _ = try KeyRunWriter.write(
      others, directory: keys,
      KeyRun.Header(after: run.header.after, through: run.header.through, received: run.header.received))
    #expect(try await verify(directory).problems.contains { $0.contains("index of duplicates lacks") })
    let file = try #require(FileHandle(forWritingAtPath: "\(keys)/\(name)"))
    try file.seek(toOffset: UInt64(KeyRun.pageSize))
    try file.write(contentsOf: Data([0xFF, 0xFF]))
    try file.close()
    #expect(try await verify(directory).problems.contains { $0.contains("\(name) is damaged") })
    try SQLiteWarehouse.rebuild(directory: directory.path, catalog: Catalog(directory: directory.path))
    #expect(try await verify(directory).isClean)
  }

  @Test func `deleted rows leave a gap, and reports, checks and collecting go on`() async throws {
    let (directory, app) = try await stored()
    var warehouse = try open(directory)
    for last in [false, true] {
      try await warehouse.perform { writer in
        try writer.transact {
          try writer.rows.rewrite(StoredSpan.all(writer.connection)) { row, _ in
            (8...14).contains(row.id) || last && row.id > 28 ? .delete : .keep
          }
        }
        try writer.rows.deleteUnused()
      }
      let read = try await warehouse.reader.recent(app: app, limit: 100).reversed().map(\.name)
      #expect(read == names(last ? [0, 2, 3] : [0, 2, 3, 4]))
    }
    #expect(try await warehouse.commit(batch(6), app: app).accepted == 7)
    try await warehouse.close()
    warehouse = try open(directory)
    #expect(try await warehouse.commit(batch(7), app: app).accepted == 7)
    try await warehouse.close()
    #expect(try await names(directory, app) == names([0, 2, 3, 6, 7]))
    try SQLiteWarehouse.rebuild(directory: directory.path, catalog: Catalog(directory: directory.path))
    let report = try await verify(directory)
    #expect(report.isClean && report.events == 35, "\(report.problems) \(report.differences)")
  }

  @Test func `a read that began before its rows moved to another segment is repeated`() async throws {
    let (directory, app) = try await stored()
    let warehouse = try open(directory)
    let attempts = Locked(0)
    let rows = try await warehouse.reader.reading { connection in
      let spans = try StoredSpan.all(connection)
      if attempts.withLock({ attempts in
        defer { attempts += 1 }; return attempts
      }) == 0 {
        try FileManager.default.copyItem(
          atPath: directory.path + "/rows/1.rows", toPath: directory.path + "/rows/aside")
        let number = Locked(false)
        Task {
          try await warehouse.perform { writer in
            try writer.transact { try writer.rows.rewrite(StoredSpan.all(writer.connection)) { _, _ in .keep } }
            try writer.rows.deleteUnused()
            number.withLock { $0 = true }
          }
        }
        while !number.withLock({ $0 }) { usleep(1_000) }
      }
      let scan = EventScan(connection, spans)
      var count = 0
      while try scan.next() != nil { count += 1 }
      return count
    }
    #expect(rows == 35 && attempts.withLock { $0 } == 2)
    _ = app
    try await warehouse.close()
  }
}
