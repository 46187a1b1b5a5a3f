import Columns
import GRDB
import RowFiles
import TernBase
package import TernEvents
import Threads
package import Warehouse
package import WarehouseSQLite

extension SQLiteWarehouse {
  /// Rebuilds all counts, the duplicate index and the columns from the stored events.
  ///
  /// - Parameters:
  ///   - now: The wall time; names that had no room use up this day's allowance.
  ///   - report: Receives messages about damaged events, which the rebuild removes.
  ///   - progress: Receives the number of events counted so far.
  /// - Throws: ``WarehouseError`` with code `inUse` if a server is running on the directory.
  package static func rebuild(
    directory: String, catalog: any CatalogStore, now: Timestamp = WallClock.system(),
    report: @escaping @Sendable (String) -> Void = { _ in }, progress: @escaping @Sendable (Int) -> Void = { _ in }
  ) throws {
    let files = DataDirectory(path: directory)
    var configuration = WarehouseConfiguration.standard
    configuration.report = report
    let isDone: Void? = try owning(files, configuration) { configuration in
      let pool = try WarehouseFile.open(files, configuration: configuration)
      try WarehouseRebuild.derive(
        pool, files, catalog: catalog, configuration: configuration, progress: progress
      ) { try $0.repairRows(now: now) }
      try pool.close()
    }
    guard isDone != nil else {
      throw WarehouseError(.inUse, "A server is running on \(directory). Stop it before you rebuild.")
    }
  }
}

/// The making of everything that is derived from rows.
enum WarehouseRebuild {
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
      try pool.read { try RetiredRowCache.of(files.rowsPath).checkSource(SQLConnection($0)) }
      // Counts must not outlive the names and rows that they count.
      try EventCounter(
        files, configuration: configuration, damage: damage, seed: 0, calendar: catalog.calendar
      ).removeAll()
      try pool.writeWithoutTransaction { database in
        let writer = try Writer(
          SQLConnection(database), files: files, catalog: catalog, configuration: configuration, damage: damage, seed: 0
        )
        try writer.loadLastID()
        try writer.derive(after: repair)
      }
      // Counts, keys and columns depend on rows, not on each other.
      let threads = ThreadPool<Never>(.rebuilding)
      defer { threads.close() }
      let tasks = ParallelTasks(ParallelThreads(count: ThreadKind.sharesOfAllRows, threads))
      tasks.add {
        let counter = try EventCounter.open(files, catalog: catalog, configuration: configuration, damage: damage)
        try counter.count(progress: progress)
        try counter.finish()
      }
      tasks.add {
        try pool.writeWithoutTransaction { database in
          let writer = try Writer(
            SQLConnection(database), files: files, catalog: catalog, configuration: configuration, damage: damage,
            seed: 0)
          try writer.loadLastID()
          try writer.rebuildKeys()
        }
      }
      try pool.read { database in
        let connection = try SQLConnection(database)
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
}
