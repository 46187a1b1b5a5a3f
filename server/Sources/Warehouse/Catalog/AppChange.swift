/// A change to an app, made whole or not at all. Properties that are `nil` keep their current values.
public struct AppChange: Sendable {
  /// The new name.
  public var name: String?
  /// The IANA name of the new time zone, in which all days are counted again.
  public var timeZone: String?
  /// False for an app without days, whose time zone needs no counting.
  public var recountsDays = true
  /// The app secret of App Center clients.
  public var appSecret: String?
  /// The tracking ID of Measurement Protocol clients.
  public var trackingID: String?
  /// The limit on new names of each kind per day; a `nil` inside for the default.
  public var newNamesPerDay: Int??
  /// The time for which rows are kept; a `nil` inside for ever.
  public var keeping: KeepingPeriod??

  /// Creates a change.
  public init(
    name: String? = nil, timeZone: String? = nil, appSecret: String? = nil, trackingID: String? = nil,
    newNamesPerDay: Int?? = .none, keeping: KeepingPeriod?? = .none
  ) {
    (self.name, self.timeZone, self.appSecret, self.trackingID) = (name, timeZone, appSecret, trackingID)
    (self.newNamesPerDay, self.keeping) = (newNamesPerDay, keeping)
  }
}
