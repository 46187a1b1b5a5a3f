import ReportsTestSupport
import TernEvents
import Warehouse

/// A store whose counts end at the largest integer.
struct SaturatedFigures: StubSource {
  let base: MemoryFigures

  init(_ base: MemoryFigures) { self.base = base }

  func dailyCounts(app: AppID, dimension: Dimension, days: ClosedRange<Day>) async throws -> [DailyCount] {
    guard dimension == .loss else {
      // An existential, since overload resolution in an async context would prefer the stub's default.
      return try await (base as any FigureSource).dailyCounts(app: app, dimension: dimension, days: days)
    }
    return base.rows.compactMap { row in row.loss.map { DailyCount(day: row.day, key: $0.reason, count: $0.count) } }
  }

  func count(app: AppID, dimension: Dimension, days: ClosedRange<Day>) async throws -> Int { .max }

  func totals(app: AppID, dimension: Dimension, days: ClosedRange<Day>, limit: Int?) async throws -> [KeyFigures] {
    ["expired", "queue_full"].map { KeyFigures(key: $0, count: .max, users: 1) }
  }

  func total(app: AppID, dimension: Dimension, key: String, days: ClosedRange<Day>) async throws -> KeyFigures {
    KeyFigures(key: key, count: .max, users: 1)
  }

  func ledger(app: AppID, since: Timestamp) async throws -> LedgerFigures {
    LedgerFigures(
      installs: .max, tracked: .max, delivered: .max, waiting: .max, inFlight: .max, dropped: .max, updated: since)
  }
  func recent(app: AppID, limit: Int) async throws -> [StoredEvent] { base.latest }
}
