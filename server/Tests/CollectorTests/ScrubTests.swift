import AppCatalog
import Foundation
import Ingest
import Logging
import TernBase
import TernEvents
import Testing
import Warehouse

@testable import RowFiles
@testable import TernServer
@testable import WarehouseSQLite
@testable import WarehouseUpkeep

/// The checks of a running server.
@Suite struct ScrubTests {
  private let directory = FileManager.default.temporaryDirectory.appending(path: "tern-scrub-\(UUID().uuidString)").path
  private let log = LogRecorder()
  private let period = Duration.seconds(30 * 86_400)
  private let start = Timestamp(millisecondsSince1970: 1_780_000_000_000)

  private func batch() -> IncomingBatch {
    IncomingBatch(
      source: .native, received: start, installs: ["a"], devices: [IncomingDevice()],
      events: (0..<300).map { index in
        let time = start - .seconds(index)
        return IncomingEvent(
          index: index, kind: .event,
          duplicateKey: DuplicateKey(milliseconds: time.millisecondsSince1970, hash: Int64(index)), time: time,
          name: "\(index)")
      })
  }

  private func flip(_ path: String, at position: Int) throws {
    var bytes = try Data(contentsOf: URL(filePath: path))
    bytes[position] ^= 1
    try bytes.write(to: URL(filePath: path))
  }

  @Test func `damage is found when its file is due, mended or named, and known after a restart`() async throws {
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let (data, backupPath) = (directory + "/data", directory + "/backups")
    let catalog = try Catalog(directory: data)
    let app = try catalog.createApp(name: "Player").id
    let first = try SQLiteWarehouse(directory: data, catalog: catalog)
    _ = try await first.commit(batch(), app: app)
    try await first.close()
    let warehouse = try SQLiteWarehouse(directory: data, catalog: catalog)
    let backups = BackupSeries(path: backupPath, interval: .seconds(60), kept: 2)
    let backup = try backups.add(of: data, now: start).path
    let service = ScrubService(
      warehouse: warehouse, catalog: catalog, backups: backups, copy: nil,
      logger: Logger(label: "test") { [log] _ in log },
      period: period)

    var scrub = try Scrub(service, now: start)
    try await scrub.tick(now: start)
    let status = warehouse.scrub.status
    #expect(status.files >= 5 && status.bytes > 10_000 && status.position == start)
    #expect(status.damaged.values.allSatisfy { $0 == 0 } && status.damaged.count == 4)

    let keys = data + "/keys/0-300.keys"
    try flip(keys, at: 5_000)
    try flip(backup + "/rows/1.rows", at: 200)
    try await scrub.tick(now: start)
    #expect(warehouse.scrub.status.files == status.files, "nothing is due")
    try await scrub.tick(now: start + period)
    let after = warehouse.scrub.status
    #expect(after.files >= 2 * status.files && after.mended == 1)
    #expect(after.damaged == ["rows": 0, "keys": 0, "columns": 0, "backups": 1])
    #expect(warehouse.problems.map(\.summary) == ["A backup is damaged."])
    #expect(log.messages.contains { $0.contains("\(keys) was damaged") })
    #expect(log.messages.filter { $0.contains("\(backup)/rows/1.rows is damaged.") }.count == 1)
    try KeyRun(path: keys).checkBody()
    #expect(try await warehouse.commit(batch(), app: app).accepted == 0)
    try await warehouse.close()

    // The next server looks at what was damaged first.
    let next = try SQLiteWarehouse(directory: data, catalog: catalog)
    #expect(next.problems.isEmpty)
    var again = try Scrub(
      ScrubService(
        warehouse: next, catalog: catalog, backups: backups, copy: nil,
        logger: Logger(label: "test") { [log] _ in log },
        period: period), now: start + period)
    try await again.tick(now: start + period)
    #expect(next.scrub.status.files == 1 && next.scrub.status.damaged["backups"] == 1)
    // When it is gone, so is the problem.
    try FileManager.default.removeItem(atPath: backup)
    try await again.tick(now: start + period)
    #expect(next.problems.isEmpty)
    #expect(try Scrub.damagedPaths(catalog).isEmpty)
    try await next.close()
    try catalog.close()
  }

  /// A cluster that is away, or has all rows.
  private final class Copies: RetiredRowSource {
    private let state = Locked<(rows: [StoredRow], isAway: Bool)>(([], true))

    func answer(_ rows: [StoredRow]) { state.withLock { $0 = (rows, false) } }

    func copies(of ids: ClosedRange<Int64>, segment: Int64) -> RowCopies {
      let unit = RetiredUnit(
        home: 1, epoch: 1, shard: "s", number: 1, generation: 0, ids: 1...300, rows: 300, checksum: 1)
      return RowCopies(units: [unit])
    }

    func forEachRow(of unit: RetiredUnit, _ add: (StoredRow) throws -> Void) throws -> RetiredUnit {
      let (rows, isAway) = state.withLock { $0 }
      if isAway { throw WarehouseError(.rowsAway, "The cluster is away.") }
      for row in rows { try add(row) }
      return unit
    }
  }

  @Test
  func `a mending for which the cluster is away is tried again within minutes, also after a restart, and on request`()
    async throws
  {
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let catalog = try Catalog(directory: directory)
    let app = try catalog.createApp(name: "Player").id
    let warehouse = try SQLiteWarehouse(directory: directory, catalog: catalog)
    _ = try await warehouse.commit(batch(), app: app)
    // Rows that can't be read before they are counted are another finding.
    try await warehouse.flush()
    let copies = Copies()
    RetiredRowCache.connect(directory, to: copies)
    let source = ShippedRows(warehouse.reader, hasAttachments: false)
    let rows = try await source.rows(1...300, into: [StoredRow]()) { rows, row in
      rows.append(row)
      return true
    }
    source.close()
    try flip(directory + "/rows/1.rows", at: 200)
    let service = ScrubService(
      warehouse: warehouse, catalog: catalog, backups: nil, copy: nil, logger: Logger(label: "test") { [log] _ in log },
      period: period)
    var scrub = try Scrub(service, now: start)
    try await scrub.tick(now: start)
    #expect(warehouse.scrub.status.damaged["rows"] == 1)
    let files = warehouse.scrub.status.files
    try await scrub.tick(now: start + .seconds(60))
    #expect(warehouse.scrub.status.files == files, "not yet")
    try await scrub.tick(now: start + .seconds(300))
    #expect(warehouse.scrub.status.files == files + 1 && warehouse.scrub.status.mended == 0)
    // As after a restart.
    scrub = try Scrub(service, now: start + .seconds(301))
    try await scrub.tick(now: start + .seconds(301))
    #expect(warehouse.scrub.status.files == files + 2)
    try await scrub.tick(now: start + .seconds(302))
    #expect(warehouse.scrub.status.files == files + 2)
    try Scrub.request(try warehouse.reader.rowFiles(of: [5]), catalog)
    copies.answer(rows)
    try await scrub.tick(now: start + .seconds(303))
    #expect(warehouse.scrub.status.files == files + 3 && warehouse.scrub.status.mended == 1)
    #expect(warehouse.problems.isEmpty)
    #expect(try await warehouse.reader.verify().isClean)
    #expect(try Scrub.damagedPaths(catalog).isEmpty)
    try await scrub.tick(now: start + .seconds(304))
    #expect(warehouse.scrub.status.files == files + 3)
    RetiredRowCache.connect(directory, to: nil)
    try await warehouse.close()
    try catalog.close()
  }

  @Test func `a folder of backups that can't be listed stops no check of the data, and is named`() async throws {
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let (data, backupPath) = (directory + "/data", directory + "/backups")
    let catalog = try Catalog(directory: data)
    let app = try catalog.createApp(name: "Player").id
    let warehouse = try SQLiteWarehouse(directory: data, catalog: catalog)
    _ = try await warehouse.commit(batch(), app: app)
    let backups = BackupSeries(path: backupPath, interval: .seconds(60), kept: 2)
    let backup = try backups.add(of: data, now: start).path
    let service = ScrubService(
      warehouse: warehouse, catalog: catalog, backups: backups, copy: nil,
      logger: Logger(label: "test") { [log] _ in log }, period: period)
    var scrub = try Scrub(service, now: start)
    try flip(backup + "/rows/1.rows", at: 200)
    try await scrub.tick(now: start)
    #expect(warehouse.scrub.status.failures == ["data": false, "backups": false])
    #expect(warehouse.scrub.status.damaged["backups"] == 1)

    // A file in the place of the folder.
    try FileManager.default.moveItem(atPath: backupPath, toPath: directory + "/moved")
    try Data().write(to: URL(filePath: backupPath))
    try flip(data + "/rows/1.rows", at: 200)
    for step in 1...2 { try await scrub.tick(now: start + period * step) }
    #expect(warehouse.scrub.status.failures == ["data": false, "backups": true])
    #expect(warehouse.scrub.status.damaged == ["rows": 1, "keys": 0, "columns": 0, "backups": 1])
    #expect(warehouse.scrub.status.position == start)
    #expect(warehouse.problems.contains { $0.summary == "Some files are not checked for damage." })
    #expect(log.messages.filter { $0.contains("The files of backups are not checked") }.count == 1)

    try FileManager.default.removeItem(atPath: backupPath)
    try FileManager.default.moveItem(atPath: directory + "/moved", toPath: backupPath)
    let files = warehouse.scrub.status.files
    try await scrub.tick(now: start + period * 2)
    #expect(warehouse.scrub.status.files > files + 2, "all files of backups were due")
    #expect(warehouse.scrub.status.failures == ["data": false, "backups": false])
    #expect(warehouse.scrub.status.position == start + period * 2)
    try await warehouse.close()
    try catalog.close()
  }

  @Test func `a damaged backup that can't be listed after a restart is known after another one`() async throws {
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let (data, backupPath) = (directory + "/data", directory + "/backups")
    let catalog = try Catalog(directory: data)
    let app = try catalog.createApp(name: "Player").id
    var warehouse = try SQLiteWarehouse(directory: data, catalog: catalog)
    _ = try await warehouse.commit(batch(), app: app)
    let backups = BackupSeries(path: backupPath, interval: .seconds(60), kept: 2)
    try flip(try backups.add(of: data, now: start).path + "/rows/1.rows", at: 200)
    func tick() async throws -> Int? {
      let service = ScrubService(
        warehouse: warehouse, catalog: catalog, backups: backups, copy: nil,
        logger: Logger(label: "test") { [log] _ in log }, period: period)
      var scrub = try Scrub(service, now: start)
      try await scrub.tick(now: start)
      return warehouse.scrub.status.damaged["backups"]
    }
    #expect(try await tick() == 1)
    for isListed in [false, true] {
      try await warehouse.close()
      warehouse = try SQLiteWarehouse(directory: data, catalog: catalog)
      if isListed {
        try FileManager.default.removeItem(atPath: backupPath)
        try FileManager.default.moveItem(atPath: directory + "/moved", toPath: backupPath)
      } else {
        // A file in the place of the folder.
        try FileManager.default.moveItem(atPath: backupPath, toPath: directory + "/moved")
        try Data().write(to: URL(filePath: backupPath))
      }
      #expect(try await tick() == (isListed ? 1 : 0))
      #expect(try Scrub.damagedPaths(catalog).count == 1)
    }
    try await warehouse.close()
    try catalog.close()
  }

  @Test func `a check that takes long ends after a file, does what is wanted first, and goes on there`() async throws {
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let catalog = try Catalog(directory: directory)
    let app = try catalog.createApp(name: "Player").id
    let first = try SQLiteWarehouse(directory: directory, catalog: catalog)
    _ = try await first.commit(batch(), app: app)
    try await first.close()
    let warehouse = try SQLiteWarehouse(directory: directory, catalog: catalog)
    let service = ScrubService(
      warehouse: warehouse, catalog: catalog, backups: nil, copy: nil, logger: Logger(label: "test") { [log] _ in log },
      period: period)
    var scrub = try Scrub(service, now: start)
    let count = try warehouse.scrubbedFiles().count
    #expect(count >= 2)
    for checked in 1...count {
      let isDone = try await scrub.tick(now: start, isOver: { true })
      #expect(!isDone)
      #expect(warehouse.scrub.status.files == checked)
    }
    let isDone = try await scrub.tick(now: start, isOver: { true })
    #expect(isDone)
    #expect(warehouse.scrub.status.files == count && warehouse.scrub.status.position == start)
    // All are due, but the one that is asked for is checked first.
    try Scrub.request(try warehouse.reader.rowFiles(of: [5]), catalog)
    try await scrub.tick(now: start + period, isOver: { true })
    #expect(warehouse.scrub.status.files == count + 2)
    try await warehouse.close()
    try catalog.close()
  }
}
