/// The changes to views and limits that people make in the portal and through the HTTP API.
public protocol CatalogEditor: Sendable {
  /// Creates a view of an app.
  ///
  /// - Throws: ``WarehouseError`` with code `invalid` if a value is invalid, or `unknownApp` if the app doesn't exist.
  func createView(
    app: AppID, name: String, timeZone: String, lateness: View.Lateness, filters: [ViewFilter], settings: ViewSettings
  ) throws -> View
  /// Changes a view: its name immediately, everything else from its next day on.
  ///
  /// - Parameter endsOpenDays: Confirms that days which would have stayed open forever may become final.
  /// - Throws: ``WarehouseError`` with code `invalid` if there is no such view or a value is invalid.
  func changeView(_ id: ViewID, _ change: ViewChange, endsOpenDays: Bool) throws -> View
  /// Changes a view's time zone from now on. Earlier hits keep their days.
  func setZone(of view: ViewID, to timeZone: String) throws -> View
  /// Deletes a view with its shared links, and adds the job of deleting its stored days.
  @discardableResult
  func deleteView(_ view: View) throws -> DataJob
  /// Sets how many new names of each kind an app may introduce per day; `nil` for the default.
  ///
  /// - Throws: ``WarehouseError`` with code `invalid` if the number is out of range.
  func setNewNamesPerDay(of app: AppID, to number: Int?) throws
  /// Sets an app's limits. A running server applies them within a second.
  ///
  /// - Throws: ``WarehouseError`` with code `invalid` if a limit is out of range.
  func setUsageLimits(of app: AppID, to changes: UsageLimitChanges) throws
  /// Sets for how long the rows of an app are kept; `nil` for ever.
  func setKeeping(of app: AppID, to period: KeepingPeriod?) throws
}
