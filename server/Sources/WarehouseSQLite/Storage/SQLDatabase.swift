import CTernSQLite
import GRDBSQLite
import RowFiles
package import Warehouse

/// A connection of its own to a database file, for one thread at a time.
package final class SQLDatabase {
  package let connection: SQLConnection
  let path: String

  /// Opens an existing file.
  package init(_ path: String, isReadOnly: Bool = true) throws {
    // SQLite would wait for the other end of a pipe.
    guard !StoredFile.exists(path) || CopiedFile.isRegular(path) else {
      throw WarehouseError(.damaged, "\(path) isn't a regular file.")
    }
    tern_sqlite_guard_shared_memory()
    var handle: OpaquePointer?
    let flags = isReadOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE
    let result = sqlite3_open_v2(path, &handle, flags | SQLITE_OPEN_NOMUTEX, nil)
    guard let handle else { throw WarehouseError(.unavailable, "\(path) can't be opened.") }
    connection = SQLConnection(handle: handle)
    self.path = path
    guard result == SQLITE_OK else { throw failure }
    sqlite3_busy_timeout(handle, 10_000)
  }

  deinit { sqlite3_close_v2(connection.handle) }

  package var failure: WarehouseError {
    let failure = connection.failure
    if let obstacle = failure.obstacle { return obstacle }
    return WarehouseError(failure.isFull ? .full : .unavailable, "\(path) can't be read or written.", cause: failure)
  }

  /// Starts a read transaction: all reads until its end see the database as it is now.
  package func begin() throws {
    try execute("BEGIN")
    _ = try integer("SELECT count(*) FROM sqlite_schema")
  }

  package func execute(_ sql: String) throws {
    do { try connection.execute(sql) } catch { throw failure }
  }

  package func integer(_ sql: String) throws -> Int64? {
    do { return try connection.integer(sql) } catch { throw failure }
  }
}
