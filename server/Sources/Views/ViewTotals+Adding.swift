package import Warehouse

extension ViewTotals {
  package static var fields: [WritableKeyPath<ViewTotals, Int64>] {
    [
      \.hits, \.sessions, \.screenViews, \.events, \.exceptions, \.crashes, \.duration, \.transactions, \.revenue,
      \.excessHits,
    ]
  }

  package mutating func add(_ other: ViewTotals) {
    for field in Self.fields { self[keyPath: field] = self[keyPath: field].addingSaturated(other[keyPath: field]) }
  }
}

extension Int64 {
  /// The sum, or the end of the range when it lies beyond.
  package func addingSaturated(_ other: Int64) -> Int64 {
    let (sum, isOver) = addingReportingOverflow(other)
    return isOver ? (other < 0 ? .min : .max) : sum
  }
}
