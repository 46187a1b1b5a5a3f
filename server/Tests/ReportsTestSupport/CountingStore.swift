package import Ingest
import Synchronization
import TernBase
package import Warehouse

/// A store that counts the keys whose users it unites.
package final class CountingStore: StubStore {
  private let base: any MetricsStore
  private let keys = Mutex(0)

  /// Creates a store over another one.
  package init(_ base: any MetricsStore) { self.base = base }

  /// The number of keys whose users were united so far.
  package var unitedKeys: Int { keys.withLock { $0 } }

  package func totals(app: AppID, dimension: Dimension, days: ClosedRange<Day>, limit: Int?) async throws
    -> [KeyTotals]
  {
    let metrics = try await base.totals(app: app, dimension: dimension, days: days, limit: limit)
    keys.withLock { $0 += metrics.count }
    return metrics
  }

  package func count(app: AppID, dimension: Dimension, days: ClosedRange<Day>) async throws -> Int {
    try await base.count(app: app, dimension: dimension, days: days)
  }

  package func total(app: AppID, dimension: Dimension, key: String, days: ClosedRange<Day>) async throws -> KeyTotals {
    keys.withLock { $0 += 1 }
    return try await base.total(app: app, dimension: dimension, key: key, days: days)
  }

  package func dailyCounts(app: AppID, dimension: Dimension, days: ClosedRange<Day>) async throws -> [DailyCount] {
    try await base.dailyCounts(app: app, dimension: dimension, days: days)
  }

  package func recent(app: AppID, kinds: Set<StoredKind>, limit: Int) async throws -> [StoredEvent] {
    try await base.recent(app: app, kinds: kinds, limit: limit)
  }
}
