import AppCatalog
import Logging
import ServiceLifecycle
import TernEvents
import Warehouse
import WarehouseSQLite
import WarehouseUpkeep

/// Counts the open days of views, and seals the days that have become final, while the server runs.
struct SealingService: Service {
  /// The time between two looks at the catalog.
  private static let pollInterval: Duration = .seconds(1)

  let warehouse: SQLiteWarehouse
  let catalog: Catalog
  let logger: Logger

  func run() async throws {
    await cancelWhenGracefulShutdown {
      let clock = ContinuousClock()
      let start = clock.now
      var schedule = CountingSchedule()
      var steady = SteadyClock()
      while !Task.isCancelled {
        let begin = start.duration(to: clock.now)
        do {
          let now = WallClock.system()
          let views = try catalog.views()
          let isDue = schedule.isDue(at: begin)
          let open = schedule.viewsToCount(of: views, at: begin)
          // The warehouse reports failures; the next check tries again.
          if !open.isEmpty { try? await warehouse.countOpenDays(of: open, now: now) }
          if isDue, steady.isSteady(wall: now, uptime: start.duration(to: clock.now)) {
            _ = try? await warehouse.sealDays(of: views, now: now)
          }
        } catch {
          logger.error("The views can't be read from the catalog: \(error)")
        }
        schedule.finished(begin: begin, end: start.duration(to: clock.now))
        try? await Task.sleep(for: Self.pollInterval)
      }
    }
  }
}
