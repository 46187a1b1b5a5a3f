import Warehouse
package import WarehouseSQLite

/// Tries work on stored rows where a trap does no harm: in another process.
package protocol WorkTrials: Sendable {
  /// Returns true if the work ended the process that tried it.
  ///
  /// - Parameters:
  ///   - rows: The rows that exist for this trial; `nil` for none.
  /// - Throws: An error if it could not be tried.
  func endsProcess(_ work: DerivedWork, rows: ClosedRange<Int64>?) async throws -> Bool
}
