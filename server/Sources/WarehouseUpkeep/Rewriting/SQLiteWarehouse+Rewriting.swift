import DataFiles
import RowFiles
import ServerBase
import Warehouse
import WarehouseSQLite

extension SQLiteWarehouse {
  /// The attempts to rewrite rows, in case they turn out to be damaged.
  private static let rewritingAttempts = 3

  /// Runs `body` on the writer thread, to rewrite segments.
  ///
  /// Rows that have left home are fetched before, so that the writer doesn't wait for the cluster. If rows can't be read, nothing of
  /// `body` remains, and it runs again after they were read from the cluster. If the cluster doesn't have them all, the segments stay
  /// as they are. So rewriting never loses a row.
  ///
  /// - Parameters:
  ///   - ids: A row of each segment, by which it is found again if others rewrite it meanwhile.
  ///   - body: Receives the numbers of the segments in the same order.
  /// - Returns: `nil` if there are no such rows.
  /// - Throws: ``DamagedSegments`` if rows can't be read; a `WarehouseError` with code `rowsAway` if they may come back from the
  ///   cluster, with `unavailable` if more and more of them can't be read, and with `damaged` if `body` fails with this code although
  ///   all can be read.
  func rewriting<Value: Sendable>(
    rows ids: [Int64], _ body: @escaping @Sendable (Writer, [Int64]) throws -> Value
  ) async throws -> Value? {
    var attempts = 0
    while true {
      let segments = try await segments(of: ids)
      guard segments.count == ids.count else { return nil }
      do {
        if let value = try await rewriting(segments, of: ids, body) { return value }
      } catch let error as WarehouseError where error.code == .damaged {
        attempts += 1
        var hasChanged = false
        for segment in Set(segments).sorted() where try await mend(segment) { hasChanged = true }
        // Others may have mended them just before.
        if !hasChanged { hasChanged = try await self.segments(of: ids) != segments }
        guard attempts >= Self.rewritingAttempts else { continue }
        throw hasChanged ? WarehouseError(.unavailable, "Ever more events can't be read.", cause: error) : error
      }
    }
  }

  /// Mends a segment; returns false if all of its rows can be read.
  ///
  /// - Throws: ``DamagedSegments``, or a `WarehouseError` with code `rowsAway`, if it can't be mended.
  private func mend(_ segment: Int64) async throws -> Bool {
    switch try await mendRows(in: segment) {
    case .notNeeded: return false
    case .mended: return true
    case .impossible(let unreadable): throw DamagedSegments(unreadable)
    case .waits(let unreadable):
      throw WarehouseError(
        .rowsAway,
        """
        \(unreadable) The cluster may have them, but hasn't confirmed its copy, or the copy is older. If that stays so, \
        stop the server and run `tern rebuild`, which removes them.
        """)
    }
  }

  /// Returns the segments that have some rows, in the order of these.
  private func segments(of ids: [Int64]) async throws -> [Int64] {
    try await reader.reading { connection in try ids.compactMap { try StoredSpan.segment(of: $0, connection) } }
  }

  /// Runs `body` once; returns `nil` if the rows have moved to other segments meanwhile.
  private func rewriting<Value: Sendable>(
    _ segments: [Int64], of ids: [Int64], _ body: @escaping @Sendable (Writer, [Int64]) throws -> Value
  ) async throws -> Value? {
    let rows = RetiredRowCache.of(files.rowsPath)
    let pinned = try await reader.reading { _ in try Set(segments).sorted().flatMap { try rows.pin($0) } }
    defer { rows.unpin(pinned) }
    return try await perform { writer in
      guard try ids.map({ try StoredSpan.segment(of: $0, writer.connection) }) == segments else { return nil }
      try writer.prepareRewriting(Set(segments).count)
      return try body(writer, segments)
    }
  }

  /// Runs `body` for each segment, also if some of them must wait for the cluster or can't be read.
  ///
  /// - Parameter rows: A row of each.
  /// - Returns: The first error with code `rowsAway` that `body` has thrown, else the one of all segments that can't be read.
  func forEachSegment(
    of rows: [Int64], _ body: (Int64) async throws -> Void
  ) async throws -> WarehouseError? {
    var away: WarehouseError?
    var damaged: DamagedSegments?
    for row in rows {
      try Task.checkCancellation()
      do {
        try await body(row)
      } catch let error as WarehouseError where error.code == .rowsAway {
        away = away ?? error
      } catch let error as DamagedSegments {
        damaged = damaged?.adding(error) ?? error
      }
    }
    return away ?? damaged?.error
  }

  /// Returns true if the segment with a row has rows of an app that meet a condition. Rows that can't be read may be such rows, so
  /// they are read from the cluster before.
  ///
  /// - Parameter readsAll: True to do that with all unreadable rows of the segment, rather than only until one meets the condition.
  /// - Throws: ``DamagedSegments``, or a `WarehouseError` with code `rowsAway`, if they can't be read there either.
  func hasRows(
    inSegmentOf id: Int64, app: Int64, readsAll: Bool = false,
    where isMeant: @escaping @Sendable (EventRow, EventScan) -> Bool
  ) async throws -> Bool {
    var attempts = 0
    while true {
      try Task.checkCancellation()
      let found = try await reader.reading { connection -> (segment: Int64, hasSome: Bool, isDamaged: Bool)? in
        guard let segment = try StoredSpan.segment(of: id, connection) else { return nil }
        let spans = try StoredSpan.all(connection).filter { $0.segment == segment && $0.apps.contains(app) }
        let scan = EventScan(connection, spans, damage: DamagedRows())
        var hasSome = false
        while readsAll || !hasSome, let row = try scan.next() {
          if row.app == app, isMeant(row, scan) { hasSome = true }
        }
        return (segment, hasSome, scan.hasDamage)
      }
      guard let found else { return false }
      guard found.isDamaged else { return found.hasSome }
      if try await mend(found.segment) { continue }
      // Its rows have moved meanwhile, or the disk gives them again.
      attempts += 1
      guard attempts < Self.rewritingAttempts else {
        throw RowSegment.damage(RowSegment.path(found.segment, in: files.rowsPath))
      }
    }
  }
}

extension Writer {
  /// Prepares a transaction that rewrites rows. Must precede each such transaction.
  ///
  /// - Parameter count: The number of segments that will be rewritten.
  func prepareRewriting(_ count: Int = 1) throws {
    // Keys that are only in memory could not be read again from rows that go.
    duplicates.drain(throughRow: lastID)
    try rows.prepareRewriting(count)
  }
}
