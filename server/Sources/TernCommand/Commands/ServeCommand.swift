import AppCatalog
import ArgumentParser
import Foundation
import HTTP
import Logging
import TernServer
import Warehouse
import WarehouseSQLite
import WarehouseUpkeep

/// `tern serve`
struct ServeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve", abstract: "Collect events and show reports, until Ctrl-C.",
    discussion: """
      The first start creates the data directory. Until the first login each start prints a link to the portal.

      Examples:
        tern serve
        tern serve --data /var/lib/tern --port 9000
        tern serve --host 0.0.0.0                    reachable from other machines
        tern serve --trusted-proxy 127.0.0.1         behind a proxy on this machine
        tern serve --tls-cert tern.pem --tls-key tern.key --port 443
        tern serve --backup-to /mnt/backups          with a backup each day
        tern serve --sign-in /etc/tern/sign-in.json  with the company's single sign-on
        tern serve --clickhouse http://db1:8123      with a copy of every row on a ClickHouse cluster

      Each option is also an environment variable (TERN_PORT=9000) and a member of the file of settings ({"port": 9000}).
      `tern config` shows all of them.
      """)

  @OptionGroup var data: DataOption

  @OptionGroup var options: SettingOptions

  func run() async throws {
    let settings = try options.settings(data)
    let (directory, host) = try (settings.value(\.data), settings.value(\.host))
    let configuration = try Self.configuration(settings)
    // Check first: a mistyped host or a busy port must not leave a new data directory behind.
    try await CollectorServer.check(configuration)
    let showsAddresses = try settings.value(\.accessLogAddresses)
    let accessLog = try settings.value(\.accessLog).map {
      try AccessLog(path: $0, showsAddresses: showsAddresses)
    }
    let (interval, kept) = try (
      settings.value(\.backupEvery), settings.value(\.keepBackups)
    )
    let (cluster, keepsAtHome) = try (ClusterConnection(settings), settings.value(\.keepAtHome))
    guard cluster != nil || keepsAtHome == nil else {
      throw ServerFailure("--keep-at-home needs a cluster that has the older rows. Name it with --clickhouse.")
    }
    let recognized = try settings.value(\.recognizeDuplicates) + SQLiteWarehouse.keyMargin
    if let keepsAtHome, keepsAtHome < recognized {
      LocalServer.standardLogger.warning(
        """
        Rows stay at home for \(recognized.components.seconds / 86_400) days, longer than --keep-at-home says, because their \
        duplicates are recognized until then. A shorter --recognize-duplicates lets them leave earlier.
        """)
    }
    let signOn = try SignOnSettings(settings)
    for warning in try SecretFile.warnings(settings, signOn) { LocalServer.standardLogger.warning("\(warning)") }
    let refusedPasswords = try settings.value(\.refusedPasswords).map { path in
      let list = try RefusedPasswords(path: path)
      LocalServer.standardLogger.notice("\(list.count) passwords of \(path) are refused.")
      return list
    }
    try DataAccess.check(directory)
    let isNew = !FileManager.default.fileExists(atPath: directory + "/catalog.sqlite")
    let server = try LocalServer(
      directory: directory, viewCacheBytes: settings.value(\.viewCacheSize),
      diskReserve: Int64(settings.value(\.diskReserve)), recognizedAge: settings.value(\.recognizeDuplicates),
      backups: settings.value(\.backupTo).map { BackupSeries(path: $0, interval: interval, kept: kept) },
      scrubPeriod: settings.value(\.scrubEvery), accessLog: accessLog, cluster: cluster, keepsAtHome: keepsAtHome,
      symbolizer: settings.value(\.symbolizer),
      outgoing: OutgoingSettings(settings), providers: signOn.providers,
      refusedPasswords: refusedPasswords ?? RefusedPasswords())
    if isNew {
      LocalServer.standardLogger.notice(
        """
        \(directory) had no data: a new server begins there. If you expected data, its disk isn't mounted: stop this server, then \
        mount the disk.
        """)
    }
    let catalog = server.catalog
    try await server.run(configuration) { port in
      let address = Self.address(host: host, port: port, isSecure: configuration.tls != nil)
      let others = ["0.0.0.0", "::"].contains(host) ? " and all other addresses of this machine" : ""
      LocalServer.standardLogger.info("Tern listens on \(address)\(others), data in \(directory)")
      do {
        try catalog.setSetting(LocalServer.addressSetting, to: address)
        let isTerminal = isatty(STDOUT_FILENO) == 1
        try Self.firstLogin(at: address, catalog, directory: directory, isTerminal: isTerminal).map(Terminal.say)
      } catch {
        Terminal.complain("tern: cannot write to the catalog: \(error)")
      }
    }
  }

  /// Returns the address and policies of the collector.
  private static func configuration(_ settings: EffectiveSettings) throws -> CollectorServer.Configuration {
    let (certificate, key) = try (settings.value(\.tlsCert), settings.value(\.tlsKey))
    guard (certificate == nil) == (key == nil) else {
      throw ServerFailure("A certificate and its key belong together. Set tls-cert and tls-key, or neither.")
    }
    let tls = certificate.flatMap { certificate in key.map { TLSFiles(certificate: certificate, key: $0) } }
    let (proxies, loginHeader) = try (settings.value(\.trustedProxy), settings.value(\.loginHeader))
    guard loginHeader == nil || !proxies.isEmpty else {
      throw ServerFailure("--login-header needs a proxy that sends it. Name its address with --trusted-proxy.")
    }
    return try CollectorServer.Configuration(
      host: settings.value(\.host), port: settings.value(\.port), tls: tls,
      settings: CollectorSettings(
        unknownSecret: settings.value(\.unknownSecret),
        trustedProxies: proxies,
        hasPublicMetrics: settings.value(\.publicMetrics),
        addressLimits: UsageLimits(
          requestsPerSecond: settings.value(\.addressRequestsPerSecond),
          eventsPerSecond: settings.value(\.addressEventsPerSecond),
          bytesPerDay: settings.value(\.addressBytesPerDay),
          installsPerDay: settings.value(\.addressInstallsPerDay)),
        maximumEventAge: settings.value(\.recognizeDuplicates), loginHeader: loginHeader,
        portalAddress: settings.value(\.portalUrl)))
  }

  /// Returns the address for a browser on this machine.
  static func address(host: String, port: Int, isSecure: Bool = false) -> String {
    let name =
      switch host {
      case "0.0.0.0": "127.0.0.1"
      case "::": "[::1]"
      default: host.contains(":") ? "[\(host)]" : host
      }
    return "\(isSecure ? "https" : "http")://\(name):\(port)"
  }

  /// Returns the text with the first login link, or `nil` once the server is in use. Without a terminal the link is in a
  /// file that only its owner can read, because others can read a journal.
  static func firstLogin(
    at address: String, _ catalog: Catalog, directory: String, isTerminal: Bool
  ) throws -> String? {
    let file = directory + "/login-link"
    guard try !catalog.isInUse() else {
      try? FileManager.default.removeItem(atPath: file)
      return nil
    }
    let link = try LoginLinkCommand.link(to: address, catalog)
    if !isTerminal { try write(link, toPrivate: file) }
    return """

      Open the portal (works once, for 15 minutes; `tern login-link` prints a new link):
        \(isTerminal ? link : "The link is in \(file)")

      """
  }

  private static func write(_ link: String, toPrivate file: String) throws {
    // A new file each time: an existing one could be open elsewhere, or have other permissions.
    try? FileManager.default.removeItem(atPath: file)
    let descriptor = open(file, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw ServerFailure("\(file) can't be created.") }
    let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    try handle.write(contentsOf: Data("\(link)\n".utf8))
    try handle.close()
  }
}
