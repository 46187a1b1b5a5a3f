import AppCatalog
import Logging
import ServiceLifecycle
import Warehouse
import WarehouseSQLite

/// Does the work that commands and pages leave in the catalog, while the server runs.
struct JobService: Service {
  private static let glance: Duration = .milliseconds(500)
  private static let retryTime: Duration = .seconds(30)

  let warehouse: SQLiteWarehouse
  let catalog: Catalog
  let logger: Logger

  func run() async throws {
    await cancelWhenGracefulShutdown {
      while !Task.isCancelled {
        var pause = Self.glance
        do {
          try await JobRunner(warehouse: warehouse, catalog: catalog).run()
        } catch {
          logger.error("Could not finish a job: \(error)")
          pause = Self.retryTime
        }
        try? await Task.sleep(for: pause)
      }
    }
  }
}
