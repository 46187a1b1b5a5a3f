import AppCatalog
import Logging
import ServiceLifecycle
import TernEvents
import Warehouse
import WarehouseSQLite

/// Finds what made the previous process crash, then does the work that commands and pages leave in the catalog, while the
/// server runs.
struct JobService: Service {
  private static let pollInterval: Duration = .milliseconds(500)
  private static let retryTime: Duration = .seconds(30)

  let warehouse: SQLiteWarehouse
  let catalog: Catalog
  let jobs: JobRunner
  /// Tries what the previous process was doing when it crashed.
  let trials: any WorkTrials
  let logger: Logger
  /// The time for which rows stay at home at least; `nil` if they stay for ever.
  var keepsAtHome: Duration?
  var wallTime: @Sendable () -> Timestamp = WallClock.system

  func run() async throws {
    await cancelWhenGracefulShutdown {
      // First: a job may be what made the previous process crash, and no job may change rows meanwhile.
      await warehouse.examineInterruptedWork(with: trials)
      let start = ContinuousClock.now
      var schedule = KeepingSchedule(keepsAtHome: keepsAtHome)
      while !Task.isCancelled {
        var pause = Self.pollInterval
        do {
          try await jobs.run()
          // After the jobs, which may take long.
          for work in schedule.due(wall: wallTime(), uptime: start.duration(to: .now)) {
            switch work {
            case .removal:
              try jobs.catalog.removeUnusedSymbols()
              try await jobs.removeOldRows(now: wallTime())
              schedule.didRemove(uptime: start.duration(to: .now))
            case .retirement(let time):
              let summary = try await jobs.retireRows(receivedBefore: time, now: wallTime())
              if summary.rows > 0 || summary.waiting > 0 { logger.notice("\(summary.text)") }
              schedule.didRetire(isComplete: summary.waiting == 0, uptime: start.duration(to: .now))
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
