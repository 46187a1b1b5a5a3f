public import Ingest
public import TernEvents

/// A number that names an app within one server.
public struct AppID: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// The number.
  public var rawValue: Int64
  /// Creates an id.
  public init(_ rawValue: Int64) { self.rawValue = rawValue }
  /// The number in decimal.
  public var description: String { String(rawValue) }
  /// Whether the left one comes first.
  public static func < (left: AppID, right: AppID) -> Bool { left.rawValue < right.rawValue }
}

/// The accepting side of a warehouse, as the collector uses it.
public protocol EventSink: Sendable {
  /// Stores a batch. When this returns, the events are on disk and will be in every report within a second.
  ///
  /// Throws ``WarehouseError`` when nothing of the batch was stored; the client must keep it and try again.
  func commit(_ batch: IncomingBatch, app: AppID) async throws -> CommitReceipt

  /// Whether a batch would be refused now because too much waits already.
  var isBehind: Bool { get }

  /// Stores something about as large as a batch, durably, and removes it again: shows whether storing works when no
  /// batch is at hand, after one has failed.
  ///
  /// Throws ``WarehouseError`` when a batch could not have been stored.
  func probeWrite() async throws

  /// Where requests are noted from their receipt until they are stored or refused.
  var pendingRequests: PendingRequests { get }
}

/// What became of a batch.
public struct CommitReceipt: Sendable, Hashable {
  /// How many events were stored.
  public var accepted: Int
  /// The `index` of each event that had been stored before.
  public var duplicates: [Int]
  /// Events that were refused and counted, because there is no room for what they carry.
  public var rejections: [Rejection]
  /// How many of the stored events are reported as "(other)" in some figure, since the app brings too many new names.
  public var unnamed: Int

  /// Creates a receipt.
  public init(accepted: Int = 0, duplicates: [Int] = [], rejections: [Rejection] = [], unnamed: Int = 0) {
    self.accepted = accepted
    self.duplicates = duplicates
    self.rejections = rejections
    self.unnamed = unnamed
  }
}

/// What figures can be broken down by. The raw values are stored: never reuse one.
public enum Dimension: Int, Sendable, CaseIterable {
  /// Everything of an app; one key, the empty text. Counts events of kind `event`; users of any kind.
  case total = 0
  /// Event names.
  case event = 1
  /// Screen names.
  case screen = 2
  /// App versions, `version (build)`.
  case version = 3
  /// Operating systems, `name version`.
  case os = 4
  /// Device models.
  case model = 5
  /// ISO country codes.
  case country = 6
  /// Locales' languages.
  case language = 7
  /// Sessions that began; one key, the empty text.
  case session = 8
  /// Events and values refused or dropped, by reason, as clients and the collector report them.
  case loss = 9
  /// Property values of one event: key is `event`, `property`, `value`; only
  /// ``FigureSource/properties(app:event:days:limit:)`` reports them.
  case property = 10
  /// Handled errors, crashes and other kinds, by kind name.
  case kind = 11
}

/// The reading side of a warehouse, as reports use it. Days are civil days in the app's time zone.
public protocol FigureSource: ErrorSource, AppCenterFigures, ViewSource {
  /// Per day and key: how often.  Days and keys without any are left out. Ordered by day, then key.
  func dailyCounts(app: AppID, dimension: Dimension, days: ClosedRange<Day>) async throws -> [DailyCount]
  /// The count of all keys over the whole range, at most the largest number there is.
  func count(app: AppID, dimension: Dimension, days: ClosedRange<Day>) async throws -> Int
  /// Per key over the whole range: how often, and by how many distinct installs. Ordered by count, then key.
  ///
  /// - Parameter limit: the number of keys to return, largest first; `nil` for all. Users are counted for these keys
  ///   only.
  func totals(app: AppID, dimension: Dimension, days: ClosedRange<Day>, limit: Int?) async throws -> [KeyFigures]
  /// The same for one key only; zeros when it never occurred.
  func total(app: AppID, dimension: Dimension, key: String, days: ClosedRange<Day>) async throws -> KeyFigures
  /// Per day for one key: how often, and by how many distinct installs. Days without any are left out.
  func series(app: AppID, dimension: Dimension, key: String, days: ClosedRange<Day>) async throws -> [DailyFigures]
  /// For each day of the range: distinct installs active on that day, in the 7 and in the 30 days that end with it.
  func activity(app: AppID, days: ClosedRange<Day>) async throws -> [DailyActivity]
  /// The property values seen on one event over the range, per property largest first, at most `limit` values each.
  func properties(app: AppID, event: String, days: ClosedRange<Day>, limit: Int) async throws -> [PropertyFigures]
  /// The newest ledgers of the installs that have sent one since a point in time, added up.
  func ledger(app: AppID, since: Timestamp) async throws -> LedgerFigures
  /// The most recently stored rows, newest first.
  func recent(app: AppID, limit: Int) async throws -> [StoredEvent]
}

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

/// A failure of the warehouse.
public struct WarehouseError: Error, Sendable, CustomStringConvertible {
  /// The kinds of failure.
  public struct Code: Hashable, Sendable {
    private enum Kind { case busy, full, unavailable, inUse, unknownApp, damaged, invalid }
    private let kind: Kind
    /// The writer is behind its byte limit; try again later.
    public static let busy = Code(kind: .busy)
    /// The disk is full.
    public static let full = Code(kind: .full)
    /// The store cannot be opened or written.
    public static let unavailable = Code(kind: .unavailable)
    /// Another process holds the data directory.
    public static let inUse = Code(kind: .inUse)
    /// No app has this id.
    public static let unknownApp = Code(kind: .unknownApp)
    /// Stored data does not check out.
    public static let damaged = Code(kind: .damaged)
    /// A parameter cannot be used, for example an unknown time zone.
    public static let invalid = Code(kind: .invalid)
  }

  /// What kind of failure this is.
  public var code: Code
  /// The reason and what to do.
  public var message: String
  /// The failure beneath, when there is one.
  public var cause: (any Error)?

  /// Creates an error.
  public init(code: Code, message: String, cause: (any Error)? = nil) {
    self.code = code
    self.message = message
    self.cause = cause
  }

  /// The message, and the cause if there is one.
  public var description: String { cause.map { "\(message) (\($0))" } ?? message }
}
