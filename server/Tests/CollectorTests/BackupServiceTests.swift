import AppCatalog
import Foundation
import Logging
import TernBase
import TernEvents
import Testing
import Warehouse
import WarehouseSQLite

@testable import TernServer
@testable import WarehouseUpkeep

/// The regular backups of a running server.
@Suite struct BackupServiceTests {
  @Test func `a backup that has vanished since is a failure until the next one finds its predecessor whole`()
    async throws
  {
    let directory = FileManager.default.temporaryDirectory.appending(path: "tern-backups-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let (data, target) = ("\(directory)/data", "\(directory)/backups")
    let catalog = try Catalog(directory: data)
    try await SQLiteWarehouse(directory: data, catalog: catalog).close()
    let failure = Locked<String?>(nil)
    let series = BackupSeries(path: target, interval: .seconds(60), kept: 9)
    let log = LogRecorder()
    var time = Timestamp(millisecondsSince1970: 1_780_000_000_000)
    func backUp() async throws -> String {
      time = time + .seconds(60)
      let service = BackupService(
        directory: data, backups: RegularBackups(series: series, failure: failure), catalog: catalog,
        logger: Logger(label: "test") { _ in log })
      try await service.backUp(now: time)
      return try #require(try series.backups().last)
    }
    let first = try await backUp()
    #expect(failure.withLock { $0 } == nil)
    try FileManager.default.removeItem(atPath: first)
    // Also after a restart.
    let second = try await backUp()
    let text = try #require(failure.withLock { $0 })
    #expect(text.contains("The last backup was complete and isn't any more: \(first) is gone."), "\(text)")
    #expect(text.contains("`tern backup --check \(second)`"), "\(text)")
    #expect(log.messages.contains { $0.contains("\(first) is gone.") })
    _ = try await backUp()
    #expect(failure.withLock { $0 } == nil)
    try catalog.close()
  }

  @Test func `a backup that shares no files says so`() {
    var summary = Backup.Summary(
      created: Timestamp(millisecondsSince1970: 0), events: 2_000, bytes: 4_247 << 10, copiedBytes: 4_247 << 10)
    #expect(summary.text == "2,000 events, 4,247 KiB. All files were verified.")
    summary.linkFailure = "Operation not permitted"
    #expect(
      summary.text
        == "2,000 events, 4,247 KiB. All files were verified. It shares no files with the backup before, and takes its full size: "
        + "the file system made no hard links (Operation not permitted).")
  }
}
