package import ServerBase
package import TernEvents

/// An app whose events a server stores.
package struct App: Sendable, Hashable {
  /// The number that identifies the app in everything stored.
  package var id: AppID
  /// The display name, 1 to 100 characters.
  package var name: String
  /// The key that clients of the native protocol send.
  package var key: String
  /// The UUID that App Center clients send, in lowercase.
  package var appSecret: String
  /// The tracking ID that Measurement Protocol clients send, for example `UA-12345-1`.
  package var trackingID: String
  /// The keys of other systems that clients may send, in the order in which they were added.
  package var writeKeys: [String] = []
  /// The time zone of the app's days, by the zone data that they are counted by.
  package var zone: ZoneRules
  /// The time of creation.
  package var created: Timestamp
  /// The time for which rows are kept; `nil` for ever.
  package var keeping: KeepingPeriod?

  package init(
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
  package var timeZone: String { zone.identifier }
}

extension App {
  package static let maximumWriteKeys = 20
  package static let maximumWriteKeyBytes = 200
}
