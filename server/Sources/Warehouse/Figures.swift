public import Ingest
public import TernEvents

/// A count on one day.
public struct DailyCount: Sendable, Hashable {
  /// The civil day in the app's zone.
  public var day: Day
  /// The key within the dimension.
  public var key: String
  /// How often.
  public var count: Int
  /// Creates a count.
  public init(day: Day, key: String, count: Int) {
    self.day = day
    self.key = key
    self.count = count
  }
}

/// Figures of one key over a range of days.
public struct KeyFigures: Sendable, Hashable {
  /// The key within the dimension.
  public var key: String
  /// How often.
  public var count: Int
  /// By how many distinct installs.
  public var users: Int
  /// Creates figures.
  public init(key: String, count: Int, users: Int) {
    self.key = key
    self.count = count
    self.users = users
  }
}

/// Figures of one day.
public struct DailyFigures: Sendable, Hashable {
  /// The civil day in the app's zone.
  public var day: Day
  /// How often.
  public var count: Int
  /// By how many distinct installs.
  public var users: Int
  /// Creates figures.
  public init(day: Day, count: Int, users: Int) {
    self.day = day
    self.count = count
    self.users = users
  }
}

/// Distinct active installs around one day.
public struct DailyActivity: Sendable, Hashable {
  /// The civil day in the app's zone.
  public var day: Day
  /// On the day.
  public var daily: Int
  /// In the 7 days that end with it.
  public var weekly: Int
  /// In the 30 days that end with it.
  public var monthly: Int
  /// Creates figures.
  public init(day: Day, daily: Int, weekly: Int, monthly: Int) {
    self.day = day
    self.daily = daily
    self.weekly = weekly
    self.monthly = monthly
  }
}

/// The values of one property of one event.
public struct PropertyFigures: Sendable, Hashable {
  /// The property's name.
  public var property: String
  /// Occurrences of the property, with any value.
  public var count: Int
  /// The most frequent values, largest first.
  public var values: [KeyFigures]
  /// Whether values beyond the cap of distinct values per day were counted together as "(other)".
  public var isCapped: Bool
  /// Creates figures.
  public init(property: String, count: Int, values: [KeyFigures], isCapped: Bool) {
    self.property = property
    self.count = count
    self.values = values
    self.isCapped = isCapped
  }
}

/// A stored row, as the live report shows it.
public struct StoredEvent: Sendable, Hashable {
  /// Its number; later rows have larger ones.
  public var id: Int64
  /// What it records.
  public var kind: StoredKind
  /// The event's or screen's name; for other kinds the log type.
  public var name: String
  /// When it happened, as far as the protocol tells.
  public var time: Timestamp
  /// When it was received, by the server's clock.
  public var received: Timestamp
  /// A number that stands for the install within the app.
  public var install: Int
  /// The user named by the app; empty when none.
  public var user: String
  /// The facts about device and app.
  public var device: IncomingDevice
  /// The developer's properties, in the order in which they were sent.
  public var properties: [Properties.Element]
  /// Creates a description of a row.
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
