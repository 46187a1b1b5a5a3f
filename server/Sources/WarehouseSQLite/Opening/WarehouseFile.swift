import CTernSQLite
package import DataFiles
import Foundation
package import GRDB
import RowFiles
import TernBase
import TernEvents
import Threads
import Warehouse

/// Opens `warehouse.sqlite`, and for readers `counts.sqlite` with it.
package enum WarehouseFile {
  /// Opens the file for writing, and converts one of an older version. The caller must hold the lock.
  package static func open(_ files: DataDirectory, configuration: WarehouseConfiguration) throws -> DatabasePool {
    let path = files.warehousePath
    // An empty database would take the rows for leftovers and overwrite them.
    if files.isEmpty(path), files.exists(files.rowsPath), try !RowSegment.numbers(in: files.rowsPath).isEmpty {
      throw WarehouseError(
        .damaged, "\(path) is missing, but \(files.rowsPath) has events. Restore the data directory from a backup.")
    }
    try files.createFile(path)
    do {
      try CountFile.create(files, configuration)
      let pool = try DatabasePool(path: path, configuration: settings(files))
      let state = try pool.read { database in
        try WarehouseSchema.format.state(path, integer: SQLConnection(database).integer)
      }
      if state != .current {
        try pool.write { database in
          let connection = try SQLConnection(database)
          try WarehouseSchema.format.prepare(path, integer: connection.integer, execute: connection.execute)
          try configuration.checkOwner()
        }
      }
      try pool.writeWithoutTransaction { database in
        // GRDB sets NORMAL when it enables WAL, after `prepareDatabase`, so FULL must be set here.
        try database.execute(sql: "PRAGMA synchronous = FULL")
        try database.execute(sql: "PRAGMA cache_size = -65536")
        try database.execute(sql: "PRAGMA wal_autocheckpoint = \(configuration.checkpointPages)")
        // A file that one long transaction or reader made large shrinks again.
        try database.execute(sql: "PRAGMA journal_size_limit = \(64 << 20)")
        if let pages = configuration.maximumPages { try database.execute(sql: "PRAGMA max_page_count = \(pages)") }
      }
      try files.syncLogs()
      // After a sync that failed, the system shows what the disk doesn't have, and syncs don't write it again. On a full disk, there may
      // be no room for this.
      try? pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA wal_checkpoint(PASSIVE)") }
      return pool
    } catch {
      throw unusable(path, error)
    }
  }

  /// Opens the file for reading, while another process may write to it.
  package static func openReadOnly(_ files: DataDirectory) throws -> DatabasePool {
    do {
      var settings = settings(files)
      settings.readonly = true
      let pool = try DatabasePool(path: files.warehousePath, configuration: settings)
      let (state, hasCounts) = try pool.read { database in
        let connection = try SQLConnection(database)
        return (
          try WarehouseSchema.format.state(files.warehousePath, integer: connection.integer),
          try connection.integer("SELECT count(*) FROM \(CountFile.schema).sqlite_schema") != 0
        )
      }
      guard state != .empty, hasCounts else {
        throw WarehouseError(.unavailable, "\(files.path) is being created. Try again in a moment.")
      }
      guard state == .current else {
        throw WarehouseError(
          .unavailable, "\(files.path) is of an older version. `tern serve` of this version converts it at its start.")
      }
      return pool
    } catch {
      throw unusable(files.warehousePath, error, countsPath: files.countsPath)
    }
  }

  /// Returns true if no crash recovery is needed. While a server is running, it may also return false.
  static func isComplete(_ files: DataDirectory) throws -> Bool {
    guard files.exists(files.warehousePath) else { return false }
    // A file that was never opened for writing has no tables yet.
    guard let pool = try? openReadOnly(files) else { return false }
    defer { try? pool.close() }
    let isComplete = try? pool.read { database in
      let connection = try SQLConnection(database)
      return try StoredSpan.lastRow(connection) == CountSchema.countedRow(connection)
    }
    return isComplete ?? false
  }

  private static func settings(_ files: DataDirectory) -> Configuration {
    var configuration = Configuration()
    tern_sqlite_guard_shared_memory()
    configuration.busyMode = .timeout(10)
    configuration.label = "warehouse"
    configuration.maximumReaderCount =
      ThreadKind.reports.count + ThreadKind.questions.count + ThreadKind.fetching.count
    configuration.prepareDatabase { database in
      // In effect only for a new file: space of deleted rows can be returned to the disk.
      if !database.configuration.readonly {
        try database.execute(sql: "PRAGMA auto_vacuum = INCREMENTAL; PRAGMA secure_delete = FAST")
        try database.execute(sql: DatabaseFormat.writeAheadLog)
      }
      try database.execute(sql: "PRAGMA cache_size = -16384")
      // The writer doesn't attach it: its transactions would lock the counts, too.
      if database.configuration.readonly {
        try database.execute(sql: "ATTACH DATABASE ? AS \(CountFile.schema)", arguments: [files.countsPath])
      }
    }
    return configuration
  }

  /// - Parameter countsPath: The path of the counts, if the connection attaches them.
  private static func unusable(_ path: String, _ error: any Error, countsPath: String? = nil) -> WarehouseError {
    if let error = error as? WarehouseError { return error }
    if let error = error as? DatabaseError {
      let failure = SQLFailure(
        code: error.extendedResultCode.rawValue, message: error.message ?? "", path: path, countsPath: countsPath)
      if failure.isCorrupt { return failure.warehouseError }
      if let obstacle = failure.obstacle { return obstacle }
    }
    if (error as? DatabaseError)?.resultCode == .SQLITE_FULL {
      return WarehouseError(.full, "The disk is full: \(path) can't grow.", cause: error)
    }
    return WarehouseError(.unavailable, "\(path) can't be opened.", cause: error)
  }
}
