/// The metrics of a view over some days, as reports use them.
public struct ViewMetrics: Sendable, Hashable {
  /// How far a day is.
  public enum DayState: String, Sendable {
    /// Hits may still come in time.
    case open
    /// Its cut is over: what was received before it is being counted for good.
    case closed
    /// Sealed: nothing can change it any more.
    case final
  }

  /// One day.
  public struct DayRow: Sendable, Hashable {
    /// The civil day in the view's zone.
    public var day: Day
    /// Its numbers.
    public var totals: ViewTotals
    /// Who had a session.
    public var users: Int
    /// Whose first session ever it brought.
    public var newUsers: Int
    /// How far it is.
    public var state: DayState
    /// Whether nothing can change it any more.
    public var isFinal: Bool { state == .final }

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
    /// What it is about, as ``ViewTable`` says.
    public var key: [String]
    /// The numbers, as ``ViewTable`` says.
    public var numbers: [Int64]
    /// Who it is about.
    public var users: Int

    /// Creates a row.
    public init(key: [String], numbers: [Int64], users: Int) {
      self.key = key
      self.numbers = numbers
      self.users = users
    }
  }

  /// Every day of the range that exists in the view's zone, in order.
  public var days: [DayRow] = []
  /// The numbers of the range.
  public var totals = ViewTotals()
  /// Who had a session in the range.
  public var users = 0
  /// Whose first session ever lies in the range.
  public var newUsers = 0
  /// Who had a session in the range that was not the first.
  public var returningUsers = 0
  /// Who had a session in the 1, 7, 14 and 28 days that end with the range.
  public var actives: [Int: Int] = [:]
  /// The breakdowns that were asked for, by their first number, largest first.
  public var tables: [ViewTable: [Row]] = [:]
  /// What the app's custom dimensions and metrics mean now.
  public var definitions: [CustomDefinition] = []

  /// Creates metrics of nothing.
  public init() {}
}

/// Hits that came after their day's cut, by day, app version and how late they were.
public struct LateHits: Sendable, Hashable {
  /// The day on which they would have counted.
  public var day: Day
  /// The app's version; empty when unknown.
  public var version: String
  /// Hours after the cut at most, of a few steps; `nil` for more than a week.
  public var hours: Int?
  /// How many.
  public var count: Int

  /// Creates a row.
  public init(day: Day, version: String, hours: Int?, count: Int) {
    self.day = day
    self.version = version
    self.hours = hours
    self.count = count
  }
}

/// One stored hit in full, for somebody who looks for a mistake.
public struct InspectedHit: Sendable, Hashable {
  /// Its number; later ones are larger.
  public var id: Int64
  /// When it happened: received less queue time.
  public var time: Int64
  /// When it was received.
  public var received: Int64
  /// The day on which it counts in the view, or would if it had come in time.
  public var day: Day
  /// Whether the view counts it, and if not, why: `counted`, `late`, `filtered`, or `anonymous` for one that names no
  /// `uid` where users are `uid`s.
  public var status: String
  /// A number that stands for the client, or the user where users are `uid`s.
  public var install: Int
  /// What it said, by parameter name.
  public var parameters: [String: String]

  /// Creates a description of a hit.
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

/// One hit that was refused, for somebody who looks for a mistake.
public struct RefusedHit: Sendable, Hashable {
  /// When it was received.
  public var received: Int64
  /// Its place in the request, from 0.
  public var position: Int
  /// The reason it is counted under.
  public var reason: String
  /// What was wrong, field by field.
  public var message: String
  /// What it said, as far as it is kept.
  public var said: String

  /// Creates a description of a refused hit.
  public init(received: Int64, position: Int, reason: String, message: String, said: String) {
    self.received = received
    self.position = position
    self.reason = reason
    self.message = message
    self.said = said
  }
}
