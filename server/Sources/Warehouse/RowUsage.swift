/// The rows of an app, counted for the report about the disk usage.
package struct RowUsage: Sendable, Hashable {
  /// The number of all rows.
  package var rows = 0
  /// The number of rows before each of the requested times.
  package var rowsBefore: [Int] = []
  /// The time of the earliest row, in milliseconds since 1970; `nil` without rows.
  package var earliest: Int64?
  /// The bytes of the rows' columns, from which the app's share of the space is estimated.
  package var columnBytes = 0

  /// Creates the usage of an app without rows.
  package init() {}
}

/// A store that counts rows by time.
package protocol RowUsageSource: Sendable {
  /// Counts the rows of an app: all of them, and those before each of some times, in milliseconds since 1970.
  ///
  /// - Throws: ``WarehouseError``.
  func rowUsage(of app: AppID, before times: [Int64]) async throws -> RowUsage
}
