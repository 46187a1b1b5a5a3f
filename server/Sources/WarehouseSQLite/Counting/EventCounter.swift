package import DataFiles
package import RowFiles
package import ServerBase
package import Warehouse

/// Counts committed rows into `counts.sqlite`, from the first one that the counts don't include.
///
/// Confined to the counting thread; before that starts, to the thread that opens the warehouse. Counts and the ID of the
/// last counted row are stored in one transaction, so a crash neither loses nor double-counts any. What it holds in
/// memory can be read again: after a failure, it discards that and reads the rows again.
package final class EventCounter {
  private let database: SQLDatabase
  private let calendar: (AppID) throws -> ZoneCalendar
  private let checkOwner: @Sendable () throws -> Void
  private let didNotRead: @Sendable ([ClosedRange<Int64>]) -> Void
  private let chunkRows: Int
  /// The number of rows whose days are counted again in one transaction, unless a single day needs more.
  let recountedRows: Int
  private let damage: DamagedRows
  private let journal: WorkJournal?
  private let rollups = RollupAccumulator()
  private let rollupStore: RollupStore
  private let properties: PropertyAccumulator
  private let propertyStore: PropertyStore
  private let devices: StoredDevices
  private var calendars: [Int64: ZoneCalendar] = [:]
  @exclusivity(unchecked) private var lastCalendar: (app: Int64, calendar: ZoneCalendar)?
  private var lastKeptDays: [Int64: Int] = [:]
  /// The ID of the last row that the stored counts include.
  package private(set) var countedRow: Int64

  /// - Parameters:
  ///   - journal: Records on disk which rows are being counted; `nil` to record nothing.
  ///   - seed: Affects only the layout in memory.
  ///   - calendar: Returns the calendar of an app's time zone.
  package init(
    _ files: DataDirectory, configuration: WarehouseConfiguration, damage: DamagedRows, journal: WorkJournal? = nil,
    seed: UInt64, calendar: @escaping (AppID) throws -> ZoneCalendar
  ) throws {
    database = try CountFile.open(files, configuration: configuration)
    self.calendar = calendar
    self.damage = damage
    self.journal = journal
    (checkOwner, didNotRead) = (configuration.checkOwner, configuration.didNotRead)
    chunkRows = configuration.flushEvents
    recountedRows = configuration.recountedRows
    rollupStore = try RollupStore(database.connection)
    propertyStore = try PropertyStore(database.connection)
    properties = PropertyAccumulator(seed: seed, store: propertyStore)
    devices = try StoredDevices(database.connection)
    countedRow = try CountSchema.countedRow(database.connection)
  }

  package var connection: SQLConnection { database.connection }

  /// Counts all committed rows.
  ///
  /// - Parameters:
  ///   - progress: Receives the number of rows counted.
  ///   - isStopped: Ends it when true, between two chunks; what is left is counted later.
  /// - Returns: The time spent on storing the counts.
  @discardableResult
  package func count(progress: (Int) -> Void = { _ in }, isStopped: () -> Bool = { false }) throws -> Duration {
    var rows = 0
    var storing = Duration.zero
    do {
      while let rowsAhead = try nextRows() {
        let chunk = try journal.perform(.counting(rows: rowsAhead)) {
          let chunk = try countChunk(rowsAhead)
          storing += try ContinuousClock().measure { try store(through: chunk.last) }
          return chunk
        }
        rows += chunk.rows
        progress(rows)
        if chunk.isLast || isStopped() { break }
      }
    } catch {
      forget()
      throw error
    }
    return storing
  }

  /// Deletes all counts that can be made of rows.
  package func removeAll() throws {
    forget()
    try transact {
      try loadHorizons()
      let kept = lastKeptDays.map { "app = \($0.key) AND day <= \($0.value)" }.joined(separator: " OR ")
      for table in CountSchema.countTables {
        try connection.execute("DELETE FROM \(table)" + (kept.isEmpty ? "" : " WHERE NOT (\(kept))"))
      }
      try rollupStore.store(cursor: 0)
    }
    countedRow = 0
  }

  /// Counts some days of an app again, in one transaction. All rows must be counted, and nothing be in memory.
  ///
  /// - Parameters:
  ///   - spans: Returns the spans with rows of these days, within the transaction.
  ///   - isStopped: Ends it with `CancellationError` when true; then the counts are as before.
  func recount(
    _ days: Set<Int>, app: Int64, _ spans: () throws -> [StoredSpan], isStopped: () -> Bool
  ) throws {
    try journal.perform(.recounting(app: app, days: days.sorted(), through: countedRow)) {
      while true {
        do {
          let found = DamagedRows()
          try transact {
            let hasDamage = try replaceCounts(
              of: days, app: app, try spans(), 1...max(countedRow, 1), found, isStopped: isStopped)
            if hasDamage { try checkForMovedRows(in: database.path) }
          }
          return damage.note(found)
        } catch is MovedRows {
          forget()
        }
      }
    }
  }

  /// Counts some days of an app again from some rows, then undoes it.
  package func tryRecounting(_ days: Set<Int>, app: Int64, _ ids: ClosedRange<Int64>) throws {
    try connection.execute("BEGIN")
    defer { try? connection.execute("ROLLBACK") }
    let spans = try StoredSpan.all(connection, after: ids.lowerBound - 1, through: ids.upperBound)
    try replaceCounts(of: days, app: app, spans, ids, DamagedRows())
  }

  /// The number of rows between two checks whether to stop, which take some milliseconds.
  private static let stoppingRows = 10_000

  /// Returns true if some rows could not be read, without which the days were counted.
  @discardableResult
  private func replaceCounts(
    of days: Set<Int>, app: Int64, _ spans: [StoredSpan], _ ids: ClosedRange<Int64>, _ damage: DamagedRows,
    isStopped: () -> Bool = { false }
  ) throws -> Bool {
    try loadHorizons()
    let days = days.filter { $0 > lastKeptDays[app] ?? .min }
    for table in CountSchema.countTables {
      let key = table == "property_values" ? "" : " AND dim IN (SELECT DISTINCT dim FROM \(table) WHERE app = ?1)"
      let delete = try connection.prepare("DELETE FROM \(table) WHERE app = ?1\(key) AND day = ?2")
      for day in days { try delete.bind(app, Int64(day)).run() }
    }
    let scan = EventScan(
      connection, spans, after: ids.lowerBound - 1, through: ids.upperBound, damage: damage)
    var (rows, read) = (0, 0)
    while let row = try scan.next() {
      read += 1
      // A day can have tens of millions of rows.
      if read % Self.stoppingRows == 0, isStopped() { throw CancellationError() }
      guard row.app == app, days.contains(try calendar(app).day(of: row.time)) else { continue }
      try count(row, scan)
      rows += 1
      guard rows % chunkRows == 0 || properties.isLarge else { continue }
      try storeCounts()
    }
    try storeCounts()
    return scan.hasDamage
  }

  /// Discards what is in memory.
  package func forget() {
    rollups.removeAll()
    properties.removeAll()
    calendars = [:]
    lastCalendar = nil
  }

  /// Moves everything from the write-ahead log to the file.
  package func finish() throws {
    try connection.execute("PRAGMA \(CountFile.schema).wal_checkpoint(TRUNCATE)")
  }

  /// Rows that are counted in memory.
  private struct Chunk {
    var rows = 0
    var last: Int64
    /// True if there were no more rows.
    var isLast = true
  }

  /// The facts that all rows of a batch share. A chunk ends where it changes, so that reports show a batch as a whole.
  private struct BatchMark: Equatable {
    let app: Int64
    let received: Int64

    init(_ row: EventRow) {
      app = row.app
      received = row.time &+ row.lag
    }
  }

  /// Returns the rows that the next chunk is made from; `nil` if all are counted.
  private func nextRows() throws -> ClosedRange<Int64>? {
    let end = try StoredSpan.lastRow(connection)
    return end > countedRow ? countedRow + 1...min(end, countedRow + Int64(4 * chunkRows)) : nil
  }

  /// Counts rows and adds them to the stored counts, then undoes it.
  package func tryCounting(_ ids: ClosedRange<Int64>) throws {
    try connection.execute("BEGIN")
    defer { try? connection.execute("ROLLBACK") }
    try loadHorizons()
    let scan = try EventScan(connection, ids: ids, damage: DamagedRows())
    while let row = try scan.next() { try count(row, scan) }
    try storeCounts()
  }

  /// Counts a limited number of rows in memory, of those given.
  private func countChunk(_ ids: ClosedRange<Int64>) throws -> Chunk {
    while true {
      let found = DamagedRows()
      let (chunk, segments) = try transact { try countChunk(ids, found) }
      guard let segments else { return chunk }
      // Rows that moved to another segment meanwhile aren't damaged.
      let present = try StoredSpan.segments(connection)
      if segments.isSubset(of: present) {
        damage.note(found)
        didNotRead(found.ids)
        return chunk
      }
      forget()
    }
  }

  /// Counts a limited number of rows in memory.
  ///
  /// - Returns: The rows, and if some of them could not be read, the segments with rows.
  private func countChunk(_ ids: ClosedRange<Int64>, _ found: DamagedRows) throws -> (Chunk, Set<Int64>?) {
    try loadHorizons()
    // Memory comes first: an import may have given one time of receipt to more rows than these.
    var chunk = Chunk(last: ids.upperBound, isLast: try StoredSpan.lastRow(connection) <= ids.upperBound)
    let scan = try EventScan(connection, ids: ids, damage: found)
    var last: (id: Int64, batch: BatchMark)?
    while let row = try scan.next() {
      let batch = BatchMark(row)
      if let last, last.batch != batch, chunk.rows >= chunkRows || properties.isLarge {
        chunk.last = last.id
        chunk.isLast = false
        break
      }
      try count(row, scan)
      chunk.rows += 1
      last = (row.id, batch)
    }
    return (chunk, scan.hasDamage ? try StoredSpan.segments(connection) : nil)
  }

  @inline(__always)
  private func count(_ row: EventRow, _ scan: EventScan) throws {
    InjectedFault.counting.trap(scan.userBytes)
    let day = try calendar(row.app).day(of: row.time)
    // The stored counts of these days include rows that are gone.
    if !lastKeptDays.isEmpty, let last = lastKeptDays[row.app], day <= last { return }
    do {
      try rollups.add(row, day: day, device: { try devices.keys(id: row.device) }, properties: scan.properties)
    } catch let error as WarehouseError where error.code == .damaged {
      throw RowFailure(row: row.id, work: "counting it", cause: error)
    }
    // This reads stored counts: if they are damaged, the row is not to blame.
    try properties.add(row, day: day, properties: scan.properties)
  }

  private func store(through row: Int64) throws {
    try transact {
      try storeCounts()
      try rollupStore.store(cursor: row)
    }
    countedRow = row
  }

  /// Adds the counts in memory to the stored ones, in the open transaction.
  private func storeCounts() throws {
    try rollups.forEach { try rollupStore.add($0, $1) }
    try properties.takePending { try propertyStore.store($0) }
    rollups.removeAll()
  }

  /// Runs `body` in a transaction. It begins with a read: a connection that began to write at once would also lock the
  /// warehouse.
  private func transact<Value>(_ body: () throws -> Value) throws -> Value {
    try connection.execute("BEGIN")
    do {
      let value = try body()
      try checkOwner()
      try connection.execute("COMMIT")
      return value
    } catch {
      if connection.isInTransaction { try? connection.execute("ROLLBACK") }
      throw error
    }
  }

  private func loadHorizons() throws {
    let horizons = try Horizons(connection)
    lastKeptDays = [:]
    for app in horizons.counted.keys { lastKeptDays[app] = horizons.lastKeptDay(app, try calendar(app)) }
  }

  private func calendar(_ app: Int64) throws -> ZoneCalendar {
    if let lastCalendar, lastCalendar.app == app { return lastCalendar.calendar }
    let calendar = try calendars[app] ?? calendar(AppID(app))
    calendars[app] = calendar
    lastCalendar = (app, calendar)
    return calendar
  }
}
