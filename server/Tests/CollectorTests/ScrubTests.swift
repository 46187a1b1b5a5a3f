import AppCatalog
import Foundation
import Ingest
import Logging
import TernBase
import TernEvents
import Testing
import Warehouse

@testable import TernServer
@testable import WarehouseSQLite

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
}
