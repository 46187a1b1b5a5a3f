import TernBase
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
