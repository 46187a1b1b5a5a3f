/// A change to an app, made whole or not at all. Properties that are `nil` keep their current values.
package struct AppChange: Sendable {
  /// The new name.
  package var name: String?
  /// The IANA name of the new time zone, in which all days are counted again.
  package var timeZone: String?
  /// False for an app without days, whose time zone needs no counting.
  package var recountsDays = true
  /// The app secret of App Center clients.
  package var appSecret: String?
  /// The tracking ID of Measurement Protocol clients.
  package var trackingID: String?
  /// All keys of other systems.
  package var writeKeys: [String]?
  /// The limit on new names of each kind per day; a `nil` inside for the default.
  package var newNamesPerDay: Int??
  /// The time for which rows are kept; a `nil` inside for ever.
  package var keeping: KeepingPeriod??

  package init(
    name: String? = nil, timeZone: String? = nil, appSecret: String? = nil, trackingID: String? = nil,
    writeKeys: [String]? = nil, newNamesPerDay: Int?? = .none, keeping: KeepingPeriod?? = .none
  ) {
    (self.name, self.timeZone, self.appSecret, self.trackingID) = (name, timeZone, appSecret, trackingID)
    self.writeKeys = writeKeys
    (self.newNamesPerDay, self.keeping) = (newNamesPerDay, keeping)
  }
}
