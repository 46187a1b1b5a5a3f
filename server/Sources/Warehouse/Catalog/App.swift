public import ServerBase
public import TernEvents

/// An app whose events a server stores.
public struct App: Sendable, Hashable {
  /// The number that identifies the app in everything stored.
  public var id: AppID
  /// The display name, 1 to 100 characters.
  public var name: String
  /// The key that clients of the native protocol send.
  public var key: String
  /// The UUID that App Center clients send, in lowercase.
  public var appSecret: String
  /// The tracking ID that Measurement Protocol clients send, for example `UA-12345-1`.
  public var trackingID: String
  /// The time zone of the app's days, by the zone data that they are counted by.
  public var zone: ZoneRules
  /// The time of creation.
  public var created: Timestamp
  /// The time for which rows are kept; `nil` for ever.
  public var keeping: KeepingPeriod?

  /// Creates an app.
  public init(
    id: AppID, name: String, key: String, appSecret: String, trackingID: String, zone: ZoneRules, created: Timestamp,
    keeping: KeepingPeriod? = nil
  ) {
    self.id = id
    self.name = name
    self.key = key
    self.appSecret = appSecret
    self.trackingID = trackingID
    self.zone = zone
    self.created = created
    self.keeping = keeping
  }
  /// The IANA name of the time zone for the app's reports.
  public var timeZone: String { zone.identifier }
}
