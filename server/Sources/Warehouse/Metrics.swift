package import Ingest
package import TernEvents

/// The count of a key on one day.
package struct DailyCount: Sendable, Hashable {
  /// The civil day in the app's time zone.
  package var day: Day
  /// The key within the dimension.
  package var key: String
  /// The number of events.
  package var count: Int
  /// Creates a count.
  package init(day: Day, key: String, count: Int) {
    self.day = day
    self.key = key
    self.count = count
  }
}

/// The counts of a key over a range of days.
package struct KeyTotals: Sendable, Hashable {
  /// The key within the dimension.
  package var key: String
  /// The number of events.
  package var count: Int
  /// The number of distinct installs.
  package var users: Int
  /// Creates counts.
  package init(key: String, count: Int, users: Int) {
    self.key = key
    self.count = count
    self.users = users
  }
}

/// The counts of one day.
package struct DailyTotals: Sendable, Hashable {
  /// The civil day in the app's time zone.
  package var day: Day
  /// The number of events.
  package var count: Int
  /// The number of distinct installs.
  package var users: Int
  /// Creates counts.
  package init(day: Day, count: Int, users: Int) {
    self.day = day
    self.count = count
    self.users = users
  }
}

/// The distinct active installs around one day.
package struct DailyActivity: Sendable, Hashable {
  /// The civil day in the app's time zone.
  package var day: Day
  /// Installs active on the day.
  package var daily: Int
  /// Installs active in the 7 days ending on it; `nil` if only single days were counted.
  package var weekly: Int?
  /// Installs active in the 30 days ending on it; `nil` if only single days were counted.
  package var monthly: Int?
  /// Creates counts.
  package init(day: Day, daily: Int, weekly: Int?, monthly: Int?) {
    self.day = day
    self.daily = daily
    self.weekly = weekly
    self.monthly = monthly
  }
}

/// The values of one event's property.
package struct PropertyTotals: Sendable, Hashable {
  /// The property's name.
  package var property: String
  /// The occurrences of the property, with any value.
  package var count: Int
  /// The most frequent values, most frequent first.
  package var values: [KeyTotals]
  /// True if values beyond the daily cap of distinct values were counted together as "(other)".
  package var isCapped: Bool
  /// Creates counts.
  package init(property: String, count: Int, values: [KeyTotals], isCapped: Bool) {
    self.property = property
    self.count = count
    self.values = values
    self.isCapped = isCapped
  }
}

/// A stored row, as the live report shows it.
package struct StoredEvent: Sendable, Hashable {
  /// The row's number; later rows have larger ones.
  package var id: Int64
  /// The kind of record.
  package var kind: StoredKind
  /// The name of the event or screen; for other kinds the log type.
  package var name: String
  /// The time of the event, as far as the protocol reports it.
  package var time: Timestamp
  /// The time of receipt, by the server's clock.
  package var received: Timestamp
  /// A number that identifies the install within the app.
  package var install: Int
  /// The user ID set by the app; empty if none.
  package var user: String
  /// The properties of the device and app.
  package var device: IncomingDevice
  /// The developer's properties, in the order sent.
  package var properties: [Properties.Element]
  /// Creates an event.
  package init(
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
