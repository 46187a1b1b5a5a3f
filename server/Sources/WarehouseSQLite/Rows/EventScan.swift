import Views
import Warehouse

/// A cursor over stored rows, ordered by ID, which is the order in which they were committed.
///
/// To follow the rows of all apps, remember the last ID read and begin after it:
/// ```swift
/// let scan = try EventScan(connection, after: known)
/// while let row = try scan.next() { known = row.id … }
/// ```
/// It reads a span of rows, at most 8,192 or about 4 MiB, at a time, and a row costs some 20 ns. It sees the rows that
/// the connection's transaction sees; a scan may outlive that transaction, because rows never change.
final class EventScan {
  private let directory: String
  private var spans: ArraySlice<StoredSpan>
  private var from: Int64
  private let through: Int64
  private var segment: RowSegmentReader?
  /// The rows of the span in `bytes`.
  private var ids: ClosedRange<Int64> = 0...0
  private let bytes = RowBytes()
  /// The start of the next block in `bytes`.
  private var position = 0
  private var block = RowBlockReader(UnsafeRawBufferPointer(start: nil, count: 0), firstID: 0)
  private var last: EventRow?

  /// Creates a cursor over all rows with IDs in the range.
  convenience init(_ connection: SQLConnection, ids: ClosedRange<Int64>) throws {
    try self.init(connection, after: ids.lowerBound - 1, through: ids.upperBound)
  }

  /// Creates a cursor over all rows after one ID, and up to another.
  convenience init(_ connection: SQLConnection, after: Int64, through: Int64 = .max) throws {
    let spans = try StoredSpan.all(connection, after: after, through: through)
    self.init(connection, spans, after: after, through: through)
  }

  /// Creates a cursor over the rows of some spans, given in order.
  init(_ connection: SQLConnection, _ spans: [StoredSpan], after: Int64 = 0, through: Int64 = .max) {
    directory = connection.rowsPath
    self.spans = spans[...]
    from = after + 1
    self.through = through
  }

  /// Returns the next row, or `nil` at the end.
  ///
  /// - Throws: ``WarehouseError`` with code `damaged` if the file with the row can't be read.
  @inline(__always)
  func next() throws -> EventRow? {
    while true {
      while let row = block.next() {
        guard row.id >= from else { continue }
        guard row.id <= through else { return nil }
        return row
      }
      guard try nextBlock() else { return nil }
    }
  }

  /// Returns the row with an ID, or `nil` if there is none. IDs must be asked for in ascending order.
  func find(_ id: Int64) throws -> EventRow? {
    from = id
    if last.map({ $0.id < id }) ?? true { last = try next() }
    return last?.id == id ? last : nil
  }

  /// The stored properties of the row last returned, valid until the next call.
  var properties: UnsafeRawBufferPointer { block.properties }
  /// The stored parameters of the row last returned, if it is a hit that has some of its own.
  var parameters: UnsafeRawBufferPointer? { block.parameters }
  /// The user of the row last returned, in UTF-8; empty if there is none.
  var userBytes: UnsafeRawBufferPointer { block.user }
  /// The user of the row last returned.
  var user: String { String(decoding: block.user, as: UTF8.self) }

  /// Moves to the next block with wanted rows; returns false at the end.
  private func nextBlock() throws -> Bool {
    guard !block.isDamaged else { throw damage }
    while true {
      guard position < bytes.count else {
        guard try nextSpan() else { return false }
        continue
      }
      let part = bytes.bytes
      let start = position + RowSegment.blockHeaderSize
      guard start <= part.count else { throw damage }
      let header = part.loadUnaligned(fromByteOffset: position, as: RowSegment.BlockHeader.self)
      guard Int(header.byteCount) <= part.count - start, ids.contains(header.firstID), ids.contains(header.lastID)
      else { throw damage }
      position = start + Int(header.byteCount)
      guard header.lastID >= from else { continue }
      let rows = UnsafeRawBufferPointer(rebasing: part[start..<position])
      guard header.check == header.expectedCheck(rows) else { throw damage }
      block = RowBlockReader(rows, firstID: header.firstID)
      return true
    }
  }

  private func nextSpan() throws -> Bool {
    while let span = spans.popFirst() {
      guard span.ids.upperBound >= from else { continue }
      guard span.ids.lowerBound <= through else { return false }
      if segment?.number != span.segment { segment = try RowSegmentReader(span.segment, in: directory) }
      try segment?.read(span.bytes, into: bytes)
      ids = span.ids
      position = 0
      return true
    }
    return false
  }

  private var damage: WarehouseError { RowSegment.damage(segment?.path ?? directory) }
}
