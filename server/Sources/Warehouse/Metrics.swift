public import Ingest
public import TernEvents

/// The count of a key on one day.
public struct DailyCount: Sendable, Hashable {
  /// The civil day in the app's time zone.
  public var day: Day
  /// The key within the dimension.
  public var key: String
  /// The number of events.
  public var count: Int
  /// Creates a count.
  public init(day: Day, key: String, count: Int) {
    self.day = day
    self.key = key
    self.count = count
  }
}

/// The counts of a key over a range of days.
public struct KeyTotals: Sendable, Hashable {
  /// The key within the dimension.
  public var key: String
  /// The number of events.
  public var count: Int
  /// The number of distinct installs.
  public var users: Int
  /// Creates counts.
  public init(key: String, count: Int, users: Int) {
    self.key = key
    self.count = count
    self.users = users
  }
}

/// The counts of one day.
public struct DailyTotals: Sendable, Hashable {
  /// The civil day in the app's time zone.
  public var day: Day
  /// The number of events.
  public var count: Int
  /// The number of distinct installs.
  public var users: Int
  /// Creates counts.
  public init(day: Day, count: Int, users: Int) {
    self.day = day
    self.count = count
    self.users = users
  }
}

/// The distinct active installs around one day.
public struct DailyActivity: Sendable, Hashable {
  /// The civil day in the app's time zone.
  public var day: Day
  /// Installs active on the day.
  public var daily: Int
  /// Installs active in the 7 days ending on it; `nil` if only single days were counted.
  public var weekly: Int?
  /// Installs active in the 30 days ending on it; `nil` if only single days were counted.
  public var monthly: Int?
  /// Creates counts.
  public init(day: Day, daily: Int, weekly: Int?, monthly: Int?) {
    self.day = day
    self.daily = daily
    self.weekly = weekly
    self.monthly = monthly
  }
}

/// The values of one event's property.
public struct PropertyTotals: Sendable, Hashable {
  /// The property's name.
  public var property: String
  /// The occurrences of the property, with any value.
  public var count: Int
  /// The most frequent values, most frequent first.
  public var values: [KeyTotals]
  /// True if values beyond the daily cap of distinct values were counted together as "(other)".
  public var isCapped: Bool
  /// Creates counts.
  public init(property: String, count: Int, values: [KeyTotals], isCapped: Bool) {
    self.property = property
    self.count = count
    self.values = values
    self.isCapped = isCapped
  }
}

/// A stored row, as the live report shows it.
public struct StoredEvent: Sendable, Hashable {
  /// The row's number; later rows have larger ones.
  public var id: Int64
  /// The kind of record.
  public var kind: StoredKind
  /// The name of the event or screen; for other kinds the log type.
  public var name: String
  /// The time of the event, as far as the protocol reports it.
  public var time: Timestamp
  /// The time of receipt, by the server's clock.
  public var received: Timestamp
  /// A number that identifies the install within the app.
  public var install: Int
  /// The user ID set by the app; empty if none.
  public var user: String
  /// The properties of the device and app.
  public var device: IncomingDevice
  /// The developer's properties, in the order sent.
  public var properties: [Properties.Element]
  /// Creates an event.
  public init(
    id: Int64, kind: StoredKind, name: String, time: Timestamp, received: Timestamp, install: Int, user: String,
    device: IncomingDevice, properties: [Properties.Element]
  ) {
    self.id = id
    self.kind = kind
    self.name = name
    self.time = time
    self.received = received
    self.install = install
    self.user = user
    self.device = device
    self.properties = properties
  }
}
