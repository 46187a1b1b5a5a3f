package import AppCatalog
import Foundation
import Logging
package import Outgoing
import Portal
import ServerBase
package import TernEvents
import Warehouse
import WarehouseSQLite

/// The operator's settings for sending notifications.
package struct OutgoingSettings: Sendable {
  package var mail: (server: MailServer, from: MailAddress)?
  /// The addresses to which webhooks may go.
  package var addresses = AddressPolicy()
  /// The address of the portal for links; `nil` if the operator has set none.
  package var portal: String?

  /// Creates the settings of a server that sends webhooks to the internet, but no mails.
  package init() {}

  /// Creates the client that sends.
  package func client(_ catalog: Catalog, wallTime: @escaping @Sendable () -> Timestamp) throws -> OutgoingClient {
    OutgoingClient(
      .init(mail: mail, addresses: addresses, secret: try catalog.webhookSecret()), wallTime: wallTime)
  }
}

extension AlertService {
  /// Creates the service of a server.
  init(
    _ catalog: Catalog, _ warehouse: SQLiteWarehouse, _ outgoing: OutgoingSettings, problems: ServerProblems,
    logger: Logger
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
        crashes: { try await observer.crashes($0, behind: $1, now: $2) }),
      delivery: AlertDelivery(
        catalog: catalog,
        send: { message, destination throws(OutgoingError) in try await client.send(message, to: destination) },
        portal: outgoing.address(catalog)),
      logger: logger)
  }
}

extension MailReportService {
  /// Creates the service of a server.
  init(_ catalog: Catalog, _ warehouse: SQLiteWarehouse, _ outgoing: OutgoingSettings, logger: Logger) throws {
    let composer = MailReportComposer(
      catalog: catalog, reader: warehouse.reader, pages: try PortalPages(collector: ""),
      uptime: Clocks.systemUptime, sleep: { try await Task.sleep(for: $0) })
    self.init(
      catalog: catalog,
      evaluator: MailReportEvaluator(
        catalog: catalog, compose: { try await composer.compose($0, $1, $2, now: $3) }, newID: OutgoingSettings.newID,
        portal: outgoing.address(catalog)),
      logger: logger)
  }
}

extension OutgoingSettings {
  fileprivate static let newID: @Sendable (Timestamp) -> UniqueID = { time in
    var generator = SystemRandomNumberGenerator()
    return UniqueID.timeOrdered(at: time, using: &generator)
  }

  /// The address of the portal in links: the one that the operator has set, or the one at which the server listens.
  fileprivate func address(_ catalog: Catalog) -> @Sendable () -> String? {
    { [portal] in portal ?? (try? catalog.setting(LocalServer.addressSetting)).flatMap { $0 } }
  }
}
