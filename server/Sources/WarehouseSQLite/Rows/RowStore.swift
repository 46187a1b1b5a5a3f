import Ingest
import Views
import Warehouse

/// The writer of rows: appends them to segments and describes them in the table `span`.
///
/// Rows are on disk before the transaction that makes them count is committed. After a crash or a failed transaction
/// they are bytes beyond the last span, which the next rows overwrite; after a failed commit, the next rows begin
/// another segment.
final class RowStore {
  /// The span that is growing.
  private struct Open {
    var firstID: Int64 = 0
    var lastID: Int64 = 0
    var rows = 0
    var earliest = Int64.max
    var latest = Int64.min
    var apps: Set<Int64> = []
    private var lastApp = Int64.min
    /// The start of the span in its segment.
    var offset = 0

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

  static let spanRows = 8_192
  /// The bytes after which a span ends although it has fewer rows, so that readers needn't hold more.
  private static let spanBytes = 4 << 20
  private let connection: SQLConnection
  private let directory: String
  private let spanRows: Int
  private let segmentBytes: Int
  private let storeSpan: SQLStatement
  private let storedSessions: SpanSessions
  private var segment: RowSegmentWriter?
  private var span = Open()
  /// The sessions of the span.
  private let sessions = SessionBounds()
  /// The rows that aren't in the segment yet, the last ones of the span.
  private var block = RowBlockWriter()
  /// The segments created by the open transaction.
  private var created: [RowSegmentWriter] = []
  /// True if the next rows must not overwrite what lies beyond the last span.
  private var needsNewSegment = false

  init(_ connection: SQLConnection, spanRows: Int, segmentBytes: Int) throws {
    self.connection = connection
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
    segment = nil
    span = Open()
    sessions.removeAll()
    block.removeAll()
  }

  /// Keeps the rows of a transaction whose commit failed: if its frames are in the write-ahead log after all, they count
  /// after a crash.
  func leaveUncertain() {
    created = []
    needsNewSegment = true
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
    // A transaction without rows leaves the log as it was.
    if !created.isEmpty { needsNewSegment = false }
    created = []
  }

  private func writeSpan() throws {
    guard let segment else { return }
    try segment.append(block, firstID: span.lastID - Int64(block.rows) + 1)
    block.removeAll()
    var apps: [UInt8] = []
    for app in span.apps.sorted() { apps.appendVarint(UInt64(bitPattern: app)) }
    storeSpan.bind(
      span.firstID, span.lastID, segment.number, Int64(span.offset), Int64(segment.end - span.offset), span.earliest,
      span.latest)
    storeSpan.bind(apps, at: 8)
    try storeSpan.run()
  }

  /// Begins another span, and another segment if this one is large.
  private func endSpan(_ segment: RowSegmentWriter) throws {
    if block.rows > 0 { try writeSpan() }
    try storedSessions.store(sessions, firstID: span.firstID)
    sessions.removeAll()
    span = Open()
    span.offset = segment.end
    guard segment.end >= segmentBytes || needsNewSegment else { return }
    try segment.sync()
    self.segment = try newSegment()
    span.offset = RowSegment.headerSize
  }

  private func newSegment() throws -> RowSegmentWriter {
    // No file is ever overwritten, even if it isn't known to this database.
    let last = try RowSegment.numbers(in: directory).max() ?? 0
    let segment = try RowSegmentWriter(creating: last + 1, in: directory)
    created.append(segment)
    return segment
  }

  /// Continues the last span.
  private func load() throws -> RowSegmentWriter {
    guard let last = try StoredSpan.last(connection) else {
      let first = try newSegment()
      segment = first
      span.offset = RowSegment.headerSize
      return first
    }
    let scan = EventScan(connection, [last])
    while let row = try scan.next() { count(row) }
    span.offset = last.bytes.lowerBound
    let current = try RowSegmentWriter(opening: last.segment, in: directory, end: last.bytes.upperBound)
    segment = current
    if needsNewSegment { try endSpan(current) }
    return segment ?? current
  }

  // MARK: - Changing rows

  /// Writes the rows of one segment to another one, in a transaction of its own.
  ///
  /// - Parameter body: Returns the row as it is to be stored, with its properties.
  func rewrite(
    _ spans: [StoredSpan], _ body: (EventRow, UnsafeRawBufferPointer) throws -> (EventRow, [UInt8])?
  ) throws {
    forget()
    let segment = try newSegment()
    let move = try connection.prepare("UPDATE span SET segment = ?, offset = ?, bytes = ? WHERE first_id = ?")
    for span in spans {
      let scan = EventScan(connection, [span])
      while let row = try scan.next() {
        if let (row, properties) = try body(row, scan.properties) {
          properties.withUnsafeBytes {
            block.append(row, user: scan.userBytes, properties: $0, parameters: scan.parameters)
          }
        } else {
          block.append(row, user: scan.userBytes, properties: scan.properties, parameters: scan.parameters)
        }
      }
      let start = segment.end
      try segment.append(block, firstID: span.ids.lowerBound)
      block.removeAll()
      try move.bind(segment.number, Int64(start), Int64(segment.end - start), span.ids.lowerBound).run()
    }
    try segment.sync()
  }

  /// Deletes the segments that no span uses.
  func deleteUnused() throws {
    forget()
    let used = Set(try connection.prepare("SELECT DISTINCT segment FROM span").all { $0.integer(0) })
    // A database without rows may not be the one of these segments.
    guard !used.isEmpty else { return }
    for number in try RowSegment.numbers(in: directory) where !used.contains(number) {
      try RowSegmentWriter(opening: number, in: directory, end: 0).deleteFile()
    }
  }
}
