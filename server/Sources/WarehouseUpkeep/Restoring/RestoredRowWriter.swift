import Ingest
import RowFiles
import ServerBase
import Warehouse
import WarehouseSQLite

/// Writes rows that have their IDs already to new segments, each unit of them to a single one.
final class RestoredRowWriter {
  private let connection: SQLConnection
  private let store: RowStore
  private let segmentBytes: Int
  private let insert: SQLStatement
  private var segment: RowSegmentWriter?
  private var block = RowBlockWriter()
  private var blockID: Int64 = 0
  private var bounds = SpanBounds()
  private var spanRows = 0
  private var spanOffset = 0
  private var spanBytes = 0
  private(set) var lastID: Int64 = 0
  /// The last row of a span: spans leave no gap between them.
  private var lastSpanID: Int64 = 0

  init(_ connection: SQLConnection, _ store: RowStore, segmentBytes: Int) throws {
    self.connection = connection
    self.store = store
    self.segmentBytes = segmentBytes
    insert = try connection.prepare("INSERT INTO span VALUES (?, ?, ?, ?, ?, ?, ?, ?)")
  }

  /// Adds a row with a higher ID than the one before.
  func add(_ encoded: EncodedRow) throws {
    let row = encoded.row
    guard row.id > lastID else { throw WarehouseError(.damaged, "Row \(row.id) comes after row \(lastID).") }
    let segment = try segment ?? begin()
    if spanRows >= WarehouseConfiguration.standardSpanRows || spanBytes >= RowStore.spanBytes { try endSpan(segment) }
    // A block has no gaps.
    if row.id != blockID + Int64(block.rows) {
      try endBlock(segment)
      blockID = row.id
    }
    let before = block.bytes.count
    encoded.append(to: &block)
    spanBytes += block.bytes.count - before
    spanRows += 1
    bounds.add(app: row.app, time: row.time)
    lastID = row.id
  }

  /// Ends a unit, in the transaction that stores it.
  ///
  /// - Returns: The number of its segment.
  func endUnit() throws -> Int64 {
    guard let segment else { return 0 }
    try endSpan(segment)
    try segment.sync()
    if segment.end >= segmentBytes { self.segment = nil }
    return segment.number
  }

  private func begin() throws -> RowSegmentWriter {
    let new = try store.newSegment()
    segment = new
    spanOffset = new.end
    return new
  }

  private func endBlock(_ segment: RowSegmentWriter) throws {
    if block.rows > 0 { try segment.append(block, firstID: blockID) }
    block.removeAll()
  }

  private func endSpan(_ segment: RowSegmentWriter) throws {
    try endBlock(segment)
    guard spanRows > 0 else { return }
    insert.bind(
      lastSpanID + 1, lastID, segment.number, Int64(spanOffset), Int64(segment.end - spanOffset),
      bounds.times.lowerBound, bounds.times.upperBound)
    insert.bind(bounds.encodedApps, at: 8)
    try insert.run()
    lastSpanID = lastID
    (bounds, spanRows, spanBytes, spanOffset) = (SpanBounds(), 0, 0, segment.end)
  }
}
