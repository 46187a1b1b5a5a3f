import Ingest
import TernEvents
import Views
import Warehouse

/// Writes batches and figures. Confined to the writer thread; before that starts, to whoever opens the warehouse.
///
/// What it holds in memory about events that figures do not cover yet can always be read again from the rows behind
/// the cursor `rolled`. So there is one way to recover, from a crash and from a failed transaction alike: forget, read again.
final class Writer {
  let connection: SQLConnection
  let catalog: any CatalogStore
  let configuration: WarehouseConfiguration
  let live: LiveFeed
  let dictionary: WriterDictionary
  let devices: WriterDevices
  let installs: WriterInstalls
  let members: WriterMembers
  let tables: EventTables
  let duplicates: DuplicateIndex
  let figures: FigureAccumulator
  let properties: PropertyAccumulator
  let figureStore: FigureStore
  let propertyStore: PropertyStore
  let hits: LastHits
  let rejections: RejectionStore
  let ledgers: LedgerStore
  let errors: ErrorStore
  let parameters: HitStore
  let beginStatement: SQLStatement
  let commitStatement: SQLStatement
  let rollbackStatement: SQLStatement

  var calendars: [Int64: ZoneCalendar] = [:]
  /// The last row stored.
  var lastID: Int64 = 0
  /// The last row that the figures on disk cover.
  var rolledID: Int64 = 0
  /// Whether the figures in memory must be read again from the rows behind `rolledID`.
  var mustCatchUp = true

  init(
    _ connection: SQLConnection, catalog: any CatalogStore, configuration: WarehouseConfiguration, live: LiveFeed,
    seed: UInt64
  ) throws {
    self.connection = connection
    self.catalog = catalog
    self.configuration = configuration
    self.live = live
    dictionary = try WriterDictionary(connection, seed: seed) { try catalog.newNamesPerDay(of: AppID($0)) }
    devices = try WriterDevices(connection, dictionary: dictionary)
    installs = try WriterInstalls(connection, limit: configuration.cachedInstalls)
    members = try WriterMembers(connection, limit: configuration.cachedInstalls)
    tables = try EventTables(connection, spanRows: configuration.spanRows)
    duplicates = try DuplicateIndex(connection, pendingLimit: configuration.pendingKeys)
    figures = FigureAccumulator()
    figureStore = try FigureStore(connection)
    propertyStore = try PropertyStore(connection)
    properties = PropertyAccumulator(seed: seed, store: propertyStore)
    hits = LastHits(store: figureStore)
    rejections = try RejectionStore(connection)
    ledgers = try LedgerStore(connection)
    errors = try ErrorStore(connection, limit: configuration.maximumErrorBytes)
    parameters = HitStore(connection)
    beginStatement = try connection.prepare("BEGIN IMMEDIATE")
    commitStatement = try connection.prepare("COMMIT")
    rollbackStatement = try connection.prepare("ROLLBACK")
  }

  /// Whether there are rows that the figures on disk do not cover.
  var hasUnrolled: Bool { lastID > rolledID }

  /// Runs `body` in a transaction; when it fails, nothing of it remains, on disk or in memory.
  func transact<Value>(_ body: () throws -> Value) throws -> Value {
    let idBefore = lastID
    try beginStatement.run()
    duplicates.begin()
    do {
      let value = try body()
      try commitStatement.run()
      return value
    } catch {
      // A full disk rolls back by itself; rolling back again would hide the reason behind another error.
      if connection.isInTransaction { try? rollbackStatement.run() }
      lastID = idBefore
      duplicates.rolledBack()
      forget()
      throw error
    }
  }

  /// Drops what a rolled-back transaction may have put into memory.
  private func forget() {
    dictionary.forget()
    devices.forget()
    installs.forget()
    members.forget()
    tables.forget()
    errors.forget()
    parameters.forget()
    forgetFigures()
  }

  func forgetFigures() {
    figures.removeAll()
    properties.removeAll()
    hits.removeAll()
    mustCatchUp = true
  }

  /// The calendar of an app's zone.
  func calendar(_ app: Int64) throws -> ZoneCalendar {
    if let known = calendars[app] { return known }
    guard let found = try catalog.app(AppID(app)) else {
      throw WarehouseError(
        code: .unknownApp, message: "There is no app \(app). `tern apps list` shows those that there are.")
    }
    guard let calendar = ZoneCalendar(found.timeZone) else {
      throw WarehouseError(
        code: .invalid, message: "This system does not know the time zone \(found.timeZone) of \(found.name).")
    }
    calendars[app] = calendar
    return calendar
  }

  /// Counts a stored row, just stored or read back.
  @inline(__always)
  func count(_ row: EventRow, calendar: ZoneCalendar, device: () throws -> DeviceKeys, _ bytes: UnsafeRawBufferPointer)
    throws
  {
    let day = calendar.day(of: row.time)
    try figures.add(row, day: day, device: device, properties: bytes)
    try properties.add(row, day: day, properties: bytes)
    if row.flags.isMeasurement, row.flags.kind != .drops {
      try hits.note(app: row.app, slot: row.slot, at: row.time)
    }
  }
}
