import AppCatalog
import Logging
import Portal
import Warehouse
import WarehouseSQLite

extension MailReportService {
  /// Creates the service of a server.
  init(_ catalog: Catalog, _ warehouse: SQLiteWarehouse, _ outgoing: OutgoingSettings, logger: Logger) throws {
    let composer = MailReportComposer(
      catalog: catalog, reader: warehouse.reader, uptime: Clocks.systemUptime, sleep: { try await Task.sleep(for: $0) })
    self.init(
      catalog: catalog,
      evaluator: MailReportEvaluator(
        catalog: catalog, compose: { try await composer.compose($0, $1, $2, now: $3) }, newID: OutgoingSettings.newID,
        portal: outgoing.address(catalog)),
      logger: logger)
  }
}
