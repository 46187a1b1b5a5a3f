package import RowFiles
import Warehouse

/// The outcome for a row when its segment is rewritten.
package enum RowChange {
  case keep
  /// Another row with the same ID, and its properties.
  case replace(EventRow, [UInt8])
  case delete
}

extension RowStore {
  /// Notes the next segments, so that their files don't stay if rows are not moved to them after all. Must precede the transaction
  /// of ``rewrite(_:deleting:reading:_:)``.
  ///
  /// - Parameter count: The number of segments that will be rewritten.
  package func prepareRewriting(_ count: Int = 1) throws {
    let next = try nextSegment()
    try RewritingTable.note(leftovers: next..<next + Int64(count), connection)
  }

  /// Writes the rows of each of some segments to another one, in a transaction of its own.
  ///
  /// The stored sessions of spans that lose rows must be computed again.
  ///
  /// - Parameters:
  ///   - isDeleted: Returns true for spans that lose all rows, which then needn't be read.
  ///   - scans: Returns cursors over the rows of a span, together in their order; by default one that fails at a row that can't be
  ///     read. So nothing is lost on the way.
  package func rewrite(
    _ spans: [StoredSpan], deleting isDeleted: (StoredSpan) -> Bool = { _ in false },
    reading scans: ((StoredSpan) throws -> [EventScan])? = nil, _ body: (EventRow, EventScan) throws -> RowChange
  ) throws {
    forget()
    rewrites += 1
    var changed: Set<Int64> = []
    for (old, spans) in Dictionary(grouping: spans, by: \.segment).sorted(by: {
      $0.value[0].ids.lowerBound < $1.value[0].ids.lowerBound
    }) {
      let segment = try newSegment()
      for span in spans {
        if isDeleted(span) {
          changed.formUnion(span.apps)
          try rewrite(span, [], to: segment, &changed, body)
        } else {
          try rewrite(span, try scans?(span) ?? [EventScan(connection, [span])], to: segment, &changed, body)
        }
      }
      try segment.sync()
      let isEmpty = segment.end == RowSegment.headerSize
      try RewritingTable.note(leftovers: isEmpty ? [old, segment.number] : [old], connection)
      // Rows that had left are at home again.
      try RetiredTable.delete(segment: old, connection)
    }
    try RewritingTable.note(staleColumnsOf: changed, connection)
  }

  private func rewrite(
    _ span: StoredSpan, _ scans: [EventScan], to segment: RowSegmentWriter, _ changed: inout Set<Int64>,
    _ body: (EventRow, EventScan) throws -> RowChange
  ) throws {
    var block = RowBlockWriter()
    var firstID: Int64 = 0
    var bounds = SpanBounds()
    let start = segment.end
    func endBlock() throws {
      if block.rows > 0 { try segment.append(block, firstID: firstID) }
      block.removeAll()
    }
    for scan in scans {
      while let row = try scan.next() {
        let change = try body(row, scan)
        if case .keep = change {} else { changed.insert(row.app) }
        if case .delete = change { continue }
        // A block has no gaps.
        if row.id != firstID + Int64(block.rows) {
          try endBlock()
          firstID = row.id
        }
        bounds.add(app: row.app, time: row.time)
        if case .replace(let row, let properties) = change {
          properties.withUnsafeBytes {
            block.append(row, user: scan.userBytes, properties: $0, parameters: scan.parameters)
          }
        } else {
          block.append(row, user: scan.userBytes, properties: scan.properties, parameters: scan.parameters)
        }
      }
    }
    try endBlock()
    let move = try connection.prepare(
      "UPDATE span SET segment = ?, offset = ?, bytes = ?, min_t = ?, max_t = ?, apps = ? WHERE first_id = ?")
    move.bind(
      segment.number, Int64(start), Int64(segment.end - start), bounds.times.lowerBound, bounds.times.upperBound)
    move.bind(bounds.encodedApps, at: 6)
    move.bind(span.ids.lowerBound, at: 7)
    try move.run()
  }

  /// Deletes the files of segments whose rows have moved, or to which none were moved after all. What was deleted in them doesn't
  /// come back after a power failure.
  package func deleteLeftovers() throws {
    forget()
    let used = try StoredSpan.segments(connection)
    let leftovers = try RewritingTable.leftovers(connection)
    try deleteFiles(of: leftovers.filter { !used.contains($0) })
    for number in leftovers { try RewritingTable.remove(leftover: number, connection) }
  }

  private func deleteFiles(of segments: [Int64]) throws {
    try StoredFile.delete(segments.map(RowSegment.name), in: directory)
  }

  /// Deletes the files of segments that have left, which a crash may have kept.
  package func deleteRetired() throws {
    let retired = try RetiredTable.segments(connection)
    guard !retired.isEmpty else { return }
    try deleteFiles(of: RowSegment.numbers(in: directory).filter(retired.contains))
  }

  /// Deletes the segments that no span uses.
  package func deleteUnused() throws {
    forget()
    let used = try StoredSpan.segments(connection)
    // A database without rows may not be the one of these segments.
    guard !used.isEmpty else { return }
    try deleteFiles(of: RowSegment.numbers(in: directory).filter { !used.contains($0) })
  }

  /// Reports blocks that the database doesn't know: of a transaction that a crash interrupted, or of a write-ahead log
  /// that was lost.
  func reportUnknownRows(to report: (String) -> Void) throws {
    let last = try StoredSpan.last(connection)
    // Rows that were rewritten are in segments with higher numbers, under their old IDs.
    let unknown = (last?.ids.upperBound ?? 0) + 1...Int64.max - 1
    for number in try RowSegment.numbers(in: directory).sorted() where number >= last?.segment ?? 0 {
      let segment = try RowSegmentReader(number, in: directory)
      let start = number == last?.segment ? last?.bytes.upperBound ?? 0 : RowSegment.headerSize
      guard segment.size > start else { continue }
      let bytes = RowBytes()
      try segment.read(start..<segment.size, into: bytes)
      var (position, rows) = (0, 0)
      while let block = RowSegment.block(in: bytes.bytes, at: position, rows: unknown) {
        rows += Int(block.header.rows)
        position += RowSegment.blockHeaderSize + Int(block.header.byteCount)
      }
      guard rows > 0 else { continue }
      report(
        """
        \(segment.path) has \(rows) events of a transaction that did not end, as after a crash; clients will send them \
        again. If you miss more than the last moment, warehouse.sqlite-wal was lost: restore it from a backup.
        """)
    }
  }
}
