import Threads
package import Warehouse

/// An error that knows which error of the warehouse it is.
package protocol WarehouseErrorConvertible: Error {
  var warehouseError: WarehouseError { get }
}

extension WarehouseError {
  /// Converts any underlying error to an error of the warehouse.
  package static func from(_ error: any Error) -> WarehouseError {
    switch error {
    case let error as WarehouseError: error
    case let error as any WarehouseErrorConvertible: error.warehouseError
    case is ThreadPoolRefusal: closed
    default: WarehouseError(.unavailable, "The warehouse can't be used.", cause: error)
    }
  }

  package static var closed: WarehouseError { WarehouseError(.unavailable, "The warehouse is closed.") }
}
