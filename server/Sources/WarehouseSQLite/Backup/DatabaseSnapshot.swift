import GRDBSQLite
import Warehouse

/// A connection that sees one moment of a database until it is closed.
final class DatabaseSnapshot {
  let connection: SQLConnection
  private let path: String

  /// Opens an existing file.
  init(_ path: String, isReadOnly: Bool = true) throws {
    var handle: OpaquePointer?
    let flags = isReadOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE
    let result = sqlite3_open_v2(path, &handle, flags | SQLITE_OPEN_NOMUTEX, nil)
    guard let handle else { throw WarehouseError(code: .unavailable, message: "\(path) can't be opened.") }
    connection = SQLConnection(handle: handle)
    self.path = path
    guard result == SQLITE_OK else { throw failure }
    sqlite3_busy_timeout(handle, 10_000)
  }

  deinit { sqlite3_close_v2(connection.handle) }

  private var failure: WarehouseError {
    let failure = connection.failure
    return WarehouseError(
      code: failure.isFull ? .full : .unavailable, message: "\(path) can't be read or written.", cause: failure)
  }

  /// Begins to see one moment, at latest now.
  func begin() throws {
    try execute("BEGIN")
    _ = try integer("SELECT count(*) FROM sqlite_schema")
  }

  func execute(_ sql: String) throws {
    do { try connection.execute(sql) } catch { throw failure }
  }

  func integer(_ sql: String) throws -> Int64? {
    do { return try connection.integer(sql) } catch { throw failure }
  }

  /// Copies the database as this connection sees it to a new file.
  ///
  /// - Parameter onStep: Called every 16 MiB; an error that it throws ends the copying.
  func copy(to path: String, onStep: () throws -> Void) throws {
    _ = try CopiedFile(creating: path)
    do {
      let target = try DatabaseSnapshot(path, isReadOnly: false)
      // The caller syncs the file when it is complete; before that it counts for nothing.
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
    let database = try DatabaseSnapshot(path, isReadOnly: false)
    let result = try database.connection.prepare("PRAGMA quick_check(1)").first { $0.text(0) }
    guard result == "ok" else {
      throw WarehouseError(code: .damaged, message: "\(path) is damaged: \(result ?? "it can't be checked").")
    }
    try body(database.connection)
  }
}
