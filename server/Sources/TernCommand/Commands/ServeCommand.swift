import AppCatalog
import ArgumentParser
import Collector
import Foundation
import Logging
import Warehouse
import WarehouseSQLite

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
        tern serve --backup-to /mnt/backups          with a backup each day, of which 7 are kept
      """)

  @OptionGroup var data: DataOption

  @Option(help: ArgumentHelp("The address to listen on.", valueName: "address"))
  var host = "127.0.0.1"

  @Option(parsing: .unconditional, help: ArgumentHelp("The port to listen on; 0 for a free one.", valueName: "number"))
  var port: UInt16 = 8787

  @Option(
    help: ArgumentHelp(
      "The response to App Center clients with unknown secrets: retry-later, reject or discard.", valueName: "policy"),
    transform: { try choice($0) })
  var unknownSecret = UnknownSecretPolicy.retryLater

  @Option(
    help: ArgumentHelp(
      "A proxy trusted to name the client in X-Forwarded-For: an address or a block such as 10.0.0.0/8; repeatable. "
        + "By default the header is ignored.", valueName: "address"),
    transform: Self.proxy)
  var trustedProxy: [AddressBlock] = []

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "The maximum memory for counted days of views, for example 64MiB, 1GiB or 0.", valueName: "size"),
    transform: { try size($0, option: "--view-cache-size") })
  var viewCacheSize = SQLiteWarehouse.standardViewCacheBytes

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "The free disk space below which nothing is collected, for example 1GiB; 0 to fill the disk.", valueName: "size"),
    transform: { try size($0, option: "--disk-reserve") })
  var diskReserve = 256 << 20

  @Flag(help: "Show /metrics without a token.")
  var publicMetrics = false

  @Option(help: ArgumentHelp("A directory for regular backups; without it there are none.", valueName: "directory"))
  var backupTo: String?

  @Option(
    help: ArgumentHelp("The time between backups, for example 6h or 1d.", valueName: "time"), transform: Period.time)
  var backupEvery: Duration = .seconds(86_400)

  @Option(parsing: .unconditional, help: ArgumentHelp("The number of backups to keep.", valueName: "number"))
  var keepBackups = 7

  func validate() throws {
    guard keepBackups > 0 else { throw ValidationError("--keep-backups must be positive.") }
    guard backupTo != "" else { throw ValidationError("--backup-to must not be empty.") }
    guard !host.isEmpty else { throw ValidationError("--host needs an address, for example 127.0.0.1.") }
  }

  func run() async throws {
    let (directory, host) = (data.directory, host)
    let configuration = CollectorServer.Configuration(
      host: host, port: Int(port),
      settings: CollectorSettings(
        unknownSecret: unknownSecret, trustedProxies: trustedProxy, hasPublicMetrics: publicMetrics))
    // Check first: a mistyped host or a busy port must not leave a new data directory behind.
    try await CollectorServer.checkAddress(configuration)
    let backups = backupTo.map {
      BackupSeries(path: URL(filePath: $0).standardizedFileURL.path, interval: backupEvery, kept: keepBackups)
    }
    let server = try LocalServer(
      directory: directory, viewCacheBytes: viewCacheSize, diskReserve: Int64(diskReserve), backups: backups)
    let catalog = server.catalog
    try await server.run(configuration) { port in
      let address = Self.address(host: host, port: port)
      LocalServer.standardLogger.info("Tern listens on \(address), data in \(directory)")
      do {
        try catalog.setSetting(LocalServer.addressSetting, to: address)
        let isTerminal = isatty(STDOUT_FILENO) == 1
        try Self.firstLogin(at: address, catalog, directory: directory, isTerminal: isTerminal).map(Terminal.say)
      } catch {
        Terminal.complain("tern: cannot write to the catalog: \(error)")
      }
    }
  }

  /// Parses a number of bytes, KiB, MiB or GiB.
  static func size(_ text: String, option: String) throws -> Int {
    let units = [("KiB", 10), ("MiB", 20), ("GiB", 30)]
    let unit = units.first { text.hasSuffix($0.0) }
    let digits = text.dropLast(unit?.0.count ?? 0)
    guard let number = Int(digits), number >= 0, number <= Int.max >> (unit?.1 ?? 0) else {
      throw ValidationError("\(option) needs a size such as 256MiB.")
    }
    return number << (unit?.1 ?? 0)
  }

  /// Returns the address for a browser on this machine.
  static func address(host: String, port: Int) -> String {
    let name =
      switch host {
      case "0.0.0.0": "127.0.0.1"
      case "::": "[::1]"
      default: host.contains(":") ? "[\(host)]" : host
      }
    return "http://\(name):\(port)"
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
    guard descriptor >= 0 else { throw CommandFailure("\(file) can't be created.") }
    let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    try handle.write(contentsOf: Data("\(link)\n".utf8))
    try handle.close()
  }

  private static func proxy(_ text: String) throws -> AddressBlock {
    guard let block = AddressBlock(text) else {
      throw ValidationError("Enter an address such as 127.0.0.1, or a block such as 10.0.0.0/8 or fd00::/8.")
    }
    return block
  }
}
