public import Warehouse

/// An app, as the pages show it.
public struct PortalApp: Sendable, Hashable {
  /// Its number within the server.
  public var id: AppID
  /// Its name.
  public var name: String
  /// The key with which Tern clients send.
  public var key: String
  /// The app secret with which App Center clients send; `nil` when it has none.
  public var appSecret: String?
  /// The tracking id with which Measurement Protocol clients send, for example `UA-1-1`; `nil` when it has none.
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
