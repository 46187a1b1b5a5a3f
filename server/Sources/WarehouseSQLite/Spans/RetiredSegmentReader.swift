import RowFiles
package import Warehouse

/// Reads rows of units that were fetched, as parts of a segment.
package final class RetiredSegmentReader {
  private let rows: RetiredRowCache
  private let units: [RetiredUnit]
  private var last: (unit: RetiredUnit, fetched: FetchedUnit)?

  /// Reads copies of rows that are at home.
  package init(_ units: [RetiredUnit], in directory: String) {
    (rows, self.units) = (RetiredRowCache.of(directory), units)
  }

  /// `nil` if the segment hasn't left.
  package init?(_ segment: Int64, in directory: String) throws {
    rows = RetiredRowCache.of(directory)
    units = try rows.units(of: segment)
    if units.isEmpty { return nil }
  }

  /// Reads the blocks with rows in a range.
  func read(_ ids: ClosedRange<Int64>, into bytes: RowBytes) throws {
    bytes.removeAll()
    for unit in units where unit.ids.overlaps(ids) {
      let fetched = if let last, last.unit == unit { last.fetched } else { try rows.fetched(unit) }
      last = (unit, fetched)
      try fetched.read(ids, into: bytes)
    }
  }
}
