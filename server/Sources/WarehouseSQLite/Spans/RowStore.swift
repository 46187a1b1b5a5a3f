import Ingest
package import RowFiles
import ServerBase
import Warehouse

/// The writer of rows: appends them to segments and describes them in the table `span`.
///
/// Rows are on disk before the transaction that makes them count is committed. After a crash or a failed commit they are
/// bytes after the last span, which may be all that is left of that transaction. They are never overwritten: rows are
/// only appended to a segment that is the newest and ends with the last span; otherwise they begin another segment.
package final class RowStore {
  /// The span that is growing.
  private struct Open {
    package var firstID: Int64 = 0
    var lastID: Int64 = 0
    var rows = 0
    var bounds = SpanBounds()
    /// The start of the span in its segment.
    var offset = 0

    mutating func add(id: Int64, app: Int64, time: Int64) {
      if rows == 0 { firstID = id }
      lastID = id
      rows += 1
      bounds.add(app: app, time: time)
    }
  }

  /// The bytes after which a span ends although it has fewer rows, so that readers needn't hold more.
  package static let spanBytes = 4 << 20
  let connection: SQLConnection
  package let directory: String
  let damage: DamagedRows
  private let spanRows: Int
  private let segmentBytes: Int
  private let storeSpan: SQLStatement
  private let storedSessions: SpanSessions
  @exclusivity(unchecked) private var segment: RowSegmentWriter?
  @exclusivity(unchecked) private var span = Open()
  /// The sessions of the span.
  private let sessions = SessionBounds()
  /// The rows that aren't in the segment yet, the last ones of the span.
  @exclusivity(unchecked) private var block = RowBlockWriter()
  /// A segment to which a write has failed, whose end must be checked before anything reads it.
  private var suspect: RowSegmentWriter?
  /// The number of times that rows were rewritten, failed attempts included.
  package var rewrites = 0
  /// The segments created by the open transaction.
  private var created: [RowSegmentWriter] = []

  package init(_ connection: SQLConnection, spanRows: Int, segmentBytes: Int, damage: DamagedRows) throws {
    self.connection = connection
    self.damage = damage
    self.spanRows = spanRows
    self.segmentBytes = segmentBytes
    directory = connection.rowsPath
    try StoredFile.createDirectory(directory)
    storeSpan = try connection.prepare("INSERT OR REPLACE INTO span VALUES (?, ?, ?, ?, ?, ?, ?, ?)")
    storedSessions = try SpanSessions(connection)
  }

  /// Forgets rows that were not committed.
  func forget() {
    for segment in created { segment.deleteFile() }
    created = []
    segment?.rolledBack()
    if let segment, segment.hasFailed { suspect = segment }
    segment = nil
    span = Open()
    sessions.removeAll()
    block.removeAll()
  }

  /// Keeps the rows of a transaction whose commit failed: if its frames are in the write-ahead log after all, they count
  /// after a crash.
  func leaveUncertain() {
    created = []
    segment = nil
  }

  /// Adds a row with its encoded properties; `user` is empty if there is none.
  @inline(__always)
  func add(
    _ row: EventRow, user: String, properties: UnsafeRawBufferPointer, parameters: UnsafeRawBufferPointer?
  ) throws {
    let segment = try segment ?? load()
    let spanBytes = segment.end - span.offset + block.bytes.count
    if span.rows >= spanRows || spanBytes >= Self.spanBytes { try endSpan(segment) }
    if user.isEmpty {
      block.append(
        row, user: UnsafeRawBufferPointer(start: nil, count: 0), properties: properties, parameters: parameters)
    } else {
      withUTF8(user) { block.append(row, user: $0, properties: properties, parameters: parameters) }
    }
    count(row)
  }

  @inline(__always)
  private func count(_ row: EventRow) {
    span.add(id: row.id, app: row.app, time: row.time)
    sessions.add(app: row.app, slot: row.slot, session: row.session, time: row.time, flags: row.flags)
  }

  /// Writes the rows to disk, in the transaction to be committed next.
  func store() throws {
    guard block.rows > 0 else { return }
    try writeSpan()
    try segment?.sync()
  }

  /// Forgets how to undo the rows, after they were committed.
  func committed() {
    created = []
    segment?.committed()
  }

  private func writeSpan() throws {
    guard let segment else { return }
    try segment.append(block, firstID: span.lastID - Int64(block.rows) + 1)
    block.removeAll()
    let times = span.bounds.times
    storeSpan.bind(
      span.firstID, span.lastID, segment.number, Int64(span.offset), Int64(segment.end - span.offset),
      times.lowerBound, times.upperBound)
    storeSpan.bind(span.bounds.encodedApps, at: 8)
    try storeSpan.run()
  }

  /// Begins another span, and another segment if this one is large.
  private func endSpan(_ segment: RowSegmentWriter) throws {
    if block.rows > 0 { try writeSpan() }
    try storedSessions.store(sessions, firstID: span.firstID)
    sessions.removeAll()
    span = Open()
    span.offset = segment.end
    guard segment.end >= segmentBytes else { return }
    try segment.sync()
    self.segment = try newSegment()
    span.offset = RowSegment.headerSize
  }

  /// The number of the next segment.
  func nextSegment() throws -> Int64 {
    // No file is ever overwritten, even if it isn't known to this database. Segments without files have numbers, too: those that
    // have left, and those without rows.
    let last = max(
      try RowSegment.numbers(in: directory).max() ?? 0,
      try connection.integer("SELECT max(segment) FROM span") ?? 0)
    return last + 1
  }

  /// Creates a segment, in the transaction whose rows it gets.
  package func newSegment() throws -> RowSegmentWriter {
    let segment = try RowSegmentWriter(creating: try nextSegment(), in: directory)
    try RewritingTable.remove(leftover: segment.number, connection)
    created.append(segment)
    return segment
  }

  /// Makes sure that a write that failed has left what was committed before. Must be called after ``forget()``, and if it fails,
  /// again before the next job of the writer.
  func restoreSuspect() throws {
    try suspect?.restoreTail()
    suspect = nil
  }

  /// Continues the last span, or begins another one in another segment.
  private func load() throws -> RowSegmentWriter {
    if let last = try StoredSpan.last(connection) {
      let scan = EventScan(connection, [last], damage: damage)
      while let row = try scan.next() { count(row) }
      if !scan.hasDamage, try last.segment == RowSegment.numbers(in: directory).max(),
        let current = RowSegmentWriter(continuing: last.segment, in: directory, end: last.bytes.upperBound)
      {
        // Some of its rows may have been deleted.
        (span.firstID, span.lastID, span.offset) = (last.ids.lowerBound, last.ids.upperBound, last.bytes.lowerBound)
        segment = current
        return current
      }
      try storedSessions.store(sessions, firstID: last.ids.lowerBound)
      sessions.removeAll()
      span = Open()
    }
    let new = try newSegment()
    segment = new
    span.offset = RowSegment.headerSize
    return new
  }
}
