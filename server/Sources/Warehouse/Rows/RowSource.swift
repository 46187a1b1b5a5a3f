/// Consecutive rows that are stored together.
///
/// Rows are only added after the last stretch. Deleting or changing rows rewrites their stretch with another segment, so
/// rows are unchanged as long as their segment is.
package struct RowStretch: Sendable, Hashable {
  package let segment: Int64
  package let ids: ClosedRange<Int64>

  package init(segment: Int64, ids: ClosedRange<Int64>) { (self.segment, self.ids) = (segment, ids) }
}

/// The rows of all apps, for a copy elsewhere.
package protocol RowSource: Sendable {
  /// Returns the stretches with rows after an ID, in the order of their IDs. Deleted rows leave gaps within them, so some of
  /// their IDs may have no row.
  func stretches(after id: Int64) async throws -> [RowStretch]

  /// Combines the rows of a range of IDs, in order.
  ///
  /// - Parameter add: Receives one row after the other; after it has returned false, it gets no more.
  /// - Throws: ``UnreadableRows`` at the first rows that can't be read.
  func rows<Result: Sendable>(
    _ ids: ClosedRange<Int64>, into initial: Result,
    _ add: @escaping @Sendable (inout Result, StoredRow) throws -> Bool
  ) async throws -> Result
}

/// Rows at home that can't be read. They are unknown, neither gone nor changed, so a copy of them must stay as it is.
package struct UnreadableRows: Error, Hashable, CustomStringConvertible {
  package let ids: ClosedRange<Int64>

  package init(_ ids: ClosedRange<Int64>) { self.ids = ids }

  package var description: String { "Events \(ids.lowerBound) to \(ids.upperBound) can't be read at home." }
}
