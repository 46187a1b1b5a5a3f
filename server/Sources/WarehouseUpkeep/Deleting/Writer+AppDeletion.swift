import GRDBSQLite
import Ingest
import RowFiles
import TernBase
package import Warehouse
import WarehouseSQLite

/// Deletes everything of an app, in steps between which batches of other apps are stored.
extension Writer {
  /// The tables with rows of apps, and views. What other rows refer to comes last.
  private static let tables = [
    "attachment", "error_text", "error", "error_group", "error_room", "span_session", "hit", "reject",
    "reject_sample", "ledger", "install", "app", "member", "member_count", "device", "dictionary", "deletion",
    "lost_day", "refused_person", "horizon", "quarantine", "removed_piece", "regrouped", "uncounted_day",
  ]

  /// Stops accepting events of an app.
  package func beginDeletion(of app: Int64) throws {
    refusedApps.insert(app)
    // Hits in memory would be stored after those on disk are gone.
    try finishHits()
  }

  /// Deletes the rows of an app in a segment, and the segment's old file.
  package func deleteRows(of app: Int64, segment: Int64) throws {
    let spans = try StoredSpan.all(connection).filter { $0.segment == segment }
    guard !spans.isEmpty else { return }
    try transact {
      try rows.rewrite(spans, deleting: { $0.apps == [app] }) { row, _ in row.app == app ? .delete : .keep }
    }
    try rows.deleteLeftovers()
  }

  /// Deletes what the database has of an app and its views.
  func deleteTables(of app: Int64, views: [Int64]) throws {
    try transact {
      try connection.prepare(
        "DELETE FROM attachment_part WHERE attachment IN (SELECT id FROM attachment WHERE app = ?)"
      ).bind(app).run()
    }
    try transact {
      try connection.prepare("DELETE FROM deletion_trace WHERE deletion IN (SELECT id FROM deletion WHERE app = ?)")
        .bind(app).run()
    }
    for table in Self.tables {
      try transact { try connection.prepare("DELETE FROM \(table) WHERE app = ?").bind(app).run() }
    }
    try deleteDays(of: views)
    forget()
    calendars[app] = nil
  }
}

extension EventCounter {
  /// Deletes the counts of an app that has no more rows.
  func deleteCounts(of app: Int64) throws {
    // Counts in memory would be written after those on disk are gone.
    try count()
    for table in CountSchema.countTables {
      try connection.prepare("DELETE FROM \(table) WHERE app = ?").bind(app).run()
    }
    forget()
  }
}

extension SQLConnection {
  /// Returns a part of the unused pages of a database to the disk; returns false at the end.
  func returnPages(of schema: String = "main") throws -> Bool {
    try prepare("PRAGMA \(schema).incremental_vacuum(2000)").run()
    return try integer("PRAGMA \(schema).freelist_count") ?? 0 > 0
  }

  /// Moves everything from the write-ahead log to the file, and truncates the log; returns false if a reader still needs it.
  func emptyLog(of schema: String = "main") throws -> Bool {
    sqlite3_busy_timeout(handle, 100)
    defer { sqlite3_busy_timeout(handle, 10_000) }
    return try integer("PRAGMA \(schema).wal_checkpoint(TRUNCATE)") == 0
  }
}

extension SQLiteWarehouse {
  /// Deletes everything of an app, and returns the space to the disk. From then on, its events are refused.
  ///
  /// If the process is killed, call it again, also after an error: what is deleted already is no obstacle.
  ///
  /// - Throws: A `WarehouseError` with code `rowsAway` or `damaged`, after all other files, if files that the app shares with others
  ///   must wait for the cluster or can't be read.
  package func delete(app: AppID, views: [ViewID]) async throws {
    let number = app.rawValue
    try await perform { try $0.beginDeletion(of: number) }
    // Rows may move to other segments meanwhile.
    try await repeatWhile {
      let rows = try await segments(ofApp: number)
      let waiting = try await forEachSegment(of: rows) { try await deleteRows(of: number, inSegmentOf: $0) }
      if let waiting { throw waiting }
      return !rows.isEmpty
    }
    try await counting.perform { try $0.deleteCounts(of: number) }
    try await perform { try $0.deleteTables(of: number, views: views.map(\.rawValue)) }
    try await forgetLostRows()
    try await returnSpace()
  }

  private func deleteRows(of app: Int64, inSegmentOf row: Int64) async throws {
    let segment: (number: Int64, isShared: Bool)? = try await reader.reading { connection in
      guard let number = try StoredSpan.segment(of: row, connection) else { return nil }
      let spans = try StoredSpan.all(connection).filter { $0.segment == number && !$0.bytes.isEmpty }
      return (number, spans.contains { $0.apps != [app] })
    }
    guard let segment else { return }
    if segment.isShared {
      _ = try await rewriting(rows: [row]) { try $0.deleteRows(of: app, segment: $1[0]) }
    } else {
      // Needn't be read.
      try await perform { writer in
        try writer.prepareRewriting()
        try writer.deleteRows(of: app, segment: segment.number)
      }
    }
  }

  /// Returns the space of what was deleted to the disk, and empties the write-ahead logs, which still have it.
  func returnSpace() async throws {
    try await repeatWhile { try await self.perform { try $0.connection.returnPages() } }
    try await repeatWhile {
      try await self.counting.perform { try $0.connection.returnPages(of: CountFile.schema) }
    }
    // Each attempt waits a little for readers of earlier states. An export may read for longer; then the log is emptied when
    // the server stops.
    for _ in 0..<100 { if try await perform({ try $0.connection.emptyLog() }) { break } }
    for _ in 0..<100 {
      if try await counting.perform({ try $0.connection.emptyLog(of: CountFile.schema) }) { break }
    }
  }

  /// Repeats a step while it returns true. Between steps it can be cancelled, and begun again at the next start.
  func repeatWhile(_ step: () async throws -> Bool) async throws {
    while try await step() { try Task.checkCancellation() }
  }
}
