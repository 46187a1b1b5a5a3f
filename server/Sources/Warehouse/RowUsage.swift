/// The rows of an app, counted for the report about the disk usage.
public struct RowUsage: Sendable, Hashable {
  /// The number of all rows.
  public var rows = 0
  /// The number of rows before each of the requested times.
  public var rowsBefore: [Int] = []
  /// The time of the earliest row, in milliseconds since 1970; `nil` without rows.
  public var earliest: Int64?
  /// The bytes of the rows' columns, from which the app's share of the space is estimated.
  public var columnBytes = 0

  /// Creates the usage of an app without rows.
  public init() {}
}

/// A store that counts rows by time.
public protocol RowUsageSource: Sendable {
  /// Counts the rows of an app: all of them, and those before each of some times, in milliseconds since 1970.
  ///
  /// - Throws: ``WarehouseError``.
  func rowUsage(of app: AppID, before times: [Int64]) async throws -> RowUsage
}
