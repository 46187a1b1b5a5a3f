import AppCatalog
import Logging
import ServiceLifecycle
import TernEvents
import Warehouse
import WarehouseSQLite
import WarehouseUpkeep

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
        var pause = Self.retryTime
        do {
          pause = try await work(&schedule) { start.duration(to: .now) }
        } catch is CancellationError where Task.isCancelled {
          // The next start continues.
          return
        } catch {
          logger.error("Could not finish a job: \(error)")
        }
        try? await Task.sleep(for: pause)
      }
    }
  }

  /// Does what waits and what is due, and returns the time until the next check.
  func work(_ schedule: inout KeepingSchedule, uptime: () -> Duration) async throws -> Duration {
    var pause = Self.pollInterval
    do {
      try await jobs.run()
    } catch let error as WarehouseError where [.rowsAway, .damaged].contains(error.code) {
      // Due work concerns other rows.
      logger.error("Could not finish a job: \(error)")
      if error.code == .rowsAway { pause = Self.retryTime }
    }
    // After the jobs, which may take long.
    for work in schedule.due(wall: wallTime(), uptime: uptime()) {
      switch work {
      case .removal:
        jobs.retryRefused()
        try jobs.catalog.removeUnusedSymbols()
        let failure = try await jobs.removeOldRows(now: wallTime())
        if let failure { logger.error("Could not remove some old rows yet: \(failure)") }
        schedule.didRemove(isComplete: failure == nil, uptime: uptime())
      case .retirement(let time):
        let summary = try await jobs.retireRows(receivedBefore: time, now: wallTime())
        if summary.rows > 0 || summary.waiting > 0 { logger.notice("\(summary.text)") }
        schedule.didRetire(isComplete: summary.waiting == 0, uptime: uptime())
      }
    }
    return pause
  }
}
