package import HTTP
import Hummingbird
import Reports
package import Warehouse

extension CatalogStore {
  /// The view that a request's address names; throws ``ReportError`` if the app has no such view.
  package func view(_ context: CollectorContext) throws -> View {
    let app = try context.app
    guard let view = try subject(view: context.parameters.get("view") ?? "0", of: app).view else {
      throw APIError.notFound
    }
    return view
  }
}

extension ReportSubject {
  fileprivate var view: View? { if case .view(let view) = self { view } else { nil } }
}

extension View {
  /// Throws if a change would make days final that would otherwise stay open forever, unless that is confirmed.
  ///
  /// - Parameter how: The way to confirm it, in the words of the client.
  package func requireConfirmation(of change: ViewChange, isConfirmed: Bool, how: String) throws {
    guard latest.lateness == .none, let lateness = change.lateness, lateness != .none, !isConfirmed else { return }
    throw WarehouseError(
      .invalid,
      "All days of this view are open. If days close from now on, earlier days become final too, and can’t be "
        + "reopened. To confirm, \(how).")
  }
}
