import TernEvents
package import Warehouse

extension SQLiteWarehouse {
  /// Replaces a damaged segment by the rows of it that a cluster has.
  ///
  /// The rows leave home, as old ones do, but the damaged file goes only when they have been fetched. Then they are written to a new
  /// segment. Whatever interrupts this leaves them at home or on the cluster.
  ///
  /// - Parameter units: Returns the units that the cluster has confirmed of some rows in a segment.
  /// - Returns: False if the cluster doesn't have all of them, or they are in the segment to which rows are appended.
  package func restoreRows(
    of file: ScrubbedFile, units: (_ ids: ClosedRange<Int64>, _ segment: Int64) throws -> [RetiredUnit]
  ) async throws -> Bool {
    guard let number = file.segment else { return false }
    let now = now().millisecondsSince1970
    let found = try await reader.reading { try Self.candidate(number, now: now, $0) }
    guard let (segment, apps) = found else { return false }
    let units = try units(segment.ids, number)
    guard Writer.cover(segment.ids, units) else { return false }
    let rows = RetiredRowCache.of(files.rowsPath)
    try await reader.onFetchingThread { for unit in units { _ = try rows.fetched(unit) } }
    guard try await perform({ try $0.retire(segment, units) }) else { return false }
    damage.forget(file.path)
    try await rewriting(number) { try $0.bringHome(number) }
    // They lack what could not be read.
    for app in apps { reader.viewDays.forget(app: AppID(app)) }
    try await forgetLostRows()
    reader.updateColumns()
    return true
  }

  /// Returns the rows of a segment that is at home and gets no more, and their apps.
  private static func candidate(
    _ number: Int64, now: Int64, _ connection: SQLConnection
  ) throws -> (RetirementCandidate, Set<Int64>)? {
    let all = try StoredSpan.all(connection)
    let spans = all.filter { $0.segment == number }
    guard number != all.last?.segment, let first = spans.first?.ids.lowerBound, let last = spans.last?.ids.upperBound,
      spans.reduce(0, { $0 + $1.rows }) == Int(last - first) + 1,
      try !RetiredTable.segments(connection).contains(number)
    else { return nil }
    var received: Int64?
    let scan = EventScan(connection, spans, damage: DamagedRows())
    while let row = try scan.next() { received = max(received ?? row.received, row.received) }
    let bytes = spans.reduce(0) { $0 + $1.bytes.count }
    let segment = RetirementCandidate(number: number, ids: first...last, bytes: bytes, received: received ?? now)
    return (segment, spans.reduce(into: []) { $0.formUnion($1.apps) })
  }
}

extension Writer {
  /// Writes rows that have left home to a new segment.
  fileprivate func bringHome(_ segment: Int64) throws {
    let spans = try StoredSpan.all(connection).filter { $0.segment == segment }
    guard !spans.isEmpty else { return }
    try transact {
      try rows.rewrite(spans) { _, _ in .keep }
      // What was made while some could not be read lacks them.
      try RewritingTable.note(staleColumnsOf: spans.reduce(into: []) { $0.formUnion($1.apps) }, connection)
      try connection.execute("DELETE FROM view_open_day")
      try renewSessions(of: spans)
    }
    try rows.deleteLeftovers()
  }
}
