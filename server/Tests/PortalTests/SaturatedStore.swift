import Reports
import ReportsTestSupport
import TernEvents
import Warehouse

/// A store whose counts end at the largest integer.
struct SaturatedStore: ForwardingStore {
  let base: any MetricsStore

  func dailyCounts(app: AppID, dimension: Dimension, days: ClosedRange<Day>) async throws -> [DailyCount] {
    try await base.dailyCounts(app: app, dimension: dimension, days: days).map {
      DailyCount(day: $0.day, key: $0.key, count: .max / 2)
    }
  }

  func count(app: AppID, dimension: Dimension, days: ClosedRange<Day>) async throws -> Int { .max }

  func totals(app: AppID, dimension: Dimension, days: ClosedRange<Day>, limit: Int?) async throws -> [KeyTotals] {
    try await totals(app: app, dimension: dimension, keys: ["expired", "queue_full"], days: days)
  }

  func totals(app: AppID, dimension: Dimension, keys: [String], days: ClosedRange<Day>) async throws -> [KeyTotals] {
    keys.map { KeyTotals(key: $0, count: .max, users: 1) }
  }

  func ledger(app: AppID, since: Timestamp) async throws -> LedgerTotals {
    LedgerTotals(
      installs: .max, tracked: .max, delivered: .max, waiting: .max, inFlight: .max, dropped: .max, updated: since)
  }
}
