import Warehouse

/// The failure of some work at a row that can't be used.
struct RowFailure: Error, CustomStringConvertible {
  /// The ID of the row.
  var row: Int64
  /// The work in progress, as in "while …".
  var work: String
  /// The reason.
  var cause: WarehouseError

  var description: String { "Event \(row): \(cause)" }
}
