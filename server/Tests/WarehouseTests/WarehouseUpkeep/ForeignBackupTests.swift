import Foundation
import TernEvents
import Testing

@testable import AppCatalog
@testable import RowFiles
@testable import Warehouse
@testable import WarehouseSQLite
@testable import WarehouseUpkeep

/// Backups that come from elsewhere, and have what no backup has.
@Suite struct ForeignBackupTests {
  private let directory: TemporaryDirectory
  private let backups: TemporaryDirectory
  private let now = timestamp("2026-05-04T12:00:00Z")

  init() throws {
    directory = try TemporaryDirectory()
    backups = try TemporaryDirectory()
  }

  private func path(_ name: String) -> String { "\(backups.path)/\(name)" }

  private func names() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: backups.path).sorted() }

  /// Makes a backup with one segment of rows.
  private func makeBackup() async throws {
    let catalog = try Catalog(directory: directory.path)
    defer { try? catalog.close() }
    let app = try catalog.createApp(name: "Player").id
    let warehouse = try SQLiteWarehouse(directory: directory.path, catalog: catalog)
    _ = try await warehouse.commit(batch(["Play"]), app: app)
    try await warehouse.close()
    _ = try Backup.create(of: directory.path, at: path("backup"), now: now)
  }

  @Test(arguments: [
    "config.json", "login-link", "backup.json", "rows", "rows/x.rows", "rows/01.rows", "rows/1.rows.new",
    "rows/../config.json",
    "/elsewhere/1.rows", "symbols/", "symbols/A.b", "symbols/aa/bb", "./catalog.sqlite", "shipping.sqlite", "",
  ])
  func `only files that backups have are restored`(name: String) async throws {
    try await makeBackup()
    let copied = path("backup") + "/catalog.sqlite"
    let bytes = try CopiedFile.size(copied)
    var manifest = try BackupManifest(readingFrom: path("backup"))
    let file = BackupManifest.File(path: name, bytes: bytes, check: try CopiedFile.check(copied, bytes: bytes))
    manifest.files.append(file)
    try? FileManager.default.copyItem(atPath: copied, toPath: "\(path("backup"))/\(name)")
    try manifest.write(to: path("backup"))
    let error = #expect(throws: WarehouseError.self) { try Backup.restore(path("backup"), to: path("new")) }
    #expect(error?.message.contains("lists a file that no backup has") == true)
    #expect(try names() == ["backup"])
  }

  @Test(arguments: ["rows/1.rows", "catalog.sqlite", "backup.json"])
  func `a pipe in place of a file is refused, and not waited for`(name: String) async throws {
    try await makeBackup()
    let file = path("backup") + "/\(name)"
    try FileManager.default.removeItem(atPath: file)
    try #require(mkfifo(file, 0o600) == 0)
    let error = #expect(throws: WarehouseError.self) { try Backup.restore(path("backup"), to: path("new")) }
    #expect(error?.message.contains(name) == true)
    // Which reads only the catalog.
    if name == "catalog.sqlite" {
      #expect(throws: WarehouseError.self) { try RestoredWarehouse(at: path("new"), backup: path("backup")) }
    }
    #expect(try names() == ["backup"])
  }

  @Test func `a size below zero is refused`() throws {
    try BackupManifest(created: now, events: 0, files: [.init(path: "catalog.sqlite", bytes: -1, check: "0")])
      .write(to: backups.path)
    #expect(throws: WarehouseError.self) { try BackupManifest(readingFrom: backups.path) }
  }
}
