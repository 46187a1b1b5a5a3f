import AppCatalog
import Logging
import ServiceLifecycle
import TernEvents
import Warehouse
import WarehouseSQLite

/// Seals the days of views that have become final, while the server runs.
struct SealingService: Service {
  /// The time between two checks.
  private static let pause: Duration = .seconds(30)

  let warehouse: SQLiteWarehouse
  let catalog: Catalog
  let logger: Logger

  func run() async throws {
    await cancelWhenGracefulShutdown {
      let clock = ContinuousClock()
      let start = clock.now
      var steady = SteadyClock()
      while !Task.isCancelled {
        do {
          let now = WallClock.system()
          if steady.isSteady(wall: now, uptime: start.duration(to: clock.now)) {
            try await warehouse.sealDays(of: catalog.views(), now: now)
          }
        } catch {
          // Days stay exact; the next check tries again.
          logger.error("Could not seal days of views: \(error)")
        }
        try? await Task.sleep(for: Self.pause)
      }
    }
  }
}
