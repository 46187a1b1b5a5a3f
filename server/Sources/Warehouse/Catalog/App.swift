public import TernEvents

/// An app whose events a server keeps.
public struct App: Sendable, Hashable {
  /// The number by which everything stored refers to the app.
  public var id: AppID
  /// The name that people read, 1 to 100 characters.
  public var name: String
  /// What clients of the native protocol send to name the app.
  public var key: String
  /// The UUID that App Center clients send, in lower case.
  public var appSecret: String
  /// The tracking id that Measurement Protocol clients send, for example `UA-12345-1`.
  public var trackingID: String
  /// The IANA name of the zone whose civil days the app's reports use.
  public var timeZone: String
  /// When the app was created.
  public var created: Timestamp

  /// Creates a description of an app.
  public init(
    id: AppID, name: String, key: String, appSecret: String, trackingID: String, timeZone: String, created: Timestamp
  ) {
    self.id = id
    self.name = name
    self.key = key
    self.appSecret = appSecret
    self.trackingID = trackingID
    self.timeZone = timeZone
    self.created = created
  }
}
