/// The counts that an overview shows.
package struct DailyOverview: Sendable {
  /// The events of each day.
  package var events: [DailyCount]
  /// The sessions that began on each day.
  package var sessions: [DailyCount]
  /// The users of each day.
  package var activity: [DailyActivity]
  /// Distinct installs over all days.
  package var users: Int

  /// Creates an overview.
  package init(events: [DailyCount], sessions: [DailyCount], activity: [DailyActivity], users: Int) {
    self.events = events
    self.sessions = sessions
    self.activity = activity
    self.users = users
  }
}

extension MetricsStore {
  /// Returns events, sessions and users per day, and the users over all days.
  package func dailyOverview(app: AppID, days: ClosedRange<Day>) async throws -> DailyOverview {
    DailyOverview(
      events: try await dailyCounts(app: app, dimension: .total, days: days),
      sessions: try await dailyCounts(app: app, dimension: .session, days: days),
      activity: try await activity(app: app, days: days),
      users: try await total(app: app, dimension: .total, key: "", days: days).users)
  }

  /// Returns the largest keys, and the count of all.
  package func largest(
    app: AppID, dimension: Dimension, days: ClosedRange<Day>, limit: Int
  ) async throws -> (rows: [KeyTotals], count: Int) {
    let count = try await count(app: app, dimension: dimension, days: days)
    return (try await totals(app: app, dimension: dimension, days: days, limit: limit), count)
  }
}
