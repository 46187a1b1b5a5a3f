/// Decides which rows make the next unit.
///
/// A unit ends at the end of its segment, or when it is full. Rows at the end of all rows wait for more of them, so that a
/// server with few events doesn't make a thousand tiny parts on the cluster, but not for long.
package struct UnitPlanner: Sendable {
  /// The rows that are stored in one segment, from the first to the last one committed.
  package struct Stretch: Sendable, Hashable {
    package let segment: Int64
    package let ids: ClosedRange<Int64>

    package init(segment: Int64, ids: ClosedRange<Int64>) { (self.segment, self.ids) = (segment, ids) }
  }

  /// The IDs of a unit. Deleted rows leave gaps, so it may have fewer rows.
  package static let unitRows: Int64 = 131_072
  /// The time that rows wait for others.
  package static let patience: Duration = .seconds(60)

  /// The last ID that belongs to a unit.
  package private(set) var last: Int64
  /// The time since which rows have been waiting.
  private var waitingSince: Duration?

  /// - Parameter last: The last ID of the newest unit; 0 if there is none.
  package init(after last: Int64) { self.last = last }

  /// Returns the next unit's rows; `nil` while there are too few.
  ///
  /// - Parameter stretches: All segments with rows after ``last``, in the order of their IDs. Only the last one may grow.
  package mutating func next(_ stretches: [Stretch], now: Duration) -> Stretch? {
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
      guard now - since >= Self.patience else { return nil }
    }
    waitingSince = nil
    last = isFull ? first + Self.unitRows - 1 : stretch.ids.upperBound
    return Stretch(segment: stretch.segment, ids: first...last)
  }
}
