package import Warehouse

/// The counts that an overview shows.
package struct DailyOverview: Sendable {
  package var events: [DailyCount]
  package var sessions: [DailyCount]
  package var activity: [DailyActivity]
  /// Distinct installs over all days.
  package var users: Int
}

/// A store to which one question is cheaper than the reads that it stands for.
package protocol CombinedReads: MetricsStore {
  /// Returns events, sessions and users per day, and the users over all days.
  func combinedOverview(app: AppID, days: ClosedRange<Day>) async throws -> DailyOverview
  /// Returns the largest keys, and the count of all; `nil` if the store cannot answer that.
  func combinedTotals(
    app: AppID, dimension: Dimension, days: ClosedRange<Day>, limit: Int
  ) async throws -> (rows: [KeyTotals], count: Int)?
}

extension MetricsStore {
  /// Returns events, sessions and users per day, and the users over all days.
  func dailyOverview(app: AppID, days: ClosedRange<Day>) async throws -> DailyOverview {
    if let combined = self as? any CombinedReads {
      return try await combined.combinedOverview(app: app, days: days)
    }
    return DailyOverview(
      events: try await dailyCounts(app: app, dimension: .total, days: days),
      sessions: try await dailyCounts(app: app, dimension: .session, days: days),
      activity: try await activity(app: app, days: days),
      users: try await total(app: app, dimension: .total, key: "", days: days).users)
  }

  /// Returns the largest keys, and the count of all.
  func largest(
    app: AppID, dimension: Dimension, days: ClosedRange<Day>, limit: Int
  ) async throws -> (rows: [KeyTotals], count: Int) {
    if let combined = self as? any CombinedReads,
      let largest = try await combined.combinedTotals(app: app, dimension: dimension, days: days, limit: limit)
    {
      return largest
    }
    let count = try await count(app: app, dimension: dimension, days: days)
    return (try await totals(app: app, dimension: dimension, days: days, limit: limit), count)
  }
}
