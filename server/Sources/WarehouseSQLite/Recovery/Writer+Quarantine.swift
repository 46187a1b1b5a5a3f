import Ingest
import ServerBase
import Warehouse

/// A row that was set aside.
struct QuarantinedRow: Sendable {
  var id: Int64
  var app: Int64
  /// The civil day of the app on which it happened.
  var day: Int

  /// The days whose counts may change: the next hit of its session, which begins it now, may be on a neighbouring one.
  var days: ClosedRange<Int> { day - 1...day + 1 }

  /// Returns the rows without which their days were not counted again yet.
  static func uncounted(_ connection: SQLConnection) throws -> [QuarantinedRow] {
    try connection.prepare("SELECT id, app, day FROM quarantine WHERE day IS NOT NULL").all {
      QuarantinedRow(id: $0.integer(0), app: $0.integer(1), day: $0.day(2))
    }
  }
}

extension Writer {
  /// Moves a row from its segment to the table `quarantine`, so that it no longer exists for anything that reads rows.
  ///
  /// - Parameters:
  ///   - work: What the row made fail.
  ///   - duringDeletion: True to do so although a deletion of a person has begun and not ended.
  ///   - now: The time at which it is counted as dropped.
  /// - Returns: The row; `nil` if there is none with this ID, or if a deletion is changing the app's rows.
  func quarantine(_ id: Int64, work: String, duringDeletion: Bool = false, now: Int64) throws -> QuarantinedRow? {
    guard let span = try StoredSpan.all(connection, after: id - 1, through: id).first(where: { $0.ids.contains(id) })
    else { return nil }
    let spans = try StoredSpan.all(connection).filter { $0.segment == span.segment }
    try finishHits()
    var removed: QuarantinedRow?
    try transact {
      var ended: EventRow?
      try rows.rewrite(spans) { row, scan in
        guard row.id == id else { return Self.inherit(&ended, row, scan) }
        guard try duringDeletion || !isChanging(row.app) else { return .keep }
        if row.flags.isMeasurement, row.flags.startsSession { ended = row }
        let found = QuarantinedRow(id: id, app: row.app, day: try calendar(row.app).day(of: row.time))
        try store(row, scan, day: found.day, work: work, now: now)
        removed = found
        return .delete
      }
      guard removed != nil else { return }
      // Open days as counted may include the row.
      try connection.execute("DELETE FROM view_open_day")
      try renewSessions(of: spans)
    }
    try rows.deleteLeftovers()
    forget()
    return removed
  }

  /// Records that the day of a row was counted without it.
  func didCount(without row: QuarantinedRow) throws {
    try connection.prepare("UPDATE quarantine SET day = NULL WHERE id = ?").bind(row.id).run()
  }

  /// Lets the next hit of a session begin it, now that its first one is gone.
  private static func inherit(_ ended: inout EventRow?, _ row: EventRow, _ scan: EventScan) -> RowChange {
    guard let first = ended, row.app == first.app, row.slot == first.slot, row.flags.isMeasurement,
      row.flags.kind != .drops
    else { return .keep }
    ended = nil
    guard !row.flags.startsSession else { return .keep }
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
