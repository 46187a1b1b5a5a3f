import TernEvents
import Views
import Warehouse

extension Writer {
  /// Restores the in-memory state and the rollups after a clean or unclean shutdown. Must be called first.
  func recover() throws {
    try loadLastID()
    try recollectKeys()
    try catchUp()
    try flush()
  }

  /// Loads the ID of the last row stored.
  func loadLastID() throws {
    lastID = try WarehouseSchema.lastRow(connection)
  }

  /// Reads the keys of rows that the table `seen` doesn't cover.
  func recollectKeys(progress: (Int) -> Void = { _ in }) throws {
    var covered = try connection.integer("SELECT value FROM state WHERE name = 'seen'") ?? 0
    var rows = 0
    while covered < lastID {
      let scan = try EventScan(connection, ids: covered + 1...lastID)
      while !duplicates.isFull, let row = try scan.next() {
        covered = row.id
        rows += 1
        if let key = row.key { try duplicates.recollect(key, received: row.time + row.lag) }
      }
      progress(rows)
      guard duplicates.isFull else { break }
      try drainKeys(through: covered)
    }
  }

  /// Inserts all waiting keys into their table.
  func drainKeys(through row: Int64) throws {
    while duplicates.hasPending {
      duplicates.committed(throughRow: row, all: true)
      try drainSomeKeys()
      duplicates.committed(throughRow: row)
    }
  }

  /// Inserts some waiting keys into their table, in a separate transaction.
  func drainSomeKeys() throws {
    try transact { try duplicates.drain(atMost: 20_000) }
  }

  /// Writes all pending state and checkpoints the write-ahead log.
  func finish() throws {
    try flush()
    try drainKeys(through: lastID)
    try connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
  }

  /// Deletes keys of events that are too old to be delivered again: by their time, or by their arrival if they are out
  /// of window.
  ///
  /// - Returns: True if there may be more to delete.
  func expireKeys(before milliseconds: Int64) throws -> Bool {
    try transact {
      var count: Int64 = 0
      for (table, column) in [("seen", "ms"), ("out_of_window", "received")] {
        try connection.execute(
          """
          DELETE FROM \(table) WHERE (ms, hash) IN
            (SELECT ms, hash FROM \(table) WHERE \(column) < \(milliseconds) ORDER BY \(column), hash LIMIT 5000)
          """)
        count += try connection.integer("SELECT changes()") ?? 0
      }
      return count > 0
    }
  }

  /// Deletes all rollups and recounts every stored row, including names that previously had no room. After a crash, the
  /// next start completes the rebuild.
  func rebuild(now: Timestamp, progress: (Int) -> Void) throws {
    try transact {
      for table in ["daily_count", "daily_users", "property_values", "hit"] {
        try connection.execute("DELETE FROM \(table)")
      }
      try SpanSessions.rebuild(connection)
      try ErrorRoom.rebuild(connection)
      try rollupStore.store(cursor: 0)
    }
    try restoreNames(now: now)
    try catchUp(progress: progress)
    try flush()
  }

  /// Deletes all duplicate keys and collects them from the rows again.
  func rebuildKeys() throws {
    try transact {
      for table in ["seen", "out_of_window"] { try connection.execute("DELETE FROM \(table)") }
      try connection.execute("INSERT OR REPLACE INTO state (name, value) VALUES ('seen', 0)")
    }
    try recollectKeys()
    try drainKeys(through: lastID)
  }
}
