import AppCatalog
import Collector
import Foundation
import Logging
import Outgoing
import Portal
import ServerBase
import TernEvents
import Warehouse
import WarehouseSQLite

/// The operator's settings for sending notifications.
struct OutgoingSettings: Sendable {
  private var mail: (server: MailServer, from: MailAddress)?
  private var addresses = AddressPolicy()
  /// The address of the portal for links; `nil` if the operator has set none.
  private(set) var portal: String?

  /// Creates the settings of a server that sends webhooks to the internet, but no mails.
  init() {}

  /// Reads the settings.
  ///
  /// Throws ``CommandFailure`` if settings contradict each other, or a file can't be read.
  init(_ settings: EffectiveSettings) throws {
    addresses = AddressPolicy(allowing: try settings.value(\.allowWebhooksTo))
    portal = try settings.value(\.portalUrl)
    guard var server = try settings.value(\.smtp) else { return }
    guard let from = try settings.value(\.mailFrom) else {
      throw CommandFailure("Mails need a sender. Set --mail-from, for example to tern@example.org.")
    }
    server.user = try settings.value(\.smtpUser)
    server.password = try Self.password(settings)
    guard (server.user == nil) == (server.password == nil) else {
      throw CommandFailure(
        "The user and the password for the mail server belong together. Set --smtp-user and --smtp-password-file, or neither."
      )
    }
    server.authorities = try settings.value(\.smtpCa)
    if let authorities = server.authorities, !FileManager.default.isReadableFile(atPath: authorities) {
      throw CommandFailure("\(authorities) can't be read. Check --smtp-ca and the file's permissions.")
    }
    mail = (server, from)
  }

  private static func password(_ settings: EffectiveSettings) throws -> String? {
    guard let path = try settings.value(\.smtpPasswordFile) else { return try settings.value(\.smtpPassword) }
    guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
      throw CommandFailure("\(path) can't be read. Check --smtp-password-file and the file's permissions.")
    }
    guard let line = text.split(whereSeparator: \.isNewline).first, !line.isEmpty else {
      throw CommandFailure("\(path) is empty. Put the password into its first line.")
    }
    return String(line)
  }

  /// Creates the client that sends.
  func client(_ catalog: Catalog, wallTime: @escaping @Sendable () -> Timestamp) throws -> OutgoingClient {
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
      uptime: CollectorDependencies.systemUptime, sleep: { try await Task.sleep(for: $0) })
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
