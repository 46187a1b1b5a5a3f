import Ingest
import Views
import Warehouse

extension Writer {
  /// Writes the rollups in memory and the cursor in one transaction, so that a crash neither loses nor double-counts
  /// any.
  func flush() throws {
    if mustCatchUp { try catchUp() }
    guard hasUnrolled else { return }
    try writeRollups(through: lastID)
  }

  private func writeRollups(through id: Int64) throws {
    try transact {
      try rollups.forEach { try rollupStore.add($0, $1) }
      try properties.takePending { try propertyStore.store($0) }
      try hits.flush()
      try rollupStore.store(cursor: id)
    }
    rollups.removeAll()
    rolledID = id
  }

  /// Recounts the rows after the cursor, following a crash or a failed transaction.
  ///
  /// - Parameter progress: Receives the number of rows counted.
  func catchUp(progress: (Int) -> Void = { _ in }) throws {
    rollups.removeAll()
    properties.removeAll()
    hits.removeAll()
    mustCatchUp = true
    rolledID = try WarehouseSchema.rolledUp(connection)
    var rows = 0
    while true {
      let isDone = try catchUpChunk(&rows)
      progress(rows)
      if isDone { break }
    }
    mustCatchUp = false
  }

  /// Counts up to one flush's worth of rows; returns true when there are no more.
  private func catchUpChunk(_ rows: inout Int) throws -> Bool {
    guard lastID > rolledID else { return true }
    let (counted, last) = try countChunk()
    rows += counted
    guard counted == configuration.flushEvents else { return true }
    try writeRollups(through: last)
    return false
  }

  /// Counts up to one flush's worth of rows; returns their number and the last of them.
  ///
  /// The cursor must have ended before anything is written: while it is open, the write-ahead log can't start over, and
  /// would grow by all that is written.
  private func countChunk() throws -> (Int, Int64) {
    let scan = try EventScan(connection, ids: rolledID + 1...lastID, damage: damage)
    var counted = 0
    var last = rolledID
    while counted < configuration.flushEvents, let row = try scan.next() {
      try count(row, calendar: try calendar(row.app), device: { try devices.keys(id: row.device) }, scan.properties)
      last = row.id
      counted += 1
    }
    return (counted, last)
  }
}
