package import Warehouse

/// Decides which rows make the next unit: the first ones that have none, wherever they are.
///
/// A unit ends at the end of its segment, or when it is full. Rows at the end of all rows wait for more of them, so that a
/// server with few events doesn't make a thousand tiny parts on the cluster, but not for long.
package struct UnitPlanner: Sendable {
  /// The maximum number of IDs in a unit. Deleted rows leave gaps, so it may have fewer rows.
  package static let unitRows: Int64 = 131_072
  /// The time that rows wait for others by default.
  package static let standardPatience: Duration = .seconds(60)

  private let patience: Duration
  /// The time since which rows have been waiting.
  private var waitingSince: Duration?

  package init(patience: Duration = Self.standardPatience) { self.patience = patience }

  /// Returns the next unit's rows; `nil` while there are too few.
  ///
  /// - Parameters:
  ///   - gaps: The rows that have no unit, in the order of their IDs, each gap of one segment.
  ///   - last: The last of all rows. More rows may follow it.
  package mutating func next(_ gaps: [RowStretch], last: Int64, now: Duration) -> RowStretch? {
    guard let gap = gaps.first else {
      waitingSince = nil
      return nil
    }
    let isFull = gap.ids.count >= Self.unitRows
    if !isFull, gap.ids.upperBound >= last {
      let since = waitingSince ?? now
      waitingSince = since
      guard now - since >= patience else { return nil }
    }
    waitingSince = nil
    let end = isFull ? gap.ids.lowerBound + Self.unitRows - 1 : gap.ids.upperBound
    return RowStretch(segment: gap.segment, ids: gap.ids.lowerBound...end)
  }

  /// Returns gaps without some rows of their segments.
  static func gaps(_ gaps: [RowStretch], without rows: [RowStretch]) -> [RowStretch] {
    rows.reduce(gaps) { gaps, rows in
      gaps.flatMap { gap -> [RowStretch] in
        guard gap.segment == rows.segment, gap.ids.overlaps(rows.ids) else { return [gap] }
        let parts = [
          gap.ids.lowerBound..<max(gap.ids.lowerBound, rows.ids.lowerBound),
          min(gap.ids.upperBound, rows.ids.upperBound) + 1..<gap.ids.upperBound + 1,
        ]
        return parts.filter { !$0.isEmpty }.map { RowStretch(segment: gap.segment, ids: ClosedRange($0)) }
      }
    }
  }

  /// Returns the rows of segments that have no unit.
  ///
  /// - Parameters:
  ///   - stretches: The segments, in the order of their rows.
  ///   - units: The IDs of units, in order.
  ///   - last: A row up to which all have units.
  package static func gaps(
    in stretches: [RowStretch], between units: [ClosedRange<Int64>], after last: Int64 = 0
  ) -> [RowStretch] {
    var (gaps, units): ([RowStretch], ArraySlice<ClosedRange<Int64>>) = ([], units[...])
    for stretch in stretches {
      var next = max(stretch.ids.lowerBound, last + 1)
      while let unit = units.first, unit.lowerBound <= stretch.ids.upperBound {
        if unit.lowerBound > next { gaps.append(RowStretch(segment: stretch.segment, ids: next...unit.lowerBound - 1)) }
        next = max(next, unit.upperBound + 1)
        // A unit may end in the next segment, if rows were rewritten.
        guard unit.upperBound <= stretch.ids.upperBound else { break }
        units.removeFirst()
      }
      if next <= stretch.ids.upperBound {
        gaps.append(RowStretch(segment: stretch.segment, ids: next...stretch.ids.upperBound))
      }
    }
    return gaps
  }
}
