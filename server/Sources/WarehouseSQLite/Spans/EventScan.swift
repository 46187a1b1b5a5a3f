import Ingest
package import RowFiles
import Warehouse

/// A cursor over stored rows, ordered by ID, which is the order in which they were committed.
///
/// To follow the rows of all apps, remember the last ID read and begin after it:
/// ```swift
/// let scan = try EventScan(connection, after: known)
/// while let row = try scan.next() { known = row.id … }
/// ```
/// It reads a span of rows, at most 8,192 or about 4 MiB, at a time, and a row costs some 20 ns. It sees the rows that
/// the connection's transaction sees; a scan may outlive that transaction, because rows never change. IDs may have gaps
/// where rows were deleted.
package final class EventScan {
  private let directory: String
  private let damage: DamagedRows?
  private var spans: ArraySlice<StoredSpan>
  @exclusivity(unchecked) private var from: Int64
  private let through: Int64
  private var segment: RowSegmentReader?
  /// Reads the segment if it has left home.
  private var retired: RetiredSegmentReader?
  /// True if all rows come from `retired`, wherever they are.
  package private(set) var readsCopies = false
  /// The IDs of the rows in `bytes` that were not reached yet.
  private var ids: Range<Int64> = 0..<0
  /// The bytes of the span, fewer if the file is damaged.
  private let bytes = RowBytes()
  private var byteCount = 0
  /// The start of the next block in `bytes`.
  private var position = 0
  // Unchecked: the checks for exclusive access cost as much as reading a row.
  @exclusivity(unchecked) private var block = RowBlockReader(UnsafeRawBufferPointer(start: nil, count: 0), firstID: 0)
  private var last: EventRow?
  /// True if some rows could not be read.
  package private(set) var hasDamage = false

  /// Creates a cursor over all rows with IDs in the range.
  package convenience init(_ connection: SQLConnection, ids: ClosedRange<Int64>, damage: DamagedRows? = nil) throws {
    try self.init(connection, after: ids.lowerBound - 1, through: ids.upperBound, damage: damage)
  }

  /// Creates a cursor over all rows after one ID, and up to another.
  package convenience init(
    _ connection: SQLConnection, after: Int64, through: Int64 = .max, damage: DamagedRows? = nil
  ) throws {
    let spans = try StoredSpan.all(connection, after: after, through: through)
    self.init(connection, spans, after: after, through: through, damage: damage)
  }

  /// Creates a cursor over the rows of some spans, given in order.
  ///
  /// - Parameter damage: Records rows that can't be read, which are then left out. Default: ``DamagedRows/tolerated``;
  ///   without it, the scan throws at the first of them.
  package convenience init(
    _ connection: SQLConnection, _ spans: [StoredSpan], after: Int64 = 0, through: Int64 = .max,
    damage: DamagedRows? = nil
  ) {
    self.init(directory: connection.rowsPath, spans, after: after, through: through, damage: damage)
  }

  /// Creates a cursor over the rows of some spans, given in order, without a connection.
  package init(
    directory: String, _ spans: [StoredSpan], after: Int64 = 0, through: Int64 = .max, damage: DamagedRows? = nil
  ) {
    self.directory = directory
    self.damage = damage ?? DamagedRows.tolerated
    self.spans = spans[...]
    from = after + 1
    self.through = through
  }

  /// Creates a cursor over the copies of some rows of a span.
  package convenience init(_ copies: RetiredSegmentReader, _ span: StoredSpan, ids: ClosedRange<Int64>) {
    self.init(directory: "", [span], after: ids.lowerBound - 1, through: ids.upperBound)
    (retired, readsCopies) = (copies, true)
  }

  /// Returns the next row, or `nil` at the end.
  ///
  /// - Throws: ``WarehouseError`` with code `damaged` if the row is damaged or its file is missing.
  @inline(__always)
  package func next() throws -> EventRow? {
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
  package func find(_ id: Int64) throws -> EventRow? {
    from = id
    if last.map({ $0.id < id }) ?? true { last = try next() }
    return last?.id == id ? last : nil
  }

  /// The stored properties of the row last returned, valid until the next call.
  package var properties: UnsafeRawBufferPointer { block.properties }
  /// The stored parameters of the row last returned, if it is a hit that has some of its own.
  package var parameters: UnsafeRawBufferPointer? { block.parameters }
  /// The user of the row last returned, in UTF-8; empty if there is none.
  package var userBytes: UnsafeRawBufferPointer { block.user }
  /// The user of the row last returned.
  package var user: String { String(decoding: block.user, as: UTF8.self) }

  /// Moves to the next block with wanted rows; returns false at the end.
  private func nextBlock() throws -> Bool {
    if block.isDamaged {
      try lose(min(block.nextID, ids.lowerBound)..<ids.lowerBound)
      block = RowBlockReader(UnsafeRawBufferPointer(start: nil, count: 0), firstID: 0)
    }
    while true {
      guard position < bytes.count else {
        if bytes.count < byteCount { try lose(ids) }
        guard try nextSpan() else { return false }
        continue
      }
      guard let next = blockAtPosition() else {
        try resynchronize()
        continue
      }
      position += RowSegment.blockHeaderSize + Int(next.header.byteCount)
      ids = next.header.lastID + 1..<ids.upperBound
      guard next.header.lastID >= from else { continue }
      block = RowBlockReader(next.rows, firstID: next.header.firstID)
      return true
    }
  }

  private func blockAtPosition() -> (header: RowSegment.BlockHeader, rows: UnsafeRawBufferPointer)? {
    ids.isEmpty ? nil : RowSegment.block(in: bytes.bytes, at: position, rows: ids.lowerBound...ids.upperBound - 1)
  }

  /// Moves from damage to the next whole block of the span, or to its end.
  private func resynchronize() throws {
    // Without a record of damage, there is no point in searching.
    if damage == nil { try lose(ids) }
    repeat { position += 1 } while position < bytes.count && blockAtPosition() == nil
    let next = position < bytes.count ? blockAtPosition()?.header.firstID : nil
    try lose(ids.lowerBound..<(next ?? ids.upperBound))
    if next == nil { byteCount = 0 }
  }

  private func lose(_ ids: Range<Int64>) throws {
    guard let damage else { throw RowSegment.damage(segment?.path ?? directory) }
    hasDamage = true
    let wanted = ids.clamped(to: from..<max(from, through == .max ? .max : through + 1))
    if let first = wanted.first, let last = wanted.last { damage.note(first...last, in: segment?.path ?? directory) }
  }

  private func nextSpan() throws -> Bool {
    while let span = spans.popFirst() {
      guard span.ids.upperBound >= from, !span.bytes.isEmpty else { continue }
      guard span.ids.lowerBound <= through else { return false }
      if !readsCopies, segment?.number != span.segment { try open(span.segment) }
      if let retired {
        // Fetched rows lie elsewhere than the span says.
        try retired.read(span.ids.clamped(to: from...max(from, through)), into: bytes)
        byteCount = bytes.count
      } else {
        try segment?.read(span.bytes, into: bytes)
        byteCount = span.bytes.count
      }
      ids = span.ids.lowerBound..<span.ids.upperBound + 1
      position = 0
      return true
    }
    return false
  }

  private func open(_ number: Int64) throws {
    let segment = try RowSegmentReader(number, in: directory)
    self.segment = segment
    retired = nil
    guard !segment.hasHeader else { return }
    if segment.isMissing {
      retired = try RetiredSegmentReader(number, in: directory)
      if retired != nil { return }
    }
    guard let damage else { throw RowSegment.damage(segment.path) }
    hasDamage = true
    damage.note(nil, in: segment.path)
  }
}
