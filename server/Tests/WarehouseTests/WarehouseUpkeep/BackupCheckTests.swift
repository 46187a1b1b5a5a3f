import Foundation
import Ingest
import TernEvents
import Testing

@testable import AppCatalog
@testable import RowFiles
@testable import Warehouse
@testable import WarehouseSQLite
@testable import WarehouseUpkeep

/// The checks of backups that were complete.
@Suite struct BackupCheckTests {
  private let directory: TemporaryDirectory
  private let backups: TemporaryDirectory
  private let app: AppID
  private let now = timestamp("2026-05-04T12:00:00Z")

  init() throws {
    directory = try TemporaryDirectory()
    backups = try TemporaryDirectory()
    app = try Catalog(directory: directory.path).createApp(name: "Player").id
  }

  private func fill() async throws {
    let warehouse = try SQLiteWarehouse(
      directory: directory.path, catalog: Catalog(directory: directory.path),
      configuration: WarehouseConfiguration(spanRows: 16, segmentBytes: 1_000))
    for number in 0..<4 {
      _ = try await warehouse.commit(batch((0..<20).map { "\($0)" }, firstKey: Int64(number) * 100), app: app)
    }
    try await warehouse.close()
  }

  private func flip(_ path: String) throws {
    var bytes = try Data(contentsOf: URL(filePath: path))
    bytes[bytes.count / 2] ^= 1
    try bytes.write(to: URL(filePath: path))
  }

  @Test func `a whole backup is read to its last byte`() async throws {
    try await fill()
    let path = backups.path + "/one"
    let made = try Backup.create(of: directory.path, at: path, now: now)
    var last = 0
    let check = try Backup.check(path) { last = $0 }
    #expect(check.damages == [] && check.files >= 5)
    #expect(check.summary.events == 80 && check.summary.bytes == made.bytes && check.summary.created == now)
    #expect(last == made.bytes)
  }

  @Test func `a list that can't be read is no sign that there is no backup`() async throws {
    try await fill()
    let path = backups.path + "/one"
    _ = try Backup.create(of: directory.path, at: path, now: now)
    let list = path + "/backup.json"
    try FileManager.default.removeItem(atPath: list)
    let missing = #expect(throws: WarehouseError.self) { try Backup.check(path) }
    #expect(missing?.message == "\(path) is not a complete backup: it has no backup.json.")
    // As a disk that doesn't answer: nothing is known of what is under the name.
    try FileManager.default.createSymbolicLink(atPath: list, withDestinationPath: list)
    let unknown = #expect(throws: WarehouseError.self) { try Backup.check(path) }
    #expect(unknown?.message.hasPrefix("\(list) can't be read: ") == true)
  }

  @Test func `each file that is damaged, short, long or missing is named`() async throws {
    try await fill()
    let path = backups.path + "/one"
    _ = try Backup.create(of: directory.path, at: path, now: now)
    let files = ["catalog.sqlite", "counts.sqlite", "rows/1.rows", "rows/2.rows"].map { "\(path)/\($0)" }
    try flip(files[0])
    try FileManager.default.removeItem(atPath: files[1])
    try flip(files[2])
    let rows = try Data(contentsOf: URL(filePath: files[3]))
    for bytes in [rows.dropLast(), rows + [0]] {
      try bytes.write(to: URL(filePath: files[3]))
      let damages = try Backup.check(path).damages
      #expect(damages.count == 4)
      for file in files { #expect(damages.contains { $0.hasPrefix("\(file) is ") }, "\(damages)") }
      #expect(damages.contains("\(files[1]) is missing or too short."))
      #expect(damages.contains("\(files[3]) is damaged: it has \(bytes.count) bytes instead of \(rows.count)."))
    }
  }

  @Test func `what is no backup isn't called whole`() async throws {
    try await fill()
    let path = backups.path + "/one"
    _ = try Backup.create(of: directory.path, at: path, now: now)
    // As a mount leaves it whose upload crossed with a change of the name.
    try FileManager.default.removeItem(atPath: path + "/backup.json")
    for path in [path, backups.path + "/none", directory.path] {
      let error = #expect(throws: WarehouseError.self) { try Backup.check(path) }
      #expect(error?.message == "\(path) is not a complete backup: it has no backup.json.")
    }
  }

  @Test func `a regular backup that was complete is looked at before the next one`() async throws {
    try await fill()
    let series = BackupSeries(path: backups.path, interval: .seconds(60), kept: 3)
    let last = try series.add(of: directory.path, now: now).path
    #expect(try series.problem(with: last) == nil)
    #expect(try series.problem(with: "/elsewhere/tern-20260504T120000Z") == nil, "of other backups")
    #expect(throws: CancellationError.self) { try series.problem(with: last) { true } }

    let (catalog, rows) = ("\(last)/catalog.sqlite", "\(last)/rows/1.rows")
    let wholeRows = try Data(contentsOf: URL(filePath: rows))
    // Only its size is looked at here; the next one reads it, since it would share it.
    try flip(rows)
    #expect(try series.problem(with: last) == nil)
    let next = try series.add(of: directory.path, now: now + .seconds(60)).summary
    #expect(next.damagedBefore == [rows])
    try wholeRows.dropLast().write(to: URL(filePath: rows))
    #expect(try series.problem(with: last)?.hasPrefix("\(rows) is damaged: it has ") == true)
    try wholeRows.write(to: URL(filePath: rows))
    #expect(try series.problem(with: last) == nil)
    try flip(catalog)
    #expect(try series.problem(with: last) == "\(catalog) is damaged.")
    try FileManager.default.removeItem(atPath: last + "/backup.json")
    #expect(try series.problem(with: last)?.contains("is not a complete backup") == true)
    try FileManager.default.removeItem(atPath: last)
    #expect(try series.problem(with: last) == "\(last) is gone.")
  }

  @Test func `files that changed since the backup before aren't called damaged there`() async throws {
    try await fill()
    let series = BackupSeries(path: backups.path, interval: .seconds(60), kept: 3)
    _ = try series.add(of: directory.path, now: now)
    try await fill()
    #expect(try series.add(of: directory.path, now: now + .seconds(60)).summary.damagedBefore == [])
  }
}
