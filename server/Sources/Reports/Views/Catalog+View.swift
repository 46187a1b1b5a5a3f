public import Warehouse

extension Catalog {
  /// The view that a parameter names; `nil` when it is absent or empty.
  ///
  /// Throws ``ReportError`` when the app has no such view, which says how to find those that it has.
  public func view(named text: String?, of app: AppID) throws -> View? {
    guard let text, !text.isEmpty else { return nil }
    guard let number = Int64(text), let view = try view(ViewID(number)), view.app == app else {
      throw ReportError(
        code: .unknownView,
        message: "App \(app) has no view \"\(visible(text))\". `tern views list --app \(app)` shows all.")
    }
    return view
  }
}
