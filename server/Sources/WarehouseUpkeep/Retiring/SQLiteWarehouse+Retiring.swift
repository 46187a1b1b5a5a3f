import RowFiles
import ServerBase
package import Warehouse
import WarehouseSQLite

extension SQLiteWarehouse {
  /// The time for which keys are kept after events of their age are refused.
  package static let keyMargin = Duration.milliseconds(DuplicateIndex.margin)

  /// Returns the segments all of whose rows were received before a time, and that may leave home.
  package func segments(receivedBefore time: Int64) async throws -> [RetirementCandidate] {
    try await counting.flush()
    return try await reader.segments(receivedBefore: time)
  }

  /// Notes where the rows of a segment are, and deletes its file.
  ///
  /// - Parameter units: The units that have all of its rows, as every replica has them at the moment.
  /// - Returns: False if its rows have changed since.
  package func retire(_ segment: RetirementCandidate, _ units: [RetiredUnit]) async throws -> Bool {
    // Otherwise a start would have to fetch them for questions.
    try await reader.secureColumns(of: segment)
    // The writer checks again: rows may have changed since they were compared.
    return try await perform { try $0.retire(segment, units) }
  }

  /// Notes newer copies of units that have left.
  package func renew(_ units: [RetiredUnit]) async throws {
    guard !units.isEmpty else { return }
    try await perform { writer in
      try writer.transact { for unit in units { try RetiredTable.renew(unit, writer.connection) } }
    }
  }
}

extension WarehouseReader {
  /// The number of rows that only the cluster has.
  package func retiredRows() throws -> Int {
    try read { try RetiredTable.rows($0) }
  }

  /// Returns the units that only the cluster has.
  package func retiredUnits() throws -> [RetiredUnit] { try read { try RetiredTable.units($0) } }

  package func segments(receivedBefore time: Int64) async throws -> [RetirementCandidate] {
    try await reading { connection in
      let counted = try CountSchema.countedRow(connection)
      let retired = try RetiredTable.segments(connection)
      let last = try StoredSpan.last(connection)?.segment
      let all = Dictionary(grouping: try StoredSpan.all(connection), by: \.segment)
      var found: [RetirementCandidate] = []
      for (number, spans) in all.sorted(by: { $0.key < $1.key }) {
        guard number != last, !retired.contains(number), let first = spans.first?.ids.lowerBound,
          let end = spans.last?.ids.upperBound, end <= counted, spans.contains(where: { !$0.bytes.isEmpty }),
          // Earlier versions used numbers of segments without rows again.
          spans.reduce(0, { $0 + $1.rows }) == Int(end - first) + 1,
          let received = try Self.latestReceipt(of: spans, before: time, connection)
        else { continue }
        found.append(
          RetirementCandidate(
            number: number, ids: first...end, bytes: spans.reduce(0) { $0 + $1.bytes.count }, received: received))
      }
      return found
    }
  }

  /// Has the columns of a segment's rows on disk.
  fileprivate func secureColumns(of segment: RetirementCandidate) async throws {
    try await reading { [columns, dictionary] connection in
      let spans = try StoredSpan.all(connection).filter { $0.segment == segment.number }
      let apps = spans.reduce(into: Set<Int64>()) { $0.formUnion($1.apps) }
      try columns.secure(segment.ids, of: apps, connection, dictionary: dictionary)
    }
  }

  /// Returns the latest time of receipt; `nil` if there is none, or one that isn't before a time.
  private static func latestReceipt(
    of spans: [StoredSpan], before time: Int64, _ connection: SQLConnection
  ) throws -> Int64? {
    var latest: Int64?
    let scan = EventScan(connection, spans)
    while let row = try scan.next() {
      guard row.received < time else { return nil }
      latest = max(latest ?? row.received, row.received)
    }
    return latest
  }
}

extension Writer {
  func retire(_ segment: RetirementCandidate, _ units: [RetiredUnit]) throws -> Bool {
    let spans = try StoredSpan.all(connection).filter { $0.segment == segment.number }
    guard let first = spans.first, let last = spans.last, spans.allSatisfy(\.isComplete),
      first.ids.lowerBound == segment.ids.lowerBound, last.ids.upperBound == segment.ids.upperBound,
      spans.reduce(0, { $0 + $1.rows }) == segment.ids.count, Self.cover(segment.ids, units),
      try !RetiredTable.segments(connection).contains(segment.number)
    else { return false }
    // Otherwise a start would have to fetch the rows that it reads hits from.
    try finishHits()
    try transact {
      for unit in units {
        try RetiredTable.insert(unit, segment: segment.number, received: segment.received, connection)
      }
    }
    try rows.deleteRetired()
    return true
  }

  /// True if units have all rows of a range and no others.
  static func cover(_ ids: ClosedRange<Int64>, _ units: [RetiredUnit]) -> Bool {
    var next = ids.lowerBound
    for unit in units.sorted(by: { $0.ids.lowerBound < $1.ids.lowerBound }) {
      guard unit.ids.lowerBound == next else { return false }
      next = unit.ids.upperBound + 1
    }
    return next == ids.upperBound + 1
  }
}
