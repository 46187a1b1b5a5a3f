package import DataFiles
import Ingest
package import RowFiles
package import ServerBase
import TernEvents
package import Warehouse

/// Writes batches. Confined to the writer thread; before that starts, to the thread that opens the warehouse.
///
/// Everything it holds in memory is also on disk or can be read again from rows. Crashes and failed transactions
/// therefore share one way to recover: discard and reread.
package final class Writer {
  package let connection: SQLConnection
  let catalog: any CatalogStore
  package let configuration: WarehouseConfiguration
  package let dictionary: WriterDictionary
  package let devices: WriterDevices
  package let installs: WriterInstalls
  package let users: WriterUsers
  package let rows: RowStore
  package let damage: DamagedRows
  package let duplicates: DuplicateIndex
  package let hits: LastHits
  package let rejections: RejectionStore
  package let ledgers: LedgerStore
  package let errors: ErrorStore
  package let refusedPersons: RefusedPersons
  let space: DiskSpace
  let usedPages: UsedPages
  /// The bytes that the database used after the last batch of the open transaction; `nil` if there was none.
  var usedBytes: Int?
  let beginStatement: SQLStatement
  let commitStatement: SQLStatement
  let rollbackStatement: SQLStatement

  package var calendars: [Int64: ZoneCalendar] = [:]
  /// The apps that are being deleted.
  package var refusedApps: Set<Int64> = []
  /// The times before which events are refused, by app; `nil` if they must be read.
  package var horizons: [Int64: Int64]?
  /// The time before which events can't be recognized as duplicates; `nil` if it must be read.
  var oldestRecognized: Int64?
  /// The views whose days were deleted.
  package var deletedViews: Set<Int64> = []
  /// The ID of the last row stored.
  @exclusivity(unchecked) package var lastID: Int64 = 0
  /// The ID of the last row that the stored hits include.
  var hitsID: Int64 = 0
  /// True if the hits in memory must be reread from the rows after `hitsID`.
  var mustReadHits = true

  package init(
    _ connection: SQLConnection, files: DataDirectory, catalog: any CatalogStore,
    configuration: WarehouseConfiguration, damage: DamagedRows, seed: UInt64
  ) throws {
    self.connection = connection
    self.catalog = catalog
    self.configuration = configuration
    dictionary = try WriterDictionary(connection, seed: seed) { try catalog.newNamesPerDay(of: AppID($0)) }
    devices = try WriterDevices(connection, dictionary: dictionary)
    installs = try WriterInstalls(connection, limit: configuration.cachedInstalls)
    users = try WriterUsers(connection, limit: configuration.cachedInstalls)
    self.damage = damage
    rows = try RowStore(
      connection, spanRows: configuration.spanRows, segmentBytes: configuration.segmentBytes, damage: damage)
    duplicates = DuplicateIndex(
      directory: files.keysPath, pendingLimit: configuration.pendingKeys, report: configuration.report,
      suspect: configuration.suspect)
    hits = try LastHits(connection)
    rejections = try RejectionStore(connection)
    ledgers = try LedgerStore(connection)
    errors = try ErrorStore(connection) {
      // An unreadable catalog is no reason to refuse a batch.
      let limit = try? catalog.usageLimitChanges(of: AppID($0)).errorTextBytes
      return limit.flatMap { $0 }.map(Int64.init) ?? configuration.maximumErrorBytes
    }
    refusedPersons = try RefusedPersons(connection)
    space = DiskSpace(
      directory: files.path, reserved: configuration.diskReserve, free: configuration.freeDiskBytes)
    usedPages = try UsedPages(connection)
    beginStatement = try connection.prepare("BEGIN IMMEDIATE")
    commitStatement = try connection.prepare("COMMIT")
    rollbackStatement = try connection.prepare("ROLLBACK")
  }

  /// Runs `body` in a transaction. If it fails, nothing of it remains, on disk or in memory.
  package func transact<Value>(_ body: () throws -> Value) throws -> Value {
    let idBefore = lastID
    usedBytes = nil
    try beginStatement.run()
    duplicates.begin()
    var isCommitting = false
    do {
      let value = try body()
      try rows.store()
      try configuration.checkOwner()
      isCommitting = true
      try commitStatement.run()
      rows.committed()
      return value
    } catch {
      // On a full disk, SQLite rolls back by itself; another rollback would mask the error.
      if connection.isInTransaction { try? rollbackStatement.run() }
      lastID = idBefore
      duplicates.rolledBack()
      // A log that could not be synced may hold the whole commit, which a crash would bring back.
      if isCommitting { rows.leaveUncertain() }
      forget()
      // If there is no room for it now, the next job does it before it reads anything.
      try? rows.restoreSuspect()
      throw error
    }
  }

  /// Discards in-memory state that a rolled-back transaction may have changed.
  package func forget() {
    dictionary.forget()
    devices.forget()
    installs.forget()
    users.forget()
    rows.forget()
    errors.forget()
    refusedPersons.forget()
    horizons = nil
    oldestRecognized = nil
    hits.removeAll()
    mustReadHits = true
  }

  /// Returns the calendar of an app's time zone, which may change until the app has events.
  package func calendar(_ app: Int64) throws -> ZoneCalendar {
    if let calendar = calendars[app], try catalog.app(AppID(app))?.zone == calendar.rules { return calendar }
    let calendar = try catalog.calendar(AppID(app))
    calendars[app] = calendar
    return calendar
  }
}
