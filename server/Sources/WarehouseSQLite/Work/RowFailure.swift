import RowFiles
package import Warehouse

/// The failure of some work at a row that can't be used.
package struct RowFailure: WarehouseErrorConvertible, CustomStringConvertible {
  /// The ID of the row.
  package var row: Int64
  /// The work in progress, as in "while …".
  package var work: String
  /// The reason.
  var cause: WarehouseError

  package var warehouseError: WarehouseError { cause }
  package var description: String { "Event \(row): \(cause)" }
}
