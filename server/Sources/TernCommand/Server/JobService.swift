import AppCatalog
import Logging
import ServiceLifecycle
import TernEvents
import Warehouse
import WarehouseSQLite

/// Finds what made the process before crash, then does the work that commands and pages leave in the catalog, while the
/// server runs.
struct JobService: Service {
  private static let pollInterval: Duration = .milliseconds(500)
  private static let retryTime: Duration = .seconds(30)
  /// The time between two removals of old rows; a changed setting is noticed within it.
  private static let keepingInterval: Duration = .seconds(3_600)
  /// The time between two looks for rows that leave for the cluster.
  private static let retiringInterval: Duration = .seconds(86_400)

  let warehouse: SQLiteWarehouse
  let catalog: Catalog
  let jobs: JobRunner
  /// Tries what the process before was doing when it crashed.
  let trials: any WorkTrials
  let logger: Logger
  /// The time for which rows stay at home at least; `nil` if they stay for ever.
  var keepsAtHome: Duration?
  var wallTime: @Sendable () -> Timestamp = WallClock.system

  func run() async throws {
    await cancelWhenGracefulShutdown {
      // First: a job may be what made the process before crash, and no job may change rows meanwhile.
      await warehouse.examineInterruptedWork(with: trials)
      var (removed, steady, start) = (ContinuousClock.Instant?.none, SteadyClock(), ContinuousClock.now)
      var retired: ContinuousClock.Instant?
      while !Task.isCancelled {
        var pause = Self.pollInterval
        do {
          try await jobs.run()
          // After the jobs, which may take long. A wrong clock would remove rows for good.
          let now = wallTime()
          if steady.isSteady(wall: now, uptime: start.duration(to: .now)),
            removed.map({ .now - $0 >= Self.keepingInterval }) ?? true
          {
            try await jobs.removeOldRows(now: now)
            removed = .now
            if let keepsAtHome, retired.map({ .now - $0 >= Self.retiringInterval }) ?? true {
              let summary = try await jobs.retireRows(receivedBefore: now - keepsAtHome, now: now)
              if summary.rows > 0 || summary.waiting > 0 { logger.notice("\(summary.text)") }
              retired = .now
            }
          }
        } catch is CancellationError where Task.isCancelled {
          // The next start continues.
          return
        } catch {
          logger.error("Could not finish a job: \(error)")
          pause = Self.retryTime
        }
        try? await Task.sleep(for: pause)
      }
    }
  }
}
