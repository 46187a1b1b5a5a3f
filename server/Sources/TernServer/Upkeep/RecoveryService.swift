import ServiceLifecycle
import Warehouse
import WarehouseSQLite

/// Sets events aside that can't be used, and counts their days again, while the server runs.
struct RecoveryService: Service {
  /// The time after which what failed is tried again.
  private static let retryTime: Duration = .seconds(10)

  let warehouse: SQLiteWarehouse

  func run() async throws {
    await cancelWhenGracefulShutdown {
      async let failedRows: Void = warehouse.quarantineFailedRows()
      while (try? await Task.sleep(for: Self.retryTime)) != nil {
        await warehouse.finishQuarantine()
        warehouse.journal.forgetOld()
      }
      await failedRows
    }
  }
}
