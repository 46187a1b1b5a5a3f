import AppCatalog
import Foundation
import Logging
import ServiceLifecycle
import TernBase
import TernEvents
import Threads
import Warehouse
import WarehouseSQLite
import WarehouseUpkeep

/// Makes regular backups while the server runs.
struct BackupService: Service {
  /// The time between two checks whether a backup is due.
  private static let pollInterval: Duration = .seconds(30)
  /// The time until the next attempt after a failure.
  private static let retryTime: Duration = .seconds(600)

  /// The time between two checks for a request.
  private static let requestInterval: Duration = .seconds(1)

  let directory: String
  let backups: RegularBackups
  let catalog: Catalog
  let logger: Logger

  func run() async throws {
    await cancelWhenGracefulShutdown {
      while !Task.isCancelled {
        var pause = Self.pollInterval
        do {
          // One that was asked for is tried once, also while the earlier ones can't be listed.
          let isWanted = backups.isWanted
          let latest = isWanted ? nil : try backups.series.latest()
          if !isWanted { backups.found(latest) }
          if isWanted || backups.series.isDue(after: latest, at: WallClock.system()) { try await backUp() }
        } catch is CancellationError {
          return
        } catch {
          logger.error("Could not make a backup in \(backups.series.path): \(error)")
          backups.failure.withLock { $0 = ServerFailure.reason(of: error) }
          pause = Self.retryTime
        }
        await wait(pause)
      }
    }
  }

  /// Waits until the next check, or until someone requests a backup.
  private func wait(_ pause: Duration) async {
    var rest = pause
    repeat {
      // At least once: backups are named after the second, so two must not begin in the same one.
      try? await Task.sleep(for: Self.requestInterval)
      rest -= Self.requestInterval
    } while rest > .zero && !backups.isWanted && !Task.isCancelled
  }

  func backUp(now: Timestamp = WallClock.system()) async throws {
    backups.begin()
    defer { backups.end() }
    let last = try catalog.setting(LocalServer.lastBackupSetting)
    let (path, summary, problem) = try await Self.onThread { [series = backups.series, directory] shouldStop in
      // Before the next one, which may replace it.
      let problem = try last.flatMap { try series.problem(with: $0, shouldStop: shouldStop) }
      let (path, summary) = try series.add(of: directory, now: now, shouldStop: shouldStop)
      return (path, summary, problem ?? summary.damageBefore)
    }
    try catalog.setSetting(LocalServer.lastBackupSetting, to: path)
    let failure = problem.map { Self.failure($0, since: path) }
    backups.failure.withLock { $0 = failure }
    backups.found(now)
    logger.info("Backup in \(path): \(summary.text)")
    if let exposure = summary.exposure { logger.warning("\(exposure)") }
    if let failure { logger.error("\(failure)") }
    try AuditActor.$current.withValue(AuditActor(name: "server", address: "")) {
      try catalog.record(.backupCreated, path)
    }
  }

  /// Returns the reason for which the backup before is a failure, until the next one finds its own predecessor whole.
  private static func failure(_ problem: String, since path: String) -> String {
    """
    The last backup was complete and isn't any more: \(problem) The disk of the backups may lose what it has confirmed. A new one was \
    made: check it with `tern backup --check \(path)`.
    """
  }

  /// Runs `body` on a thread of its own, because it waits for the disk for a long time.
  private static func onThread<Value: Sendable>(
    _ body: @escaping @Sendable (_ shouldStop: @escaping @Sendable () -> Bool) throws -> Value
  ) async throws -> Value {
    try await withCancellationFlag { flag in
      try await withCheckedThrowingContinuation { waiter in
        ThreadKind.backup.start { waiter.resume(with: Result { try body { flag.isSet } }) }
      }
    }
  }
}
