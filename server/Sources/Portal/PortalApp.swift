public import Warehouse

/// An app, as shown on pages.
public struct PortalApp: Sendable, Hashable {
  /// Its number within the server.
  public var id: AppID
  /// Its name.
  public var name: String
  /// The key that Tern clients send.
  public var key: String
  /// The app secret that App Center clients send, or `nil` if it has none.
  public var appSecret: String?
  /// The tracking ID that Measurement Protocol clients send, for example `UA-1-1`, or `nil` if it has none.
  public var trackingID: String?
  /// The time zone of its days, for example `Europe/Berlin`.
  public var timeZone: String

  /// Creates an app.
  public init(
    id: AppID, name: String, key: String, appSecret: String? = nil, trackingID: String? = nil, timeZone: String = "UTC"
  ) {
    self.id = id
    self.name = name
    self.key = key
    self.appSecret = appSecret
    self.trackingID = trackingID
    self.timeZone = timeZone
  }
}
