/// Consecutive rows that have left home: where they are on the cluster, and what they must be.
package struct RetiredUnit: Sendable, Hashable {
  /// The number of the home, the epoch in which it sent the rows, and the shard that has them.
  package var home: UInt64
  package var epoch: UInt64
  package var shard: String
  /// The number of the unit and of its copy.
  package var number: Int64
  package var generation: Int
  package var ids: ClosedRange<Int64>
  package var rows: Int
  package var checksum: UInt64

  package init(
    home: UInt64, epoch: UInt64, shard: String, number: Int64, generation: Int, ids: ClosedRange<Int64>, rows: Int,
    checksum: UInt64
  ) {
    (self.home, self.epoch, self.shard, self.number, self.generation) = (home, epoch, shard, number, generation)
    (self.ids, self.rows, self.checksum) = (ids, rows, checksum)
  }
}

/// Fetches rows from the cluster.
package protocol RetiredRowSource: Sendable {
  /// Returns what the cluster may have of rows that are at home.
  ///
  /// - Parameter segment: The segment that has the rows now.
  /// - Throws: A `WarehouseError` with code `rowsAway` if that can't be known.
  func copies(of ids: ClosedRange<Int64>, segment: Int64) throws -> RowCopies

  /// Calls `add` with each row of a unit, in the order of their IDs, on the calling thread.
  ///
  /// It has a deadline of its own, and must not call `add` before it is certain that all rows are what they must be.
  ///
  /// - Returns: The unit as it is now. It has fewer rows if some were deleted after a backup was made that names it.
  /// - Throws: A `WarehouseError` with code `rowsAway` if the rows can't be fetched, and the errors of `add`.
  func forEachRow(of unit: RetiredUnit, _ add: (StoredRow) throws -> Void) throws -> RetiredUnit
}

/// Copies on the cluster of rows that are at home.
package struct RowCopies: Sendable {
  package static let none = RowCopies()

  /// The confirmed units with rows as they are at home.
  package var units: [RetiredUnit] = []
  /// True if there may be others: older ones, or some that the cluster hasn't confirmed.
  package var hasOthers = false

  package init(units: [RetiredUnit] = [], hasOthers: Bool = false) {
    (self.units, self.hasOthers) = (units, hasOthers)
  }
}

/// A segment all of whose rows may leave home as far as their age is concerned.
package struct RetirementCandidate: Sendable, Hashable {
  package let number: Int64
  package let ids: ClosedRange<Int64>
  /// The size of its file, in bytes.
  package let bytes: Int
  /// The time at which the last of its rows was received, in milliseconds since 1970.
  package let received: Int64

  package init(number: Int64, ids: ClosedRange<Int64>, bytes: Int, received: Int64) {
    (self.number, self.ids, self.bytes, self.received) = (number, ids, bytes, received)
  }
}
