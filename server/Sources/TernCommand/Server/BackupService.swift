import AppCatalog
import Foundation
import Logging
import ServiceLifecycle
import TernBase
import Warehouse
import WarehouseSQLite

/// Makes regular backups while the server runs.
struct BackupService: Service {
  /// The time between two checks whether a backup is due.
  private static let pollInterval: Duration = .seconds(30)
  /// The time until the next attempt after a failure.
  private static let retryTime: Duration = .seconds(600)

  let directory: String
  let series: BackupSeries
  let catalog: Catalog
  let logger: Logger
  /// Where the reason of the last failure is kept until a backup succeeds.
  let failure: Locked<String?>

  func run() async throws {
    await cancelWhenGracefulShutdown {
      while !Task.isCancelled {
        var pause = Self.pollInterval
        do {
          if try series.isDue(at: WallClock.system()) { try await backUp() }
        } catch is CancellationError {
          return
        } catch {
          logger.error("Could not make a backup in \(series.path): \(error)")
          failure.withLock { $0 = CommandEnding(error).reason }
          pause = Self.retryTime
        }
        try? await Task.sleep(for: pause)
      }
    }
  }

  private func backUp() async throws {
    let (path, summary) = try await Self.onThread { [series, directory] shouldStop in
      try series.add(of: directory, now: WallClock.system(), shouldStop: shouldStop)
    }
    failure.withLock { $0 = nil }
    logger.info("Backup in \(path): \(BackupCommand.description(summary))")
    try AuditActor.$current.withValue(AuditActor(name: "server", address: "")) {
      try catalog.record(.backupCreated, path)
    }
  }

  /// Runs `body` on a thread of its own, because it waits for the disk for a long time.
  private static func onThread<Value: Sendable>(
    _ body: @escaping @Sendable (_ shouldStop: @escaping @Sendable () -> Bool) throws -> Value
  ) async throws -> Value {
    try await withCancellationFlag { flag in
      try await withCheckedThrowingContinuation { waiter in
        let thread = Thread { waiter.resume(with: Result { try body { flag.isSet } }) }
        thread.name = "tern-backup"
        thread.stackSize = 4 << 20
        thread.start()
      }
    }
  }
}
