import Collector
import ServiceLifecycle
package import Warehouse
import WarehouseSQLite

/// Finds what made the process before crash, and sets events aside that can't be used, while the server runs.
struct RecoveryService: Service {
  let warehouse: SQLiteWarehouse
  let trials: any WorkTrials

  func run() async throws {
    await cancelWhenGracefulShutdown {
      await warehouse.examineSuspects(with: trials)
      await warehouse.quarantineFailedRows()
    }
  }
}

extension SQLiteWarehouse: RequestJournal {
  package func begin(request: String) throws(WarehouseError) -> @Sendable () -> Void {
    let mark = try journal.begin(.request(request))
    return { [journal] in journal.end(mark) }
  }
}
