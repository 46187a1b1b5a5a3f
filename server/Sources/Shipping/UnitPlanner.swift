package import Warehouse

/// Decides which rows make the next unit.
///
/// A unit ends at the end of its segment, or when it is full. Rows at the end of all rows wait for more of them, so that a
/// server with few events doesn't make a thousand tiny parts on the cluster, but not for long.
package struct UnitPlanner: Sendable {
  /// The maximum number of IDs in a unit. Deleted rows leave gaps, so it may have fewer rows.
  package static let unitRows: Int64 = 131_072
  /// The time that rows wait for others by default.
  package static let standardPatience: Duration = .seconds(60)

  /// The last ID that belongs to a unit.
  package private(set) var last: Int64
  private let patience: Duration
  /// The time since which rows have been waiting.
  private var waitingSince: Duration?

  /// - Parameter last: The last ID of the newest unit; 0 if there is none.
  package init(after last: Int64, patience: Duration = Self.standardPatience) {
    self.last = last
    self.patience = patience
  }

  /// Returns the next unit's rows; `nil` while there are too few.
  ///
  /// - Parameter stretches: All segments with rows after ``last``, in the order of their IDs. Only the last one may grow.
  package mutating func next(_ stretches: [RowStretch], now: Duration) -> RowStretch? {
    guard let index = stretches.firstIndex(where: { $0.ids.upperBound > last }) else {
      waitingSince = nil
      return nil
    }
    let stretch = stretches[index]
    let first = max(stretch.ids.lowerBound, last + 1)
    let isFull = stretch.ids.upperBound - first >= Self.unitRows - 1
    if !isFull, index == stretches.indices.last {
      let since = waitingSince ?? now
      waitingSince = since
      guard now - since >= patience else { return nil }
    }
    waitingSince = nil
    last = isFull ? first + Self.unitRows - 1 : stretch.ids.upperBound
    return RowStretch(segment: stretch.segment, ids: first...last)
  }

  /// Ends the unit that was returned last earlier, because its rows are large.
  package mutating func end(at id: Int64) { last = min(last, id) }
}
