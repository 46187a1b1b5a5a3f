import ClickHouse
import Warehouse

/// Makes units of the rows at home, one at a time, whichever shard asks.
actor UnitSupply {
  private let source: any RowSource
  private let ledger: ShippingLedger
  private let retired: @Sendable () throws -> [RetiredUnit]
  private let uptime: @Sendable () -> Duration
  private var planner: UnitPlanner
  /// The end of the unit made last, for which the next one waits: the IDs of a unit are known only after it is made.
  private var previous: Task<Void, Never>?

  init(
    _ source: any RowSource, ledger: ShippingLedger, retired: @escaping @Sendable () throws -> [RetiredUnit] = { [] },
    patience: Duration, uptime: @escaping @Sendable () -> Duration
  ) throws {
    self.retired = retired
    self.source = source
    self.ledger = ledger
    self.uptime = uptime
    planner = UnitPlanner(after: try ledger.lastID(), patience: patience)
  }

  /// The last row that belongs to a unit.
  var last: Int64 { planner.last }

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
    var planned = planner
    guard let stretch = planned.next(try await stretches(), now: uptime()) else {
      planner = planned
      return nil
    }
    let rows = try await source.rows(stretch.ids, into: RowColumns()) { $0.add($1) }.hashed
    // Rows that were deleted already are at the end of no unit; those that did not fit begin the next one.
    let end = rows.columns.isFull ? rows.columns.ids.last ?? stretch.ids.upperBound : stretch.ids.upperBound
    let ids = stretch.ids.lowerBound...end
    let unit = try ledger.add(segment: stretch.segment, ids: ids, content: rows.content, shard: shard)
    planned.end(at: end)
    planner = planned
    return (unit, rows)
  }

  /// Returns the rows that have no unit, without those that another ledger has sent and that have left home since.
  private func stretches() async throws -> [RowStretch] {
    let stretches = try await source.stretches(after: planner.last)
    let away = try retired().filter { $0.epoch != ledger.home.epoch }
    guard !away.isEmpty else { return stretches }
    return stretches.filter { stretch in !away.contains { $0.ids.overlaps(stretch.ids) } }
  }

  /// Waits for the unit that is being made.
  func finishPending() async { await previous?.value }

  /// Reads the rows of a unit anew, however large they are by now.
  func rows(_ ids: ClosedRange<Int64>) async throws -> HashedRows {
    try await source.rows(ids, into: RowColumns()) { rows, row in
      _ = rows.add(row)
      return true
    }.hashed
  }
}
