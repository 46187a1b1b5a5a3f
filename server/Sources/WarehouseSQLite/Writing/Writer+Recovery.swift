import TernEvents
import Views
import Warehouse

extension Writer {
  /// Restores the in-memory state and the rollups after a clean or unclean shutdown. Must be called first.
  func recover() throws {
    try loadLastID()
    try rows.reportUnknownRows(to: configuration.report)
    if try WarehouseSchema.rolledUp(connection) > lastID {
      configuration.report("The counts include events that are missing. Stop the server and run `tern rebuild`.")
    }
    try duplicates.open(lastRow: lastID)
    try recollectKeys()
    try catchUp()
    try flush()
  }

  /// Loads the ID of the last row stored.
  func loadLastID() throws {
    lastID = try WarehouseSchema.lastRow(connection)
  }

  /// Reads the keys of rows that no run covers.
  func recollectKeys(progress: (Int) -> Void = { _ in }) throws {
    var covered = duplicates.coveredRow
    var rows = 0
    while covered < lastID {
      let scan = try EventScan(connection, ids: covered + 1...lastID, damage: damage)
      while !duplicates.isFull, let row = try scan.next() {
        covered = row.id
        rows += 1
        duplicates.arrived(at: row.time + row.lag)
        if let key = row.key { _ = duplicates.insert(key) }
      }
      progress(rows)
      guard duplicates.isFull else { break }
      duplicates.drain(throughRow: covered)
      guard !duplicates.isFull else {
        throw WarehouseError(
          code: .full,
          message:
            "The disk is full: the keys that detect duplicates need 18 bytes per event. Free some space and try again.")
      }
    }
  }

  /// Writes all pending state and checkpoints the write-ahead log.
  func finish() throws {
    try flush()
    duplicates.drain(throughRow: lastID)
    try connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
  }

  /// Deletes all rollups and recounts every stored row, including names that previously had no room, and without those
  /// that can't be read. After a crash, the
  /// next start completes the rebuild.
  func rebuild(now: Timestamp, progress: (Int) -> Void) throws {
    try transact {
      for table in ["daily_count", "daily_users", "property_values", "hit"] {
        try connection.execute("DELETE FROM \(table)")
      }
      try SpanSessions.rebuild(connection, damage: damage)
      try ErrorRoom.rebuild(connection)
      try rollupStore.store(cursor: 0)
    }
    try repairRows(now: now)
    try catchUp(progress: progress)
    try flush()
  }

  /// Deletes all duplicate keys and collects them from the rows again.
  func rebuildKeys() throws {
    try duplicates.open(lastRow: lastID)
    duplicates.removeAll()
    try recollectKeys()
    duplicates.drain(throughRow: lastID)
  }
}
