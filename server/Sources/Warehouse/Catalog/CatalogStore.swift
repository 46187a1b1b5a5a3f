/// The store of apps, views and definitions that ingestion, reports and warehouses read.
package protocol CatalogStore: Sendable {
  /// Returns all apps, oldest first.
  func apps() throws -> [App]
  /// Returns the app with an ID.
  func app(_ id: AppID) throws -> App?
  /// Returns the app with a key.
  func app(key: String) throws -> App?
  /// Returns the app with an App Center secret, in either case.
  func app(appSecret: String) throws -> App?
  /// Returns the app with a key or an App Center secret.
  func app(keyOrAppSecret text: String) throws -> App?
  /// Returns the app with a key of another system, or with its own.
  func app(writeKey: String) throws -> App?
  /// Returns the app with a Google Analytics tracking ID.
  func app(trackingID: String) throws -> App?
  /// Creates an app. An app secret or tracking ID that is `nil` is generated.
  ///
  /// - Throws: ``WarehouseError`` with code `invalid` if a value is invalid.
  func createApp(
    name: String, timeZone: String, appSecret: String?, trackingID: String?, writeKeys: [String]
  ) throws -> App

  /// Returns the views of an app, or of all apps.
  func views(app: AppID?) throws -> [View]
  /// Returns the view with an ID.
  func view(_ id: ViewID) throws -> View?
  /// Returns an app's custom dimensions and metrics.
  func definitions(app: AppID) throws -> [CustomDefinition]
  /// Returns the limits of all apps for which an operator has set some.
  func usageLimits() throws -> [AppID: UsageLimits]
  /// Returns what an operator has set of an app's limits.
  func usageLimitChanges(of app: AppID) throws -> UsageLimitChanges
  /// Returns how many new names an app may introduce per day; `nil` for the default.
  func newNamesPerDay(of app: AppID) throws -> Int?
}
