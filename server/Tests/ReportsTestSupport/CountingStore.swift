import Reports
import TernBase
package import Warehouse

/// A store that counts the keys whose users it unites.
package final class CountingStore: ForwardingStore {
  package let base: any MetricsStore
  private let keys = Locked(0)

  /// Creates a store over another one.
  package init(_ base: any MetricsStore) { self.base = base }

  /// The number of keys whose users were united so far.
  package var unitedKeys: Int { keys.withLock { $0 } }

  package func totals(
    app: AppID, dimension: Dimension, days: ClosedRange<Day>, limit: Int?
  ) async throws -> [KeyTotals] {
    let totals = try await base.totals(app: app, dimension: dimension, days: days, limit: limit)
    keys.withLock { $0 += totals.count }
    return totals
  }

  package func totals(
    app: AppID, dimension: Dimension, keys wanted: [String], days: ClosedRange<Day>
  ) async throws -> [KeyTotals] {
    keys.withLock { $0 += wanted.count }
    return try await base.totals(app: app, dimension: dimension, keys: wanted, days: days)
  }

  package func versions(app: AppID, names: [String]?, days: ClosedRange<Day>) async throws -> [KeyTotals] {
    let versions = try await base.versions(app: app, names: names, days: days)
    keys.withLock { $0 += versions.count }
    return versions
  }
}
