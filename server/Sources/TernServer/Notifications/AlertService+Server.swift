import AppCatalog
import HTTP
import Logging
import Outgoing
import TernBase
import Warehouse
import WarehouseSQLite

extension AlertService {
  /// Creates the service of a server.
  init(
    _ catalog: Catalog, _ warehouse: SQLiteWarehouse, _ outgoing: OutgoingSettings, problems: ServerProblems,
    deliveries: Locked<DeliveryStatus>, logger: Logger
  ) throws {
    let wallTime = WallClock.system
    let client = try outgoing.client(catalog, wallTime: wallTime)
    let observer = AlertObserver(
      catalog: catalog, reader: warehouse.reader, receivingSince: wallTime(), problems: { problems.current(now: $0) })
    self.init(
      catalog: catalog,
      evaluator: AlertEvaluator(
        catalog: catalog, observe: { try await observer.observe($0, $1, now: $2) },
        newID: OutgoingSettings.newID, portal: outgoing.address(catalog),
        crashes: { try await observer.crashes($0, behind: $1, now: $2) },
        context: { try await observer.context($0, of: $1, now: $2) }),
      delivery: AlertDelivery(
        catalog: catalog,
        send: { message, destination throws(OutgoingError) in try await client.send(message, to: destination) },
        portal: outgoing.address(catalog), status: deliveries),
      logger: logger)
  }
}
