import AppCatalog
import Logging
import ServiceLifecycle
import TernEvents
import Warehouse
import WarehouseSQLite

/// Counts the open days of views, and seals the days that have become final, while the server runs.
struct SealingService: Service {
  /// The usual and the maximum time between two checks.
  private static let pause: Duration = .seconds(30)
  private static let longestPause: Duration = .seconds(300)

  let warehouse: SQLiteWarehouse
  let catalog: Catalog
  let logger: Logger

  func run() async throws {
    await cancelWhenGracefulShutdown {
      let clock = ContinuousClock()
      let start = clock.now
      var steady = SteadyClock()
      while !Task.isCancelled {
        let begin = clock.now
        do {
          let now = WallClock.system()
          try await warehouse.countOpenDays(of: catalog.views(), now: now)
          if steady.isSteady(wall: now, uptime: start.duration(to: clock.now)) {
            try await warehouse.sealDays(of: catalog.views(), now: now)
          }
        } catch {
          // Metrics stay exact; the next check retries.
          logger.error("Could not count or seal days of views: \(error)")
        }
        // Counting takes at most a tenth of the time.
        let pause = min(max(Self.pause, begin.duration(to: clock.now) * 9), Self.longestPause)
        try? await Task.sleep(for: pause)
      }
    }
  }
}
