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
  /// `body` remains, and it runs again after those that the cluster has were read from there. So what is rewritten never
  /// lacks rows that are still somewhere.
  ///
  /// - Parameters:
  ///   - ids: A row of each segment, by which it is found again if others rewrite it meanwhile.
  ///   - body: Receives the numbers of the segments in the same order.
  /// - Returns: `nil` if there are no such rows.
  /// - Throws: A `WarehouseError` with code `rowsAway` if rows may come back from the cluster, with `unavailable` if more and more of
  ///   them can't be read, and with `damaged` if `body` fails with this code although all can be read.
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
        for segment in Set(segments).sorted() where try await mendRows(in: segment, .all) { hasChanged = true }
        // Others may have mended them just before.
        if !hasChanged { hasChanged = try await self.segments(of: ids) != segments }
        guard attempts >= Self.rewritingAttempts else { continue }
        throw hasChanged ? WarehouseError(.unavailable, "Ever more events can't be read.", cause: error) : error
      }
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

  /// Runs `body` for each segment, also if some of them must wait for the cluster.
  ///
  /// - Parameter rows: A row of each.
  /// - Returns: The first error with code `rowsAway` that `body` has thrown.
  func forEachSegment(
    of rows: [Int64], _ body: (Int64) async throws -> Void
  ) async throws -> WarehouseError? {
    var away: WarehouseError?
    for row in rows {
      try Task.checkCancellation()
      do {
        try await body(row)
      } catch let error as WarehouseError where error.code == .rowsAway {
        away = away ?? error
      }
    }
    return away
  }

  /// Returns true if the segment with a row has rows of an app that meet a condition. Rows that can't be read may be such rows, so
  /// those that the cluster has are read from there before.
  ///
  /// - Parameter readsAll: True to do that with all unreadable rows of the segment, rather than only until one meets the condition.
  func hasRows(
    inSegmentOf id: Int64, app: Int64, readsAll: Bool = false,
    where isMeant: @escaping @Sendable (EventRow, EventScan) -> Bool
  ) async throws -> Bool {
    while true {
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
      if try await mendRows(in: found.segment, .ifAny) { continue }
      // Rows that have moved meanwhile look like damaged ones.
      let segment = try await reader.reading { try StoredSpan.segment(of: id, $0) }
      if segment == found.segment { return found.hasSome }
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
