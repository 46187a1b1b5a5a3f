import Ingest
import RowFiles
import ServerBase
import Warehouse
import WarehouseSQLite

extension Writer {
  /// Moves a row from its segment to the table `quarantine`, so that it no longer exists for anything that reads rows.
  ///
  /// - Parameters:
  ///   - search: The next hit of the row's install, which begins its session then. Its segment is rewritten, too.
  ///   - work: The work that the row made fail.
  ///   - duringDeletion: True to do so although a deletion of a person has begun and not ended.
  ///   - now: The time at which it is counted as dropped.
  /// - Returns: The row; `nil` if there is none with this ID, or if a deletion is changing the app's rows.
  func quarantine(
    _ id: Int64, inherited search: NextHit? = nil, work: String, duringDeletion: Bool = false, now: Int64
  ) throws -> QuarantinedRow? {
    // Hits may have been stored since the search.
    let search = try NextHit(after: id, knowing: search, connection)
    let segments = try ([id] + [search?.next].compactMap { $0 }).compactMap {
      try StoredSpan.segment(of: $0, connection)
    }
    let spans = try StoredSpan.all(connection).filter { segments.contains($0.segment) }
    guard !spans.isEmpty else { return nil }
    try prepareRewriting(segments.count)
    try finishHits()
    var removed: QuarantinedRow?
    try transact {
      try rows.rewrite(spans) { row, scan in
        if removed != nil, row.id == search?.next { return try beginSession(at: row, scan) }
        guard row.id == id, try duringDeletion || !isChanging(row.app) else { return .keep }
        let found = QuarantinedRow(id: id, app: row.app, day: try calendar(row.app).day(of: row.time))
        try store(row, scan, day: found.day, work: work, now: now)
        removed = found
        return .delete
      }
      guard let removed else { return }
      // If there is no next hit yet, the next one to arrive begins the session.
      if let search, search.next == nil { try hits.remove(app: removed.app, slot: search.slot) }
      // Open days as counted may include the row.
      try connection.execute("DELETE FROM view_open_day")
      try renewSessions(of: spans)
    }
    try rows.deleteLeftovers()
    forget()
    return removed
  }

  /// Lets a hit begin its session, now that the first one is gone, and notes that its day must be counted again.
  private func beginSession(at row: EventRow, _ scan: EventScan) throws -> RowChange {
    guard !row.flags.startsSession else { return .keep }
    try UncountedDays.add([calendar(row.app).day(of: row.time)], app: row.app, connection)
    try noteLost([flooredQuotient(row.time, 86_400_000)], app: row.app)
    var row = row
    row.flags = EventRow.Flags(rawValue: row.flags.rawValue | EventRow.Flags.sessionStartBit)
    return .replace(row, Array(scan.properties))
  }

  /// True while a person of the app is being deleted: rows then name what is gone already.
  private func isChanging(_ app: Int64) throws -> Bool {
    try connection.prepare("SELECT 1 FROM deletion WHERE app = ?").bind(app).exists()
  }

  /// Stores the row and counts it as dropped.
  private func store(_ row: EventRow, _ scan: EventScan, day: Int, work: String, now: Int64) throws {
    var block = RowBlockWriter()
    block.append(row, user: scan.userBytes, properties: scan.properties, parameters: scan.parameters)
    let insert = try connection.prepare("INSERT OR REPLACE INTO quarantine VALUES (?, ?, ?, ?, ?, ?, ?, ?)")
    try insert.bind(
      row.id, row.app, Int64(row.slot), scan.user, row.time, Int64(day), work, Array(block.bytes.bytes)
    ).run()
    try noteLost([flooredQuotient(row.time, 86_400_000)], app: row.app)
    if row.flags.kind.mayCarryMore { try deleteErrors([row.id], app: row.app) }
    try rejections.add(
      quarantined: row.id, work: work, source: row.flags.isMeasurement ? .measurement : .native, app: row.app,
      received: now, day: try calendar(row.app).day(of: now))
  }
}

/// The search for the hit that follows the first one of a session, in the order of arrival, wherever it is stored.
struct NextHit: Sendable {
  private let app: Int64
  let slot: UInt32
  /// The hit; `nil` if there is none yet.
  private(set) var next: Int64?
  /// The last row that was looked at.
  private var last: Int64

  /// Looks for the hit after a row; `nil` if the row isn't a hit that begins a session.
  ///
  /// - Parameter known: An earlier search, after which this one goes on.
  init?(after row: Int64, knowing known: NextHit? = nil, _ connection: SQLConnection) throws {
    if let known {
      self = known
    } else {
      guard let first = try EventScan(connection, ids: row...row, damage: DamagedRows()).next(),
        first.flags.isMeasurement,
        first.flags.startsSession
      else { return nil }
      (app, slot, last) = (first.app, first.slot, row)
    }
    guard next == nil else { return }
    let spans = try StoredSpan.all(connection, after: last).filter { $0.apps.contains(app) }
    let scan = EventScan(connection, spans, after: last, damage: DamagedRows())
    last = max(last, try StoredSpan.lastRow(connection))
    while next == nil, let row = try scan.next() {
      if row.app == app, row.slot == slot, row.flags.isMeasurement, row.flags.kind != .drops { next = row.id }
    }
  }
}
