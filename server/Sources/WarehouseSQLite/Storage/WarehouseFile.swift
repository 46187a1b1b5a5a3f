import CTernSQLite
import Foundation
import GRDB
import TernBase
import TernEvents
import Threads
import Warehouse

/// Opens `warehouse.sqlite`, and for readers `counts.sqlite` with it.
enum WarehouseFile {
  /// The number of threads for work on all rows, such as verification: one per core, up to eight.
  static let workThreads = min(max(ProcessInfo.processInfo.activeProcessorCount, 1), 8)

  /// The number of threads for reports: half of the cores, but at least two, so that a slow report leaves room for a
  /// quick one.
  static let reportThreads = max(2, min(8, ProcessInfo.processInfo.activeProcessorCount / 2))

  /// Opens the file for writing, and converts one of an older version. The caller must hold the lock.
  static func open(_ files: DataDirectory, configuration: WarehouseConfiguration) throws -> DatabasePool {
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
        try WarehouseSchema.format.state(path, integer: connection(database).integer)
      }
      if state != .current {
        try pool.write { database in
          let connection = try connection(database)
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
  static func openReadOnly(_ files: DataDirectory) throws -> DatabasePool {
    do {
      var settings = settings(files)
      settings.readonly = true
      let pool = try DatabasePool(path: files.warehousePath, configuration: settings)
      let (state, hasCounts) = try pool.read { database in
        let connection = try connection(database)
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
      throw unusable(files.warehousePath, error)
    }
  }

  /// Creates a writer and finishes what a crash interrupted.
  static func writer(
    _ pool: DatabasePool, _ files: DataDirectory, catalog: any CatalogStore, configuration: WarehouseConfiguration,
    damage: DamagedRows
  ) throws -> Writer {
    do {
      return try pool.writeWithoutTransaction { database in
        let writer = try Writer(
          connection(database), files: files, catalog: catalog, configuration: configuration, damage: damage,
          seed: seed())
        try writer.recover()
        try writer.renewSessions()
        return writer
      }
    } catch {
      throw WarehouseError.from(error)
    }
  }

  /// A seed that only affects memory layout, so it needn't be injectable.
  private static func seed() -> UInt64 {
    var generator = SystemRandomNumberGenerator()
    return generator.next()
  }

  static func openCounter(
    _ files: DataDirectory, catalog: any CatalogStore, configuration: WarehouseConfiguration,
    damage: DamagedRows = DamagedRows(), journal: WorkJournal? = nil
  ) throws -> EventCounter {
    do {
      let counter = try EventCounter(
        files, configuration: configuration, damage: damage, journal: journal, seed: seed(),
        calendar: catalog.calendar)
      if try counter.countedRow > WarehouseSchema.lastRow(counter.connection) {
        configuration.report("The counts include events that are missing. Stop the server and run `tern rebuild`.")
      }
      return counter
    } catch {
      throw WarehouseError.from(error)
    }
  }

  /// Returns true if no crash recovery is needed. While a server is running, it may also return false.
  static func isComplete(_ files: DataDirectory) throws -> Bool {
    guard files.exists(files.warehousePath) else { return false }
    // A file that was never opened for writing has no tables yet.
    guard let pool = try? openReadOnly(files) else { return false }
    defer { try? pool.close() }
    let isComplete = try? pool.read { database in
      let connection = try connection(database)
      return try WarehouseSchema.lastRow(connection) == CountSchema.countedRow(connection)
    }
    return isComplete ?? false
  }

  static func rebuild(
    _ pool: DatabasePool, _ files: DataDirectory, catalog: any CatalogStore, configuration: WarehouseConfiguration,
    now: Timestamp, progress: @escaping @Sendable (Int) -> Void
  ) throws {
    try derive(pool, files, catalog: catalog, configuration: configuration, progress: progress) {
      try $0.repairRows(now: now)
    }
  }

  /// Makes everything that is derived from rows.
  ///
  /// - Parameter repair: Changes rows before.
  static func derive(
    _ pool: DatabasePool, _ files: DataDirectory, catalog: any CatalogStore, configuration: WarehouseConfiguration,
    progress: @escaping @Sendable (Int) -> Void, repair: (Writer) throws -> Void = { _ in }
  ) throws {
    let damage = DamagedRows(report: configuration.report)
    do {
      // Without the cluster, a rebuild would end halfway.
      try pool.read { try RetiredRowCache.of(files.rowsPath).checkSource(connection($0)) }
      // Counts must not outlive the names and rows that they count.
      try EventCounter(
        files, configuration: configuration, damage: damage, seed: 0, calendar: catalog.calendar
      ).removeAll()
      try pool.writeWithoutTransaction { database in
        let writer = try Writer(
          connection(database), files: files, catalog: catalog, configuration: configuration, damage: damage, seed: 0)
        try writer.loadLastID()
        try writer.derive(after: repair)
      }
      // Counts, keys and columns depend on rows, not on each other.
      let threads = ThreadPool<Never>(name: "tern-rebuild", count: WarehouseFile.workThreads - 1, priority: .normal)
      defer { threads.close() }
      let tasks = ParallelTasks(ParallelThreads(count: WarehouseFile.workThreads, threads))
      tasks.add {
        let counter = try openCounter(files, catalog: catalog, configuration: configuration, damage: damage)
        try counter.count(progress: progress)
        try counter.finish()
      }
      tasks.add {
        try pool.writeWithoutTransaction { database in
          let writer = try Writer(
            connection(database), files: files, catalog: catalog, configuration: configuration, damage: damage, seed: 0)
          try writer.loadLastID()
          try writer.rebuildKeys()
        }
      }
      try pool.read { database in
        let connection = try connection(database)
        let columns = ColumnDirectory(path: files.columnsPath, isWritable: true)
        try columns.deleteAll()
        try StoredFile.createDirectory(columns.path)
        let lookups = Locked(try RowLookups(connection, dictionary: ReaderDictionary()))
        let making = ColumnMaking(lookups, rows: files.rowsPath, try StoredSpan.all(connection))
        tasks.add { try making.add(to: tasks) { chunk in _ = columns.store(chunk) } }
        try tasks.run()
      }
    } catch {
      throw WarehouseError.from(error)
    }
  }

  static func connection(_ database: Database) throws -> SQLConnection {
    guard let handle = database.sqliteConnection else { throw WarehouseError(.unavailable, "The warehouse is closed.") }
    return SQLConnection(handle: handle)
  }

  private static func settings(_ files: DataDirectory) -> Configuration {
    var configuration = Configuration()
    tern_sqlite_guard_shared_memory()
    configuration.busyMode = .timeout(10)
    configuration.label = "warehouse"
    configuration.maximumReaderCount =
      reportThreads + WarehouseReader.questionCount + WarehouseReader.fetchingCount
    configuration.prepareDatabase { database in
      // In effect only for a new file: space of deleted rows can be returned to the disk.
      if !database.configuration.readonly {
        try database.execute(sql: "PRAGMA auto_vacuum = INCREMENTAL; PRAGMA secure_delete = FAST")
      }
      try database.execute(sql: "PRAGMA cache_size = -16384")
      // The writer doesn't attach it: its transactions would lock the counts, too.
      if database.configuration.readonly {
        try database.execute(sql: "ATTACH DATABASE ? AS \(CountFile.schema)", arguments: [files.countsPath])
      }
    }
    return configuration
  }

  private static func unusable(_ path: String, _ error: any Error) -> WarehouseError {
    if let error = error as? WarehouseError { return error }
    if let error = error as? DatabaseError,
      let obstacle = SQLFailure(code: error.extendedResultCode.rawValue, message: error.message ?? "", path: path)
        .obstacle
    {
      return obstacle
    }
    if (error as? DatabaseError)?.resultCode == .SQLITE_FULL {
      return WarehouseError(.full, "The disk is full: \(path) can't grow.", cause: error)
    }
    return WarehouseError(.unavailable, "\(path) can't be opened.", cause: error)
  }
}
