/// The current users of a view and the activity of the last half hour.
package struct ViewRealtime: Sendable, Hashable {
  /// The activity of one minute.
  package struct Minute: Sendable, Hashable {
    /// The number of hits of any kind.
    package var hits = 0
    /// The number of screen and page views.
    package var screenViews = 0
    /// The number of users with a hit.
    package var users = 0

    /// Creates a minute without hits.
    package init() {}
  }

  /// The counts of one value of a breakdown.
  package struct Row: Sendable, Hashable {
    /// The value.
    package var key: [String]
    /// The number of hits.
    package var hits: Int
    /// The number of users with such a hit.
    package var users: Int

    /// Creates a row.
    package init(key: [String], hits: Int, users: Int) {
      self.key = key
      self.hits = hits
      self.users = users
    }
  }

  /// The breakdowns of active users.
  package enum Fact: Int, Sendable, CaseIterable {
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
  package var activeUsers = 0
  /// The number of these users without a hit on an earlier day.
  package var newUsers = 0
  /// The number of hits in the last 5 minutes.
  package var hits = 0
  /// Breakdowns of the last 5 minutes, by users, most first.
  package var facts: [Fact: [Row]] = [:]
  /// The last 30 minutes, most recent first.
  package var minutes = Array(repeating: Minute(), count: ViewRealtime.length)

  /// The number of minutes covered.
  package static let length = 30
  /// The number of minutes after a hit for which a user counts as active.
  package static let active: Int64 = 5

  /// Creates empty metrics.
  package init() {}
}
