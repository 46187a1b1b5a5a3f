package import TernBase
package import Warehouse

extension ViewTotals {
  package static var fields: [WritableKeyPath<ViewTotals, SaturatingInt64>] {
    [
      \.hits, \.sessions, \.screenViews, \.events, \.exceptions, \.crashes, \.duration, \.transactions, \.revenue,
      \.excessHits,
    ]
  }

  package mutating func add(_ other: ViewTotals) {
    for field in Self.fields { self[keyPath: field] += other[keyPath: field] }
  }
}
