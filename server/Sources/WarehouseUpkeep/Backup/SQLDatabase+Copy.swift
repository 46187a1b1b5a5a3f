import GRDBSQLite
import RowFiles
import Warehouse
import WarehouseSQLite

extension SQLDatabase {
  /// Copies the database as this connection sees it to a new file.
  ///
  /// - Parameter onStep: Called every 16 MiB; an error that it throws ends the copying.
  func copy(to path: String, onStep: () throws -> Void) throws {
    _ = try CopiedFile(creating: path)
    do {
      let target = try SQLDatabase(path, isReadOnly: false)
      // The caller syncs the file when it is complete. Until then a crash may leave anything: the copy is thrown away.
      try target.execute("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF")
      guard let backup = sqlite3_backup_init(target.connection.handle, "main", connection.handle, "main") else {
        throw target.failure
      }
      var result = SQLITE_OK
      do {
        while result == SQLITE_OK {
          try onStep()
          result = sqlite3_backup_step(backup, 4_096)
        }
      } catch {
        sqlite3_backup_finish(backup)
        throw error
      }
      sqlite3_backup_finish(backup)
      guard result == SQLITE_DONE else { throw target.failure }
    }
  }

  /// Checks the structure of a database file.
  ///
  /// - Throws: ``WarehouseError`` with code `damaged`, or what `body` throws.
  static func check(_ path: String, _ body: (SQLConnection) throws -> Void = { _ in }) throws {
    // Not read-only: the copy says that it has a write-ahead log, which this connection creates and deletes.
    let database = try SQLDatabase(path, isReadOnly: false)
    let result = try database.connection.prepare("PRAGMA quick_check(1)").first { $0.text(0) }
    guard result == "ok" else {
      throw WarehouseError(.damaged, "\(path) is damaged: \(result ?? "it can't be checked").")
    }
    try body(database.connection)
  }
}
