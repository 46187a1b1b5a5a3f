import ServiceLifecycle
import Warehouse
import WarehouseSQLite
import WarehouseUpkeep

/// Sets events aside that can't be used, and counts their days again, while the server runs.
struct RecoveryService: Service {
  /// The time after which what was left undone is done.
  private static let interval: Duration = .seconds(10)
  private static let longestPause: Duration = .seconds(320)

  let warehouse: SQLiteWarehouse

  func run() async throws {
    await cancelWhenGracefulShutdown {
      async let failedRows: Void = warehouse.quarantineFailedRows()
      var failures = 0
      while (try? await Task.sleep(for: Self.pause(after: failures))) != nil {
        failures = await warehouse.finishQuarantine() ? 0 : failures + 1
        warehouse.journal.forgetOld()
      }
      await failedRows
    }
  }

  /// The time until the next attempt after some that have failed: each may read millions of rows.
  static func pause(after failures: Int) -> Duration { min(interval * (1 << min(failures, 10)), longestPause) }
}
