import GRDB
import Ingest
import RowFiles
import ServerBase
package import Warehouse
import WarehouseSQLite

/// A new data directory that is filled with rows that are stored elsewhere, and appears under its name when it is complete.
///
/// Rows keep their IDs, and what they name keeps its numbers. Whatever is derived from rows is made as `tern rebuild` does.
package final class RestoredWarehouse {
  /// The figures of a directory that is complete.
  package struct Summary: Sendable, Hashable {
    package var rows = 0
    /// The last row and the time of its receipt, in milliseconds since 1970.
    package var lastRow: Int64 = 0
    package var lastReceived: Int64 = 0
  }

  /// True if what isn't in rows comes from a whole backup.
  package private(set) var hasTables = false
  private let target: NewDirectory
  private let configuration = WarehouseConfiguration.standard
  private var pool: DatabasePool?
  private var parts: (rows: RestoredRowWriter, names: RestoredNames)?
  private var catalog: (any CatalogStore)?
  private var calendars: [Int64: ZoneCalendar] = [:]
  private var summary = Summary()

  /// Creates the directory under another name.
  ///
  /// - Parameter backup: A backup, a data directory, or only a file `catalog.sqlite`; `nil` for none.
  /// - Throws: ``WarehouseError`` if there are files under the name already.
  package init(at directory: String, backup: String?) throws {
    target = try NewDirectory(directory)
    guard let backup else { return }
    do {
      let isCatalog = backup.hasSuffix(".sqlite")
      let path = isCatalog ? backup : DataDirectory(path: backup).catalogPath
      let copy = DataDirectory(path: target.unfinished).catalogPath
      let source = try SQLDatabase(path)
      try source.begin()
      try source.copy(to: copy) {}
      try SQLDatabase.check(copy)
      try StoredFile.sync(file: copy)
      hasTables = try !isCatalog && copyTables(from: backup)
    } catch {
      target.discard()
      throw WarehouseError.from(error)
    }
  }

  /// The directory until it is complete, for the catalog and whatever else belongs there.
  package var unfinished: String { target.unfinished }

  /// Adds the rows of a unit, with higher IDs than those before.
  ///
  /// - Parameter rows: Calls its argument with each row.
  /// - Returns: The number of the segment that has them.
  /// - Throws: ``WarehouseError`` with code `damaged` for rows that can't belong together, and `invalid` for one of an app or a
  ///   day that isn't that of the catalog.
  package func add(
    to catalog: any CatalogStore, _ rows: ((StoredRow) throws -> Void) throws -> Void
  ) throws -> Int64 {
    self.catalog = catalog
    let pool = try pool ?? WarehouseFile.open(DataDirectory(path: unfinished), configuration: configuration)
    self.pool = pool
    return try pool.writeWithoutTransaction { database in
      let connection = try SQLConnection(database)
      let parts = try parts ?? self.parts(connection)
      self.parts = parts
      return try transact(connection) {
        try rows { try add($0, to: parts, catalog) }
        return try parts.rows.endUnit()
      }
    }
  }

  func transact<Value>(_ connection: SQLConnection, _ body: () throws -> Value) throws -> Value {
    try connection.execute("BEGIN IMMEDIATE")
    do {
      let value = try body()
      try connection.execute("COMMIT")
      return value
    } catch {
      if connection.isInTransaction { try? connection.execute("ROLLBACK") }
      throw error
    }
  }

  private func parts(_ connection: SQLConnection) throws -> (rows: RestoredRowWriter, names: RestoredNames) {
    let store = try RowStore(
      connection, spanRows: configuration.spanRows, segmentBytes: configuration.segmentBytes, damage: DamagedRows())
    return (
      try RestoredRowWriter(connection, store, segmentBytes: configuration.segmentBytes), try RestoredNames(connection)
    )
  }

  private func add(
    _ row: StoredRow, to parts: (rows: RestoredRowWriter, names: RestoredNames), _ catalog: any CatalogStore
  ) throws {
    let encoded = try EncodedRow(row)
    let calendar = try calendars[row.app] ?? catalog.calendar(AppID(row.app))
    calendars[row.app] = calendar
    let day = calendar.day(of: row.time)
    guard row.day == min(max(day, 0), 65_535) else {
      throw WarehouseError(
        .invalid,
        """
        Row \(row.id) of app \(row.app) was counted on \(Day(number: row.day).description), which in the time zone \
        \(calendar.rules.identifier) is \(Day(number: day).description), by zone data \(calendar.rules.source). Give the zone that \
        the app had, or a backup of its catalog, which has its zone data.
        """)
    }
    try parts.rows.add(encoded)
    try parts.names.add(row, encoded.row, receivedDay: calendar.day(of: row.received))
    summary.rows += 1
    (summary.lastRow, summary.lastReceived) = (row.id, row.received)
  }

  /// Derives everything from the rows.
  ///
  /// - Parameter progress: Receives the number of rows counted so far.
  package func derive(progress: @escaping @Sendable (Int) -> Void) throws -> Summary {
    guard let pool, let catalog else { return summary }
    let files = DataDirectory(path: unfinished)
    try pool.writeWithoutTransaction { database in
      let connection = try SQLConnection(database)
      try transact(connection) { try parts?.names.finish() }
      if hasTables { try adopt(connection) }
    }
    // Its statements would keep the file open.
    parts = nil
    try WarehouseRebuild.derive(pool, files, catalog: catalog, configuration: configuration, progress: progress)
    try pool.close()
    try CountFile.closeLogs(files)
    return summary
  }

  /// Gives the directory its name. All its files must be closed.
  package func finish() throws { try target.finish() }

  /// Deletes everything.
  package func discard() {
    parts = nil
    try? pool?.close()
    target.discard()
  }
}
