import AppCatalog
import Ingest
import Logging
import TernEvents
import Warehouse
import WarehouseSQLite

@testable import TernServer

extension CollectorDependencies {
  /// The dependencies of a collector that writes and reads a warehouse, and logs nothing.
  init(
    of warehouse: SQLiteWarehouse, _ catalog: Catalog, duplicateKey: DuplicateHashKey = DuplicateHashKey(1, 2),
    wallTime: @escaping @Sendable () -> Timestamp = WallClock.system,
    uptime: @escaping @Sendable () -> Duration = Clocks.systemUptime
  ) {
    self.init(
      sink: warehouse, store: warehouse.reader, questions: warehouse.reader, catalog: catalog,
      duplicateKey: duplicateKey, storage: { StorageStatus() },
      logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    clocks = Clocks(wallTime: wallTime, uptime: uptime)
  }
}
