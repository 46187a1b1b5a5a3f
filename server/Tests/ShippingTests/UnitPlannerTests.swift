import Testing
import Warehouse

@testable import Shipping

@Suite struct UnitPlannerTests {
  private typealias Stretch = RowStretch
  private static let full = UnitPlanner.unitRows

  /// A planner, and the units that it has made.
  private struct Plan {
    var planner = UnitPlanner()
    var units: [ClosedRange<Int64>]

    init(after last: Int64 = 0) { units = last > 0 ? [1...last] : [] }

    mutating func next(_ stretches: [RowStretch], now: Duration) -> RowStretch? {
      let gaps = UnitPlanner.gaps(in: stretches, between: units)
      guard let unit = planner.next(gaps, last: stretches.last?.ids.upperBound ?? 0, now: now) else { return nil }
      units = (units + [unit.ids]).sorted { $0.lowerBound < $1.lowerBound }
      return unit
    }
  }

  @Test func `rows without a unit are found between units and segments`() {
    let rows = [Stretch(segment: 1, ids: 1...10), Stretch(segment: 4, ids: 11...20), Stretch(segment: 3, ids: 25...30)]
    func gaps(_ units: [ClosedRange<Int64>]) -> [ClosedRange<Int64>] {
      UnitPlanner.gaps(in: rows, between: units).map(\.ids)
    }
    #expect(gaps([]) == [1...10, 11...20, 25...30])
    #expect(gaps([1...10, 11...20, 25...30]) == [])
    #expect(gaps([1...10, 25...27]) == [11...20, 28...30])
    #expect(gaps([3...4, 6...6, 20...20]) == [1...2, 5...5, 7...10, 11...19, 25...30])
    #expect(gaps([8...13, 19...26]) == [1...7, 14...18, 27...30], "units from before rows were written anew")
    #expect(gaps([1...30]) == [] && gaps([21...24]) == [1...10, 11...20, 25...30])
    #expect(UnitPlanner.gaps(in: rows, between: [15...17], after: 14).map(\.ids) == [18...20, 25...30])
    #expect(UnitPlanner.gaps(in: rows, between: [9...11]).map(\.segment) == [1, 4, 3])
  }

  @Test func `full units are made at once, and the rest waits for a minute`() {
    var planner = Plan(after: 0)
    let rows = [Stretch(segment: 1, ids: 1...(2 * Self.full + 5))]
    #expect(planner.next(rows, now: .zero) == Stretch(segment: 1, ids: 1...Self.full))
    #expect(planner.next(rows, now: .zero) == Stretch(segment: 1, ids: Self.full + 1...2 * Self.full))
    #expect(planner.next(rows, now: .zero) == nil && planner.next(rows, now: .seconds(59)) == nil)
    let more = [Stretch(segment: 1, ids: 1...(2 * Self.full + 9))]
    #expect(planner.next(more, now: .seconds(60)) == Stretch(segment: 1, ids: 2 * Self.full + 1...2 * Self.full + 9))
    #expect(planner.next(more, now: .seconds(500)) == nil)
    let last = [Stretch(segment: 1, ids: 1...(2 * Self.full + 10))]
    #expect(planner.next(last, now: .seconds(500)) == nil, "the wait begins anew")
    #expect(planner.next(last, now: .seconds(560))?.ids == 2 * Self.full + 10...2 * Self.full + 10)
  }

  @Test func `a segment that no longer grows needs no wait`() {
    var planner = Plan(after: 4)
    let rows = [Stretch(segment: 1, ids: 1...10), Stretch(segment: 3, ids: 11...20)]
    #expect(planner.next(rows, now: .zero) == Stretch(segment: 1, ids: 5...10))
    #expect(planner.next(rows, now: .zero) == nil)
    #expect(planner.next(rows, now: .seconds(60)) == Stretch(segment: 3, ids: 11...20))
  }

  @Test func `units have all rows once, in order, and none of two segments`() {
    let rows = [
      Stretch(segment: 1, ids: 1...300_000), Stretch(segment: 2, ids: 300_001...300_002),
      Stretch(segment: 5, ids: 300_010...900_000),
    ]
    for start in [Int64(0), 1, 131_072, 299_999, 300_000, 300_005, 899_999, 900_000, 1_000_000] {
      var planner = Plan(after: start)
      var last = start
      var now = Duration.zero
      for _ in 0..<40 {
        guard let unit = planner.next(rows, now: now) else {
          now += UnitPlanner.standardPatience
          continue
        }
        let stretch = rows.first { $0.segment == unit.segment }
        #expect(stretch?.ids.lowerBound ?? .max <= unit.ids.lowerBound)
        #expect(stretch?.ids.upperBound ?? 0 >= unit.ids.upperBound)
        #expect(unit.ids.count <= Int(Self.full))
        let gap = (last + 1)..<max(last + 1, unit.ids.lowerBound)
        #expect(!rows.contains { stretch in gap.contains { stretch.ids.contains($0) } })
        last = unit.ids.upperBound
      }
      #expect(last == max(start, 900_000))
    }
  }
}
