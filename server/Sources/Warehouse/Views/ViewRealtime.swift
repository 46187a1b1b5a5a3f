/// The current users of a view and the activity of the last half hour.
public struct ViewRealtime: Sendable, Hashable {
  /// The activity of one minute.
  public struct Minute: Sendable, Hashable {
    /// The number of hits of any kind.
    public var hits = 0
    /// The number of screen and page views.
    public var screenViews = 0
    /// The number of users with a hit.
    public var users = 0

    /// Creates a minute without hits.
    public init() {}
  }

  /// The counts of one value of a breakdown.
  public struct Row: Sendable, Hashable {
    /// The value.
    public var key: [String]
    /// The number of hits.
    public var hits: Int
    /// The number of users with such a hit.
    public var users: Int

    /// Creates a row.
    public init(key: [String], hits: Int, users: Int) {
      self.key = key
      self.hits = hits
      self.users = users
    }
  }

  /// The breakdowns of active users.
  public enum Fact: Int, Sendable, CaseIterable {
    /// Screens, from screen views.
    case screen
    /// Category and action, from events.
    case event
    /// The app's name.
    case app
    /// The app's version.
    case version
    /// Country.
    case country
  }

  /// The number of users with a hit in the last 5 minutes.
  public var activeUsers = 0
  /// The number of these users without a hit on an earlier day.
  public var newUsers = 0
  /// The number of hits in the last 5 minutes.
  public var hits = 0
  /// Breakdowns of the last 5 minutes, by users, most first.
  public var facts: [Fact: [Row]] = [:]
  /// The last 30 minutes, most recent first.
  public var minutes = Array(repeating: Minute(), count: ViewRealtime.length)

  /// The number of minutes covered.
  public static let length = 30
  /// The number of minutes after a hit for which a user counts as active.
  package static let active: Int64 = 5

  /// Creates empty metrics.
  public init() {}
}
