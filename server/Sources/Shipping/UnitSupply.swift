import ClickHouse
import Warehouse

/// Makes units of the rows at home, one at a time, whichever shard asks.
actor UnitSupply {
  private let source: any RowSource
  private let manifest: ShippingManifest
  private let retired: @Sendable () throws -> [RetiredUnit]
  private let uptime: @Sendable () -> Duration
  /// The size at which a unit that is read again takes no more attachments.
  private let maximumBytes: Int
  private var planner: UnitPlanner
  /// A row up to which all have units: the next search for rows without one begins after it.
  private var known: Int64 = 0
  /// The last row up to which all have units, except those that only the cluster has, or that can't be read.
  private(set) var last: Int64 = 0
  /// Rows that have no unit and can't be read, with the time of the last attempt. Others are sent without them.
  private var unreadable: [(rows: RowStretch, tried: Duration)] = []
  /// The end of the unit made last, for which the next one waits: the IDs of a unit are known only after it is made.
  private var previous: Task<Void, Never>?

  init(
    _ source: any RowSource, manifest: ShippingManifest,
    retired: @escaping @Sendable () throws -> [RetiredUnit] = { [] },
    patience: Duration, maximumBytes: Int = 2 * RowColumns.maximumBytes, uptime: @escaping @Sendable () -> Duration
  ) {
    self.retired = retired
    self.maximumBytes = maximumBytes
    self.source = source
    self.manifest = manifest
    self.uptime = uptime
    planner = UnitPlanner(patience: patience)
  }

  /// The time until the next attempt to read rows that could not be read: the disk may have failed once, or they were mended.
  static let unreadableRetryTime: Duration = .seconds(60)

  /// The IDs of rows that have no unit because they can't be read, ascending.
  var unreadableRows: [ClosedRange<Int64>] {
    unreadable.map { $0.rows.ids }.sorted { $0.lowerBound < $1.lowerBound }
  }

  /// Makes the next unit for a shard; `nil` while there are too few rows.
  func next(for shard: String) async throws -> (unit: ShippingUnit, rows: HashedRows)? {
    let before = previous
    let making = Task {
      await before?.value
      return try await make(for: shard)
    }
    previous = Task { _ = await making.result }
    return try await making.value
  }

  private func make(for shard: String) async throws -> (unit: ShippingUnit, rows: HashedRows)? {
    while true {
      let (gaps, end) = try await gaps()
      var planned = planner
      guard let stretch = planned.next(gaps, last: end, now: uptime()) else {
        planner = planned
        return nil
      }
      do {
        return try await make(stretch, planned, for: shard)
      } catch let error as UnreadableRows {
        unreadable.removeAll { $0.rows.segment == stretch.segment && $0.rows.ids.overlaps(error.ids) }
        unreadable.append((RowStretch(segment: stretch.segment, ids: error.ids), uptime()))
      }
    }
  }

  private func make(
    _ stretch: RowStretch, _ planned: UnitPlanner, for shard: String
  ) async throws -> (unit: ShippingUnit, rows: HashedRows) {
    let rows = try await source.rows(stretch.ids, into: RowColumns()) { $0.add($1) }.hashed
    // A full unit ends with its last row; rows that did not fit begin the next one.
    let unitEnd = rows.columns.isFull ? rows.columns.ids.last ?? stretch.ids.upperBound : stretch.ids.upperBound
    let ids = stretch.ids.lowerBound...unitEnd
    let unit = try manifest.add(segment: stretch.segment, ids: ids, content: rows.content, shard: shard)
    planner = planned
    return (unit, rows)
  }

  /// Returns the rows that have no unit, and the last of all rows.
  private func gaps() async throws -> (gaps: [RowStretch], end: Int64) {
    let stretches = try await source.stretches(after: known)
    let all = UnitPlanner.gaps(in: stretches, between: try manifest.ranges(after: known), after: known)
    let end = stretches.last?.ids.upperBound ?? known
    known = all.first.map { $0.ids.lowerBound - 1 } ?? end
    // The others have a unit by now, or were rewritten.
    unreadable.removeAll { unread in
      !all.contains { $0.segment == unread.rows.segment && $0.ids.overlaps(unread.rows.ids) }
    }
    let now = uptime()
    let skipped = unreadable.filter { now - $0.tried < Self.unreadableRetryTime }.map { $0.rows }
    var gaps = UnitPlanner.gaps(all, without: skipped)
    // The segment with the newest rows never leaves.
    if gaps.contains(where: { $0.segment != stretches.last?.segment }) {
      // The cluster has these in another form, or they would have been taken over.
      let away = try retired().map(\.ids)
      gaps = gaps.filter { gap in !away.contains { $0.overlaps(gap.ids) } }
    }
    last = gaps.first.map { $0.ids.lowerBound - 1 } ?? end
    return (gaps, end)
  }

  /// Waits for the unit that is being made.
  func finishPending() async { await previous?.value }

  /// Reads the rows of a unit again. Attachments that weren't copied when it was made can make it larger. They are left out
  /// before it is too large to be read.
  func rows(_ ids: ClosedRange<Int64>) async throws -> HashedRows {
    try await source.rows(ids, into: RowColumns()) { [maximumBytes] rows, row in
      _ = rows.add(row, takesAttachment: rows.byteCount < maximumBytes)
      return true
    }.hashed
  }
}
