import GRDB
import TernEvents
import Testing

@testable import AppCatalog
@testable import DataFiles
@testable import Warehouse
@testable import WarehouseSQLite

/// Files of older and newer versions.
@Suite struct DatabaseFormatTests {
  private static let first = "CREATE TABLE thing (id INTEGER PRIMARY KEY); INSERT INTO thing VALUES (7)"
  private static let second = "ALTER TABLE thing ADD COLUMN name TEXT; UPDATE thing SET name = 'seven'"

  private let directory: TemporaryDirectory
  private var path: String { directory.path + "/things.sqlite" }

  init() throws { directory = try TemporaryDirectory() }

  private func format(_ steps: [String], mark: Int64 = 77) -> DatabaseFormat {
    DatabaseFormat(applicationID: mark, steps: steps)
  }

  private func prepare(_ format: DatabaseFormat) throws {
    let file = try SQLDatabase(path, isReadOnly: false)
    try file.execute("BEGIN IMMEDIATE")
    do {
      try format.prepare(path, integer: file.integer, execute: file.execute)
      try file.execute("COMMIT")
    } catch {
      try file.execute("ROLLBACK")
      throw error
    }
  }

  @Test func `a file of any older version is converted step by step and keeps its rows`() throws {
    try DataDirectory(path: directory.path).createFile(path)
    try prepare(format([Self.first]))
    let steps = [Self.first, Self.second, "UPDATE thing SET name = name || '!'"]
    #expect(try format(steps).state(path, integer: SQLDatabase(path).integer) == .older(1))
    for count in 2...3 {
      try prepare(format(Array(steps[..<count])))
      let file = try SQLDatabase(path)
      #expect(try format(Array(steps[..<count])).state(path, integer: file.integer) == .current)
    }
    #expect(try SQLDatabase(path).integer("SELECT id FROM thing WHERE name = 'seven!'") == 7)
  }

  @Test func `a step that fails leaves the file in its version`() throws {
    try DataDirectory(path: directory.path).createFile(path)
    try prepare(format([Self.first]))
    #expect(throws: WarehouseError.self) { try prepare(format([Self.first, Self.second, "no SQL"])) }
    let file = try SQLDatabase(path)
    #expect(try format([Self.first]).state(path, integer: file.integer) == .current)
    #expect(try file.integer("SELECT count(*) FROM pragma_table_info('thing')") == 1)
  }

  @Test func `files of newer versions and other programs are refused by name`() throws {
    try DataDirectory(path: directory.path).createFile(path)
    try prepare(format([Self.first, Self.second]))
    let newer = #expect(throws: WarehouseError.self) { try prepare(format([Self.first])) }
    #expect(newer?.message.contains("\(path) was written by a newer version of tern. Install that version") == true)
    let foreign = #expect(throws: WarehouseError.self) { try prepare(format([Self.first], mark: 78)) }
    #expect(foreign?.message.contains("\(path) wasn't written by this program") == true)
  }

  @Test func `the three files of a data directory have marks of their own`() throws {
    let catalog = try Catalog(directory: directory.path)
    _ = try SQLiteWarehouse(directory: directory.path, catalog: catalog)
    let files = DataDirectory(path: directory.path)
    let paths = [files.catalogPath, files.warehousePath, files.countsPath]
    let marks = try paths.map { try SQLDatabase($0).integer("PRAGMA application_id") }
    #expect(Set(marks).count == 3 && !marks.contains(0))
  }

  @Test func `a catalog is not converted while a server of an older version runs`() throws {
    let files = DataDirectory(path: directory.path)
    try Catalog(directory: directory.path).close()
    let next = CatalogSchema.format.adding("ALTER TABLE app ADD COLUMN color TEXT")
    let lock = try #require(try files.lock())
    let refusal = #expect(throws: WarehouseError.self) {
      try Catalog.open(files, format: next, now: WallClock.system)
    }
    #expect(refusal?.code == .inUse)
    #expect(refusal?.message.contains("Stop it, then try again") == true)
    lock.release()
    _ = try Catalog.open(files, format: next, now: WallClock.system)
    #expect(try SQLDatabase(files.catalogPath).integer("PRAGMA user_version") == Int64(next.steps.count))
    #expect(throws: WarehouseError.self, "an older program") { try Catalog(directory: directory.path) }
  }

  @Test func `a catalog of version 3 keeps what alerts have said`() throws {
    let files = DataDirectory(path: directory.path)
    try files.create()
    let steps = Array(CatalogSchema.format.steps.prefix(3))
    let old = DatabaseFormat(applicationID: CatalogSchema.format.applicationID, steps: steps)
    let (pool, apps) = try Catalog.open(files, format: old, now: WallClock.system)
    let row = "INSERT INTO notification (id, alert, time, message) VALUES ('a', 7, 5, 'x')"
    try pool.write { try $0.execute(sql: row) }
    try apps.close()
    try pool.close()
    try Catalog(directory: directory.path).close()
    let kept = "SELECT count(*) FROM notification WHERE id = 'a' AND alert = 7 AND report IS NULL AND time = 5"
    #expect(try SQLDatabase(files.catalogPath).integer(kept) == 1)
  }

  @Test func `a catalog of version 9 keeps users, sessions and the audit log`() throws {
    let files = DataDirectory(path: directory.path)
    try files.create()
    let old = DatabaseFormat(
      applicationID: CatalogSchema.format.applicationID, steps: Array(CatalogSchema.format.steps.prefix(9)))
    let (pool, apps) = try Catalog.open(files, format: old, now: WallClock.system)
    let now = WallClock.system().millisecondsSince1970
    let password = try Secrets.stored("correct horse battery", salt: [1, 2, 3, 4], cost: PasswordCost())
    try pool.write { database in
      try database.execute(sql: "UPDATE account SET password = ?", arguments: [password])
      try database.execute(
        sql: """
          INSERT INTO session (hash, account, created, used, expires, address, browser, provider)
          VALUES (?, 1, ?2, ?2, ?3, '', '', NULL)
          """, arguments: [Secrets.digest("secret"), now - 3_600_000, now + 600_000])
      try database.execute(
        sql: "INSERT INTO audit (time, actor, address, action, subject) VALUES (5, 'owner', '', 'app deleted', 'x')")
    }
    try apps.close()
    try pool.close()
    let catalog = try Catalog(directory: directory.path)
    let account = try catalog.account(name: "owner", password: "correct horse battery")
    #expect(account?.hasSecondFactor == false)
    let session = try catalog.loginSession("secret")
    #expect(session?.account.id == account?.id && session?.isConfirmed == false)
    #expect(try catalog.audit(limit: 9).map { "\($0.action) \($0.count)" } == ["app deleted 1"])
    try catalog.close()
  }
}

extension DatabaseFormat {
  /// The format of a later version.
  fileprivate func adding(_ step: String) -> Self {
    DatabaseFormat(applicationID: applicationID, steps: steps + [step])
  }
}
