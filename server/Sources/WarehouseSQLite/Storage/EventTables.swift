import Ingest
import Views
import Warehouse

/// The monthly event tables as the writer fills them, with `span` as their zone map.
final class EventTables {
  /// The open span of one table: the bounds of about 8,000 rows.
  private struct Span {
    var firstID: Int64 = 0
    var lastID: Int64 = 0
    var rows = 0
    var earliest = Int64.max
    var latest = Int64.min
    var apps: Set<Int64> = []
    private var lastApp = Int64.min

    mutating func add(id: Int64, app: Int64, time: Int64) {
      if rows == 0 { firstID = id }
      lastID = id
      rows += 1
      earliest = min(earliest, time)
      latest = max(latest, time)
      if app != lastApp {
        apps.insert(app)
        lastApp = app
      }
    }
  }

  private final class Table {
    let insert: SQLStatement
    var span = Span()
    /// The sessions of the span.
    let sessions = SessionBounds()
    /// True while the column is bound to NULL. It nearly always is, and SQLite keeps bindings from row to row.
    var isUserNull = true
    var isKeyTimeNull = true
    init(insert: SQLStatement) { self.insert = insert }

    @inline(__always)
    func add(id: Int64, app: Int64, time: Int64, slot: UInt32, session: Int64, flags: EventRow.Flags) {
      span.add(id: id, app: app, time: time)
      sessions.add(app: app, slot: slot, session: session, time: time, flags: flags)
    }
  }

  static let spanRows = 8_192
  private let connection: SQLConnection
  private let spanRows: Int
  private let storeSpan: SQLStatement
  private let storedSessions: SpanSessions
  private var tables: [Int: Table] = [:]
  private var current: Table?
  private var currentRange: Range<Int64> = 0..<0

  init(_ connection: SQLConnection, spanRows: Int) throws {
    self.connection = connection
    self.spanRows = spanRows
    storeSpan = try connection.prepare(
      "INSERT INTO span (month, first_id, last_id, rows, min_t, max_t, apps) VALUES (?, ?, ?, ?, ?, ?, ?)")
    storedSessions = try SpanSessions(connection)
  }

  func forget() {
    tables = [:]
    current = nil
    currentRange = 0..<0
  }

  /// Stores a row with its encoded properties; `user` is empty if there is none.
  @inline(__always)
  func insert(_ row: EventRow, user: String, properties: UnsafeRawBufferPointer, received: Int64) throws {
    let table = try table(for: row.time, received: received)
    let statement = table.insert
    statement.bind(row.id, at: 1)
    statement.bind(row.app, at: 2)
    statement.bind(row.time, at: 3)
    statement.bind(row.lag, at: 4)
    statement.bind(Int64(row.slot), at: 5)
    statement.bind(row.device, at: 6)
    statement.bind(row.session, at: 7)
    statement.bind(row.flags.rawValue, at: 8)
    statement.bind(row.name, at: 9)
    if !user.isEmpty || !table.isUserNull {
      if user.isEmpty { statement.bindNull(at: 10) } else { statement.bind(user, at: 10) }
      table.isUserNull = user.isEmpty
    }
    statement.bind(borrowing: properties, at: 11)
    bind(row.key, of: row, to: table)
    try statement.run()
    table.add(
      id: row.id, app: row.app, time: row.time, slot: row.slot, session: row.session, flags: row.flags)
    if table.span.rows >= spanRows { try close(table) }
  }

  @inline(__always)
  private func bind(_ key: DuplicateKey?, of row: EventRow, to table: Table) {
    if let key { table.insert.bind(key.hash, at: 12) } else { table.insert.bindNull(at: 12) }
    let isNull = key.map { $0.milliseconds == row.time } ?? true
    if isNull, table.isKeyTimeNull { return }
    table.isKeyTimeNull = isNull
    if let key, !isNull { table.insert.bind(key.milliseconds, at: 13) } else { table.insert.bindNull(at: 13) }
  }

  private func close(_ table: Table) throws {
    guard let month = tables.first(where: { $0.value === table })?.key else { return }
    let span = table.span
    var apps: [UInt8] = []
    for app in span.apps.sorted() { apps.appendVarint(UInt64(bitPattern: app)) }
    storeSpan.bind(Int64(month), span.firstID, span.lastID, Int64(span.rows), span.earliest, span.latest)
    storeSpan.bind(apps, at: 7)
    try storeSpan.run()
    try storedSessions.store(table.sessions, month: month, firstID: span.firstID)
    table.span = Span()
    table.sessions.removeAll()
  }

  @inline(__always)
  private func table(for time: Int64, received: Int64) throws -> Table {
    if let current, currentRange.contains(time) { return current }
    return try select(time, received: received)
  }

  /// Returns the month, `year * 100 + month`, whose table stores an event.
  static func month(of time: Int64, received: Int64) -> Int {
    let (year, month, _) = Day(number: Int((Double(kept(time, received)) / 86_400_000).rounded(.down))).components
    return year * 100 + month
  }

  /// Limits the time that selects the table: clients choose it, but must not be able to choose how many tables there
  /// are.
  private static func kept(_ time: Int64, _ received: Int64) -> Int64 {
    min(max(time, received - 400 * 86_400_000), received + 4 * 86_400_000)
  }

  private func select(_ time: Int64, received: Int64) throws -> Table {
    let kept = Self.kept(time, received)
    let number = Self.month(of: time, received: received)
    let (year, month) = (number / 100, number % 100)
    let table = try tables[number] ?? open(number)
    guard kept == time else { return table }
    current = table
    let next = month == 12 ? Day(year: year + 1, month: 1, day: 1) : Day(year: year, month: month + 1, day: 1)
    currentRange = Int64(Day(year: year, month: month, day: 1).number) * 86_400_000..<Int64(next.number) * 86_400_000
    return table
  }

  private func open(_ month: Int) throws -> Table {
    try connection.execute(WarehouseSchema.createEvents(month: month))
    let name = WarehouseSchema.table(month)
    let table = Table(
      insert: try connection.prepare("INSERT INTO \(name) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"))
    let covered = try connection.integer("SELECT max(last_id) FROM span WHERE month = \(month)") ?? 0
    let rest = try connection.prepare("SELECT id, app, t, slot, session, kind FROM \(name) WHERE id > ? ORDER BY id")
    rest.bind(covered)
    while try rest.step() {
      table.add(
        id: rest.integer(0), app: rest.integer(1), time: rest.integer(2), slot: UInt32(clamping: rest.integer(3)),
        session: rest.integer(4), flags: EventRow.Flags(rawValue: rest.integer(5)))
    }
    tables[month] = table
    return table
  }
}

/// A span of rows as readers see it.
struct StoredSpan {
  var month: Int
  var ids: ClosedRange<Int64>
  /// The times of the rows; `nil` for a span that is still growing, which may hold any.
  var times: ClosedRange<Int64>?
  /// The apps of the rows; `nil` for a span that is still growing.
  var apps: Set<Int64>?
  var rows: Int

  /// True if no more rows will be added, so that the bounds are final.
  var isComplete: Bool { times != nil }

  /// Returns all spans, including growing ones, with IDs up to `through`.
  static func all(_ connection: SQLConnection, through: Int64) throws -> [StoredSpan] {
    var spans: [StoredSpan] = []
    var covered: [Int: Int64] = [:]
    let stored = try connection.prepare("SELECT month, first_id, last_id, rows, min_t, max_t, apps FROM span")
    while try stored.step() {
      let month = Int(stored.integer(0))
      covered[month] = max(covered[month] ?? 0, stored.integer(2))
      guard stored.integer(1) <= through else { continue }
      var reader = ByteReader(stored.bytes(6))
      var apps: Set<Int64> = []
      while let app = reader.varint() { apps.insert(Int64(bitPattern: app)) }
      spans.append(
        StoredSpan(
          month: month, ids: stored.integer(1)...min(stored.integer(2), through),
          times: stored.integer(4)...stored.integer(5), apps: apps, rows: Int(stored.integer(3))))
    }
    for month in try WarehouseSchema.months(connection) where covered[month] ?? 0 < through {
      spans.append(
        StoredSpan(
          month: month, ids: (covered[month] ?? 0) + 1...through, times: nil, apps: nil, rows: EventTables.spanRows))
    }
    return spans
  }
}
