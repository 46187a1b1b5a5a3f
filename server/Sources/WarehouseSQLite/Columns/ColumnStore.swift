import Columns
import RowFiles
import TernBase
import Warehouse

/// The columns of all apps, kept up to date with the rows.
package final class ColumnStore: Sendable {
  /// `@unchecked Sendable` because it is used only while the lock is held.
  final class State: @unchecked Sendable {
    var isLoaded = false
    var apps: [Int64: AppColumns] = [:]
    /// The last row that is in the columns, unless its app is behind.
    var through: Int64 = 0
    /// Apps whose earlier rows are only on the cluster and in no chunk; they get no new rows until `catchUp` has added those.
    var behind: Set<Int64> = []
    /// By app, the last row up to which all chunks are on disk for good.
    var secured: [Int64: Int64] = [:]
  }

  /// The number of rows added while the lock is held, so that others wait for a fraction of a second only.
  private static let stepRows = 131_072
  package let directory: ColumnDirectory
  /// The rows of a chunk, unless it ends before because it is large.
  private let chunkRows: Int
  /// Records on disk which rows are being added; `nil` to record nothing.
  let journal: WorkJournal?
  let damage: DamagedRows
  let state = Locked(State())
  private let isUpdateWaiting = Locked(false)
  private let isClosed = Locked(false)

  init(_ directory: ColumnDirectory, chunkRows: Int, journal: WorkJournal? = nil, damage: DamagedRows) {
    self.directory = directory
    self.chunkRows = chunkRows
    self.damage = damage
    self.journal = journal
  }

  /// Returns true if no background update is waiting; from then on, one is.
  func willUpdate() -> Bool {
    isUpdateWaiting.withLock { isWaiting in
      defer { isWaiting = true }
      return !isWaiting
    }
  }

  /// Ends background updates, within a step.
  func close() { isClosed.withLock { $0 = true } }

  /// Throws if the store is closed.
  func checkOpen() throws { if isClosed.withLock({ $0 }) { throw CancellationError() } }

  /// Notes that a background update sees all rows so far.
  func didBegin() { isUpdateWaiting.withLock { $0 = false } }

  /// Returns the chunks of an app with all rows that the connection's transaction sees. If some must be fetched from the
  /// cluster, other apps don't wait for that.
  func chunks(
    app: Int64, _ connection: SQLConnection, dictionary: ReaderDictionary, checkCancellation: () throws -> Void
  ) throws -> [Chunk] {
    while true {
      let chunks: [Chunk]? = try update(connection, dictionary, checkCancellation) { state in
        state.behind.contains(app) ? nil : state.apps[app]?.allChunks() ?? []
      }
      if let chunks {
        guard let lost = chunks.first(where: \.isIncomplete) else { return chunks }
        remake(fileNamed: directory.name(lost.header))
        continue
      }
      try catchUp(app, connection, dictionary, checkCancellation)
    }
  }

  /// Adds the rows that the connection's transaction sees.
  func update(
    _ connection: SQLConnection, dictionary: ReaderDictionary, checkCancellation: () throws -> Void = {}
  ) throws {
    try update(connection, dictionary, checkCancellation) { _ in }
  }

  /// Writes all rows of some apps up to a row to disk, so that they needn't be read any more.
  ///
  /// - Parameter rows: The rows that are about to leave.
  package func secure(
    _ rows: ClosedRange<Int64>, of apps: Set<Int64>, _ connection: SQLConnection, dictionary: ReaderDictionary
  ) throws {
    while true {
      let behind: Set<Int64> = try update(connection, dictionary, {}) { state in
        let behind = state.behind.intersection(apps)
        if behind.isEmpty { try secure(rows, of: apps, state) }
        return behind
      }
      if behind.isEmpty { return }
      for app in behind { try catchUp(app, connection, dictionary, {}) }
    }
  }

  private func secure(_ rows: ClosedRange<Int64>, of apps: Set<Int64>, _ state: State) throws {
    for app in apps {
      let columns = state.apps[app] ?? AppColumns(app: app)
      state.apps[app] = columns
      // Without the earlier ones, a start would use none.
      let secured = state.secured[app] ?? 0
      for chunk in columns.chunks where chunk.header.last > secured && chunk.header.after < rows.upperBound {
        try directory.secure(chunk)
        state.secured[app] = chunk.header.last
      }
      guard columns.chunked < rows.upperBound else { continue }
      try columns.endChunk(through: state.through, directory.write)
      state.secured[app] = columns.chunked
    }
    try directory.sync()
  }

  /// Adds the rows that the connection's transaction sees, and returns something of the result.
  private func update<Value>(
    _ connection: SQLConnection, _ dictionary: ReaderDictionary, _ checkCancellation: () throws -> Void,
    _ value: (State) throws -> Value
  ) throws -> Value {
    let last = try StoredSpan.lastRow(connection)
    while true {
      try checkCancellation()
      let result: Value? = try state.withLock { state in
        do {
          return try performing(state, through: last) {
            try step(state, through: last, connection, dictionary) ? try value(state) : nil
          }
        } catch {
          // A row may have been added in part.
          state.isLoaded = false
          throw error
        }
      }
      if let result { return result }
    }
  }

  /// Drops the columns of an app that has lost rows, after the segments with these rows are deleted. What is left of the
  /// app is read again.
  package func forget(app: Int64) throws {
    try state.withLock { state in
      state.isLoaded = false
      try directory.deleteAll(of: app)
    }
  }

  /// Drops a damaged chunk and those of its app after it. What is missing is read again.
  package func remake(fileNamed name: String) {
    state.withLock { state in
      for (app, columns) in state.apps {
        guard let first = columns.chunks.firstIndex(where: { directory.name($0.header) == name }) else { continue }
        for chunk in columns.chunks[first...] { directory.delete(chunk) }
        let kept = AppColumns(app: app, chunks: Array(columns.chunks[..<first]))
        state.apps[app] = kept
        state.through = min(state.through, kept.last)
        state.secured[app] = min(state.secured[app] ?? 0, kept.last)
      }
      directory.delete(named: name)
    }
  }

  /// Drops the columns of apps that have lost rows, as ``RewritingTable`` notes them, also after a power loss or a crash.
  func forgetStale(_ connection: SQLConnection) throws {
    for app in try RewritingTable.staleColumns(connection) {
      try forget(app: app)
      try RewritingTable.remove(staleColumnsOf: app, connection)
    }
  }

  private func performing<Value>(_ state: State, through last: Int64, _ body: () throws -> Value) throws -> Value {
    // If the columns are not loaded, the work starts at the first row that is in no chunk on disk.
    let first = state.isLoaded ? state.through + 1 : 1
    return first <= last ? try journal.perform(.columns(rows: first...last), body) : try body()
  }

  /// Adds some rows; returns true if no more are wanted.
  private func step(
    _ state: State, through last: Int64, _ connection: SQLConnection, _ dictionary: ReaderDictionary
  ) throws -> Bool {
    if !state.isLoaded { try load(state, connection) }
    guard state.through < last else { return true }
    let source = ColumnSource(Locked(try RowLookups(connection, dictionary: dictionary)))
    let retired = try RetiredTable.segments(connection)
    let needed = try StoredSpan.all(connection, after: state.through, through: last).filter { span in
      span.apps.contains { Self.needs($0, span, state) }
    }
    for span in needed where retired.contains(span.segment) {
      state.behind.formUnion(span.apps.filter { Self.needs($0, span, state) })
    }
    // Like reports, questions get on without rows that can't be read.
    let found = DamagedRows()
    let scan = EventScan(
      connection, needed.filter { !retired.contains($0.segment) }, after: state.through, through: last, damage: found)
    func checkPlaces() throws {
      guard scan.hasDamage else { return }
      try Self.checkPlaces(connection)
      damage.note(found)
    }
    var added = 0
    var known: AppColumns?
    while added < Self.stepRows {
      guard let row = try scan.next() else {
        try checkPlaces()
        state.through = last
        return true
      }
      let columns =
        if let known, known.app == row.app { known } else { state.apps[row.app] ?? AppColumns(app: row.app) }
      if columns !== known { state.apps[row.app] = columns }
      known = columns
      state.through = row.id
      guard row.id > columns.last, !state.behind.contains(row.app) else { continue }
      try Self.add(row, scan, source, to: columns)
      if isFull(columns) {
        try checkPlaces()
        columns.endChunk(directory.store)
      }
      added += 1
    }
    try checkPlaces()
    return false
  }

  /// True if the next row belongs to another chunk.
  func isFull(_ columns: AppColumns) -> Bool { columns.builder.isFull || columns.builder.rows >= chunkRows }

  static func add(_ row: EventRow, _ scan: EventScan, _ source: ColumnSource, to columns: AppColumns) throws {
    do {
      try source.add(row, scan, to: columns)
    } catch let error as WarehouseError where error.code == .damaged {
      throw RowFailure(row: row.id, work: "adding it to the columns of questions", cause: error)
    }
  }

  /// True if a span has rows of an app that may not be in its columns.
  private static func needs(_ app: Int64, _ span: StoredSpan, _ state: State) -> Bool {
    guard !state.behind.contains(app) else { return false }
    return state.apps[app].map { $0.last < span.ids.upperBound } ?? true
  }

  /// Throws if rows could not be read because they have moved to another segment since the transaction began. Those that
  /// are damaged are left out.
  static func checkPlaces(_ connection: SQLConnection) throws {
    let current = try SQLDatabase(connection.path)
    let present = try withExtendedLifetime(current) { try StoredSpan.segments(current.connection) }
    guard try !StoredSpan.segments(connection).isSubset(of: present) else { return }
    throw WarehouseError(.damaged, "Rows have moved. Try again.")
  }

  /// Begins with the chunks on disk, if they are those of this warehouse.
  private func load(_ state: State, _ connection: SQLConnection) throws {
    (state.apps, state.behind, state.secured) = ([:], [], [:])
    state.through = 0
    for (app, chunks) in try directory.load() {
      guard try isStored(chunks, connection) else {
        for chunk in chunks { directory.delete(chunk) }
        continue
      }
      state.apps[app] = AppColumns(app: app, chunks: chunks)
    }
    state.isLoaded = true
  }

  /// Returns true if the last row of an app's chunks is the stored one: after a restored backup, it may be another.
  private func isStored(_ chunks: [Chunk], _ connection: SQLConnection) throws -> Bool {
    guard let end = chunks.last?.header.last, try end <= StoredSpan.lastRow(connection) else { return false }
    guard let chunk = chunks.last(where: { $0.rows > 0 }), let id = chunk.lastRow else { return true }
    // Rows that have left were verified before, and asking the cluster would delay every start.
    let retired = try RetiredTable.segments(connection)
    if let span = try StoredSpan.all(connection, after: id - 1, through: id).first, retired.contains(span.segment) {
      return span.apps.contains(chunk.header.app)
    }
    guard let row = try EventScan(connection, ids: id...id, damage: DamagedRows()).find(id) else { return false }
    return row.app == chunk.header.app && chunk.ends(slot: row.slot, time: row.time)
  }
}
