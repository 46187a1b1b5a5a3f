/// The views, limits, segments, dashboards, notes and error states that people see and change in the portal and through
/// the HTTP API. Every change is recorded in the audit log.
package protocol CatalogEditor: CatalogStore {
  /// Makes changes in one transaction: all of them or none. Nothing else changes the catalog until it ends.
  ///
  /// - Parameter body: Reads and changes through this catalog, on the calling thread.
  func atomically<Value>(_ body: () throws -> Value) throws -> Value

  // MARK: Apps, views and limits

  /// Changes an app in one transaction.
  ///
  /// - Returns: The app, and the job that counts its days in the time zone of the change; `nil` if there is nothing to
  ///   count.
  /// - Throws: ``WarehouseError`` with code `invalid` if a value is invalid or already used by another app, or if the days
  ///   are still being counted again in another time zone.
  @discardableResult
  func changeApp(_ id: AppID, _ change: AppChange) throws -> (app: App, recount: DataJob?)

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
  /// Sets an app's limits. A running server applies them within a second.
  ///
  /// - Throws: ``WarehouseError`` with code `invalid` if a limit is out of range.
  func setUsageLimits(of app: AppID, to changes: UsageLimitChanges) throws
  /// Returns the state of an app's latest change of time zone; `nil` if all days are counted in its time zone.
  func zoneChange(of app: AppID) throws -> ZoneChange?

  /// Returns the figures of a view's days that were imported from another service, ordered by day and metric.
  func importedFigures(view: ViewID, days: ClosedRange<Day>) throws -> [ImportedFigure]

  // MARK: Custom dimensions and metrics

  /// Defines a custom dimension or metric of an app, or changes its definition; what is `nil` keeps its value.
  ///
  /// - Throws: ``WarehouseError`` with code `invalid` if a value is invalid.
  @discardableResult
  func define(
    app: AppID, kind: CustomDefinition.Kind, index: Int, name: String?, type: CustomDefinition.MetricType?,
    scope: CustomDefinition.Scope?, isActive: Bool?
  ) throws -> CustomDefinition

  // MARK: Saved segments

  // Filters are stored as they are: their form is checked by the module that decodes questions.

  /// Returns an app's segments by name.
  func segments(app: AppID) throws -> [SavedSegment]
  /// Saves a segment.
  ///
  /// - Throws: ``WarehouseError`` with code `invalid` if the name is invalid or taken, or the app has too many segments.
  func createSegment(app: AppID, name: String, filters: String) throws -> SavedSegment
  /// Changes a segment; returns `nil` if the app has none with this number.
  ///
  /// - Throws: ``WarehouseError`` with code `invalid` if the name is invalid or taken.
  func changeSegment(_ id: Int64, app: AppID, name: String, filters: String) throws -> SavedSegment?
  /// Removes a segment. Returns false if the app has none with this number.
  func removeSegment(_ id: Int64, app: AppID) throws -> Bool

  // MARK: Dashboards

  // Questions are stored as they are: their form is checked by the module that shows them.

  /// Returns an app's dashboards, oldest first.
  func dashboards(app: AppID) throws -> [Dashboard]
  /// Creates a dashboard.
  ///
  /// - Throws: ``WarehouseError`` with code `invalid` if a name is invalid or taken, or there are too many cards.
  func createDashboard(app: AppID, name: String, cards: [DashboardCard]) throws -> Dashboard
  /// Changes a dashboard in one transaction; returns `nil` if the app has none with this number.
  ///
  /// - Throws: ``WarehouseError`` with code `invalid` if a name is invalid or taken, or there are too many cards.
  func changeDashboard(_ id: Int64, app: AppID, _ change: (inout Dashboard) throws -> Void) throws -> Dashboard?
  /// Removes a dashboard. Returns false if the app has none with this number.
  func removeDashboard(_ id: Int64, app: AppID) throws -> Bool

  /// Returns the conversions that a team has chosen for the page of an app's releases; empty if there are none.
  func releaseConversions(app: AppID) throws -> [String]
  /// Sets the conversions.
  ///
  /// - Throws: ``WarehouseError`` with code `invalid` if they are too many or too long.
  func setReleaseConversions(app: AppID, to conversions: [String]) throws

  // MARK: Notes about days

  /// Returns an app's annotations, ordered by day, then number.
  func annotations(app: AppID) throws -> [Annotation]
  /// Creates an annotation.
  ///
  /// - Throws: ``WarehouseError`` with code `invalid` if the text is invalid, or the app has too many annotations.
  func createAnnotation(app: AppID, day: Day, text: String) throws -> Annotation
  /// Removes an annotation. Returns false if the app has none with this number.
  func removeAnnotation(_ id: Int64, app: AppID) throws -> Bool

  // MARK: The status of errors

  /// Returns the states of an app's error groups, by their numbers.
  func errorStates(app: AppID) throws -> [Int64: ErrorState]
  /// Gives groups a state that another one has, with its time and originator: they were one group.
  func copyErrorState(_ state: ErrorState, to groups: [Int64], app: AppID) throws
  /// Returns the decisions of people about an app's groups of errors.
  func errorDecisions(app: AppID) throws -> ErrorDecisions
  /// Sets the rules by which frames don't count.
  ///
  /// - Throws: ``WarehouseError`` with code `invalid` if one can't be used.
  func setErrorRules(_ rules: ErrorRules, app: AppID) throws
  /// Makes a group part of another one.
  ///
  /// - Throws: ``WarehouseError`` with code `invalid` if too many are merged.
  func mergeErrors(_ merge: ErrorDecisions.Merge, app: AppID) throws
  /// Undoes the merges of a group into others. Returns false if the group wasn't merged.
  func separateErrors(_ group: Int64, app: AppID) throws -> Bool
  /// Takes the errors with one signature out of their group.
  ///
  /// - Throws: ``WarehouseError`` with code `invalid` if too many are taken out.
  func splitErrors(_ signature: Int64, app: AppID) throws
  /// Puts errors back that were taken out. Returns false if they weren't.
  func rejoinErrors(_ signature: Int64, app: AppID) throws -> Bool
  /// Sets the state of an error group, with the current time and originator.
  ///
  /// - Throws: ``WarehouseError`` with code `invalid` if the note or the version is too long.
  func setErrorState(
    app: AppID, group: Int64, status: ErrorStatus, note: String, version: String
  ) throws -> ErrorState
}
