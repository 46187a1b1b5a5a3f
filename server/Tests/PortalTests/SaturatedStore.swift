import Ingest
import ReportsTestSupport
import TernEvents
import Warehouse

/// A store whose counts end at the largest integer.
struct SaturatedStore: StubStore {
  let base: MemoryStore

  init(_ base: MemoryStore) { self.base = base }

  func dailyCounts(app: AppID, dimension: Dimension, days: ClosedRange<Day>) async throws -> [DailyCount] {
    guard dimension == .dropped else {
      // An existential, because overload resolution in an async context would prefer the stub's default.
      return try await (base as any MetricsStore).dailyCounts(app: app, dimension: dimension, days: days)
    }
    return base.rows.compactMap { row in row.dropped.map { DailyCount(day: row.day, key: $0.reason, count: $0.count) } }
  }

  func count(app: AppID, dimension: Dimension, days: ClosedRange<Day>) async throws -> Int { .max }

  func totals(app: AppID, dimension: Dimension, days: ClosedRange<Day>, limit: Int?) async throws -> [KeyTotals] {
    ["expired", "queue_full"].map { KeyTotals(key: $0, count: .max, users: 1) }
  }

  func total(app: AppID, dimension: Dimension, key: String, days: ClosedRange<Day>) async throws -> KeyTotals {
    KeyTotals(key: key, count: .max, users: 1)
  }

  func ledger(app: AppID, since: Timestamp) async throws -> LedgerTotals {
    LedgerTotals(
      installs: .max, tracked: .max, delivered: .max, waiting: .max, inFlight: .max, dropped: .max, updated: since)
  }

  func recent(app: AppID, kinds: Set<StoredKind>, limit: Int) async throws -> [StoredEvent] {
    Array(base.latest.prefix(limit))
  }
}
