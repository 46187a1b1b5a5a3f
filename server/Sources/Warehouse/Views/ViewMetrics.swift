package import TernBase

/// The metrics of a view over a range of days, for reports.
package struct ViewMetrics: Sendable, Hashable {
  package enum DayState: String, Sendable {
    /// The day can still receive hits in time.
    case open
    /// The cutoff has passed, but the day is not sealed yet.
    case closed
    /// The day is sealed and can no longer change.
    case final
  }

  /// One day.
  package struct DayRow: Sendable, Hashable {
    /// The civil day in the view's zone.
    package var day: Day
    /// The totals of the day.
    package var totals: ViewTotals
    /// The number of users with a session.
    package var users: Int
    /// The number of users with their first session ever.
    package var newUsers: Int
    package var state: DayState

    package init(day: Day, totals: ViewTotals, users: Int, newUsers: Int, state: DayState) {
      self.day = day
      self.totals = totals
      self.users = users
      self.newUsers = newUsers
      self.state = state
    }
  }

  /// One row of a breakdown, over the whole range.
  package struct Row: Sendable, Hashable {
    /// The key, as described by ``ViewTable``.
    package var key: [String]
    /// The numbers, as described by ``ViewTable``.
    package var numbers: [SaturatingInt64]
    /// The number of distinct users.
    package var users: Int

    /// Creates a row.
    package init(key: [String], numbers: [SaturatingInt64], users: Int) {
      self.key = key
      self.numbers = numbers
      self.users = users
    }
  }

  /// The days of the range that exist in the view's zone, in order.
  package var days: [DayRow] = []
  /// The totals of the range.
  package var totals = ViewTotals()
  /// The number of users with a session in the range.
  package var users = 0
  /// The number of users with their first session ever in the range.
  package var newUsers = 0
  /// The number of users with a session in the range that was not their first.
  package var returningUsers = 0
  /// The number of users with a session in the 1, 7, 14 and 28 days that end with the range.
  package var actives: [Int: Int] = [:]
  /// The requested breakdowns, with rows ordered by their first number, largest first.
  package var tables: [ViewTable: [Row]] = [:]
  /// The current definitions of the app's custom dimensions and metrics.
  package var definitions: [CustomDefinition] = []

  /// Creates empty metrics.
  package init() {}
}

/// Hits received after their day's cutoff, by day, app version and delay.
package struct LateHits: Sendable, Hashable {
  /// The day on which the hits would have counted.
  package var day: Day
  /// The app's version; empty if unknown.
  package var version: String
  /// The upper bound of the delay after the cutoff, in hours, or `nil` for more than a week.
  package var hours: Int?
  /// The number of hits.
  package var count: Int

  /// Creates a row.
  package init(day: Day, version: String, hours: Int?, count: Int) {
    self.day = day
    self.version = version
    self.hours = hours
    self.count = count
  }
}

/// One stored hit with all of its parameters, for debugging.
package struct InspectedHit: Sendable, Hashable {
  /// The number of the hit; later hits have larger numbers.
  package var id: Int64
  /// The time of the hit: its receipt less its queue time.
  package var time: Int64
  /// The time of receipt.
  package var received: Int64
  /// The day on which it counts in the view, or would have counted had it arrived in time.
  package var day: Day
  /// The status of the hit in the view: `counted`, `late`, `filtered`, or `anonymous` for a hit without a `uid` in a
  /// view of `uid`s.
  package var status: String
  /// A number that identifies the client, or the user in a view of `uid`s.
  package var install: Int
  /// The parameters by name.
  package var parameters: [String: String]

  /// Creates a hit.
  package init(
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
package struct RefusedHit: Sendable, Hashable {
  /// The time of receipt.
  package var received: Int64
  /// The position of the hit in the request, from 0.
  package var position: Int
  /// The rejection reason.
  package var reason: String
  /// The problems of its parameters.
  package var message: String
  /// The stored part of its text.
  package var said: String

  /// Creates a rejected hit.
  package init(received: Int64, position: Int, reason: String, message: String, said: String) {
    self.received = received
    self.position = position
    self.reason = reason
    self.message = message
    self.said = said
  }
}
