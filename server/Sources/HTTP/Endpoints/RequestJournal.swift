package import Warehouse

/// The requests that are being answered, kept where a crash leaves them.
package protocol RequestJournal: Sendable {
  /// Begins a request, given by its method and address. The caller calls the result when it is answered.
  ///
  /// Throws ``Warehouse/WarehouseError`` with code `held` if the server ended before while answering it.
  func begin(request: String) throws(WarehouseError) -> @Sendable () -> Void
}
