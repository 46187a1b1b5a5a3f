import RowFiles
import Warehouse

extension Writer {
  /// Restores the state in memory after a clean or unclean shutdown. Must be called first.
  func recover() throws {
    try loadLastID()
    try rows.deleteRetired()
    try rows.deleteLeftovers()
    try rows.reportUnknownRows(to: configuration.report)
    try duplicates.open(lastRow: lastID)
    try recollectKeys()
    try readHits()
  }

  /// Loads the ID of the last row stored.
  package func loadLastID() throws {
    lastID = try StoredSpan.lastRow(connection)
  }

  /// Reads the keys of rows that no run covers.
  func recollectKeys(progress: (Int) -> Void = { _ in }) throws {
    var covered = duplicates.coveredRow
    var rows = 0
    let retired = try RetiredTable.segments(connection)
    try leaveOutKeys(of: retired, after: covered)
    while covered < lastID {
      let spans = try StoredSpan.all(connection, after: covered).filter { !retired.contains($0.segment) }
      let scan = EventScan(connection, spans, after: covered, damage: damage)
      while !duplicates.isFull, let row = try scan.next() {
        covered = row.id
        rows += 1
        duplicates.arrived(at: row.received)
        if let key = row.key { _ = duplicates.insert(key) }
      }
      progress(rows)
      guard duplicates.isFull else { break }
      duplicates.drain(throughRow: covered)
      guard !duplicates.isFull else {
        throw WarehouseError(
          .full,
          "The disk is full: the keys that detect duplicates need 18 bytes per event. Free some space and try again.")
      }
    }
  }

  /// Notes that keys of rows that have left are not collected again. They would have expired by now.
  func leaveOutKeys(of retired: Set<Int64>, after covered: Int64, through last: Int64 = .max) throws {
    guard !retired.isEmpty else { return }
    let spans = try StoredSpan.all(connection, after: covered, through: last)
    let segments = Set(spans.map(\.segment)).intersection(retired)
    let latest = try segments.compactMap { try RetiredTable.latestReceived(of: $0, connection) }.max()
    if let latest { try transact { try raiseKeysSince(to: latest + 1) } }
  }

  /// Writes all pending state and checkpoints the write-ahead log.
  func finish() throws {
    try rows.restoreSuspect()
    try finishHits()
    duplicates.drain(throughRow: lastID)
    try connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
  }

  /// Derives everything from the rows again that this database has of them: last hits, stored sessions, the sizes of
  /// errors. The counts must be made again afterwards.
  ///
  /// - Parameter repair: Changes rows before their hits are read.
  package func derive(after repair: (Writer) throws -> Void) throws {
    try transact {
      try connection.execute("DELETE FROM hit; DELETE FROM state WHERE name = 'hits'")
      try SpanSessions.rebuild(connection, damage: damage)
      try ErrorRoom.rebuild(connection)
    }
    try repair(self)
    try readHits()
    try finishHits()
  }

  /// Deletes all duplicate keys and collects them from the rows again.
  package func rebuildKeys() throws {
    try duplicates.open(lastRow: lastID)
    duplicates.removeAll()
    try recollectKeys()
    duplicates.drain(throughRow: lastID)
  }
}
