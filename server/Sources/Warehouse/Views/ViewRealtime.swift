/// Who is there now, and what happened in the last half hour.
public struct ViewRealtime: Sendable, Hashable {
  /// One minute.
  public struct Minute: Sendable, Hashable {
    /// Hits of any kind.
    public var hits = 0
    /// Screen and page views.
    public var screenViews = 0
    /// Users with a hit of any kind.
    public var users = 0

    /// Creates a minute without hits.
    public init() {}
  }

  /// How often something was, and by how many.
  public struct Row: Sendable, Hashable {
    /// What it was.
    public var key: [String]
    /// Hits.
    public var hits: Int
    /// Users with such a hit.
    public var users: Int

    /// Creates a row.
    public init(key: [String], hits: Int, users: Int) {
      self.key = key
      self.hits = hits
      self.users = users
    }
  }

  /// What active users are told by.
  public enum Fact: Int, Sendable, CaseIterable {
    /// By screen, of screen views.
    case screen
    /// By category and action, of events.
    case event
    /// By name of the app.
    case app
    /// By version of the app.
    case version
    /// By country.
    case country
  }

  /// Users with a hit in the last 5 minutes.
  public var activeUsers = 0
  /// Those of them who were there on no earlier day.
  public var newUsers = 0
  /// Hits of the last 5 minutes.
  public var hits = 0
  /// Breakdowns of the last 5 minutes, by users, most first.
  public var facts: [Fact: [Row]] = [:]
  /// The last 30 minutes, the present one first.
  public var minutes = Array(repeating: Minute(), count: ViewRealtime.length)

  /// How many minutes are told.
  public static let length = 30
  /// How many minutes somebody who sends nothing counts as being there.
  package static let active: Int64 = 5

  /// Creates metrics of nothing.
  public init() {}
}
