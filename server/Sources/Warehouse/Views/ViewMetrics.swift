public import TernBase

/// The metrics of a view over a range of days, for reports.
public struct ViewMetrics: Sendable, Hashable {
  /// The state of a day.
  public enum DayState: String, Sendable {
    /// The day can still receive hits in time.
    case open
    /// The cutoff has passed, but the day is not sealed yet.
    case closed
    /// The day is sealed and can no longer change.
    case final
  }

  /// One day.
  public struct DayRow: Sendable, Hashable {
    /// The civil day in the view's zone.
    public var day: Day
    /// The totals of the day.
    public var totals: ViewTotals
    /// The number of users with a session.
    public var users: Int
    /// The number of users with their first session ever.
    public var newUsers: Int
    /// The state of the day.
    public var state: DayState

    /// Creates a day.
    public init(day: Day, totals: ViewTotals, users: Int, newUsers: Int, state: DayState) {
      self.day = day
      self.totals = totals
      self.users = users
      self.newUsers = newUsers
      self.state = state
    }
  }

  /// One row of a breakdown, over the whole range.
  public struct Row: Sendable, Hashable {
    /// The key, as described by ``ViewTable``.
    public var key: [String]
    /// The numbers, as described by ``ViewTable``.
    public var numbers: [SaturatingInt64]
    /// The number of distinct users.
    public var users: Int

    /// Creates a row.
    public init(key: [String], numbers: [SaturatingInt64], users: Int) {
      self.key = key
      self.numbers = numbers
      self.users = users
    }
  }

  /// The days of the range that exist in the view's zone, in order.
  public var days: [DayRow] = []
  /// The totals of the range.
  public var totals = ViewTotals()
  /// The number of users with a session in the range.
  public var users = 0
  /// The number of users with their first session ever in the range.
  public var newUsers = 0
  /// The number of users with a session in the range that was not their first.
  public var returningUsers = 0
  /// The number of users with a session in the 1, 7, 14 and 28 days that end with the range.
  public var actives: [Int: Int] = [:]
  /// The requested breakdowns, with rows ordered by their first number, largest first.
  public var tables: [ViewTable: [Row]] = [:]
  /// The current definitions of the app's custom dimensions and metrics.
  public var definitions: [CustomDefinition] = []

  /// Creates empty metrics.
  public init() {}
}

/// Hits received after their day's cutoff, by day, app version and delay.
public struct LateHits: Sendable, Hashable {
  /// The day on which the hits would have counted.
  public var day: Day
  /// The app's version; empty if unknown.
  public var version: String
  /// The upper bound of the delay after the cutoff, in hours, or `nil` for more than a week.
  public var hours: Int?
  /// The number of hits.
  public var count: Int

  /// Creates a row.
  public init(day: Day, version: String, hours: Int?, count: Int) {
    self.day = day
    self.version = version
    self.hours = hours
    self.count = count
  }
}

/// One stored hit with all of its parameters, for debugging.
public struct InspectedHit: Sendable, Hashable {
  /// The number of the hit; later hits have larger numbers.
  public var id: Int64
  /// The time of the hit: its receipt less its queue time.
  public var time: Int64
  /// The time of receipt.
  public var received: Int64
  /// The day on which it counts in the view, or would have counted had it arrived in time.
  public var day: Day
  /// The status of the hit in the view: `counted`, `late`, `filtered`, or `anonymous` for a hit without a `uid` in a
  /// view of `uid`s.
  public var status: String
  /// A number that identifies the client, or the user in a view of `uid`s.
  public var install: Int
  /// The parameters by name.
  public var parameters: [String: String]

  /// Creates a hit.
  public init(
    id: Int64, time: Int64, received: Int64, day: Day, status: String, install: Int, parameters: [String: String]
  ) {
    self.id = id
    self.time = time
    self.received = received
    self.day = day
    self.status = status
    self.install = install
    self.parameters = parameters
  }
}

/// One rejected hit, for debugging.
public struct RefusedHit: Sendable, Hashable {
  /// The time of receipt.
  public var received: Int64
  /// The position of the hit in the request, from 0.
  public var position: Int
  /// The rejection reason.
  public var reason: String
  /// The problems of its parameters.
  public var message: String
  /// The stored part of its text.
  public var said: String

  /// Creates a rejected hit.
  public init(received: Int64, position: Int, reason: String, message: String, said: String) {
    self.received = received
    self.position = position
    self.reason = reason
    self.message = message
    self.said = said
  }
}
