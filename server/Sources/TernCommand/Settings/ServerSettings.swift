import ArgumentParser
import ClickHouse
import Foundation
import Ingestion
import ServerBase
import TernServer
import Warehouse
import WarehouseSQLite

/// The settings of `tern serve`. Environment variables, the file of settings and `tern config` come from this table; each
/// setting also has a line in ``SettingOptions``, because the parser of the command line wants a variable for each option.
struct ServerSettings: Sendable {
  let data = Setting("data", "directory", "The data directory.", standard: "./tern-data", parse: Self.path)
  let host = Setting(
    "host", "address", "The address to listen on.", standard: "127.0.0.1",
    parse: { try Self.notEmpty($0, "Enter an address such as 127.0.0.1.") })
  let port = Setting(
    "port", "number", "The port to listen on; 0 for a free one.", standard: "8787",
    parse: { try Self.number($0, 0...65_535) })
  let tlsCert = Setting(
    "tls-cert", "file", "The certificate for https in PEM format, followed by those of its issuers.", parse: Self.path)
  let tlsKey = Setting(
    "tls-key", "file", "The private key of the certificate in PEM format.", parse: Self.path)
  let unknownSecret = Setting<UnknownSecretPolicy>(
    "unknown-secret", "policy",
    "The response to App Center clients with unknown secrets: retry-later, reject or discard.", standard: "retry-later",
    parse: { try choice($0) })
  let trustedProxy = Setting(
    list: "trusted-proxy", "address",
    "A proxy trusted to name the client in X-Forwarded-For: an address or a block such as 10.0.0.0/8; repeatable. "
      + "By default the header is ignored.", parse: Self.proxy)
  let viewCacheSize = Setting(
    "view-cache-size", "size", "The maximum memory for counted days of views, for example 64MiB, 1GiB or 0.",
    standard: "256MiB", parse: Self.size)
  let diskReserve = Setting(
    "disk-reserve", "size",
    "The free disk space below which nothing is collected, for example 1GiB; 0 to fill the disk, which damages files on encfs and "
      + "gocryptfs with -noprealloc.", standard: "256MiB", parse: Self.size)
  let recognizeDuplicates = Setting(
    "recognize-duplicates", "days",
    "The age up to which events are accepted, since a second delivery is recognized that long: 7d to 400d.",
    standard: "400d", parse: Self.recognizedAge)
  let addressRequestsPerSecond = Setting(
    "address-requests-per-second", "number",
    "The requests with events that one client address may send per second, averaged over a minute.",
    standard: "\(UsageLimits.address.requestsPerSecond)", parse: { try Self.number($0, 1...1_000_000_000) })
  let addressEventsPerSecond = Setting(
    "address-events-per-second", "number",
    "The events that one client address may send per second, averaged over a minute.",
    standard: "\(UsageLimits.address.eventsPerSecond)", parse: { try Self.number($0, 1...1_000_000_000) })
  let addressBytesPerDay = Setting(
    "address-bytes-per-day", "size",
    "The bytes that the server stores for one client address per day; never more than a quarter of the free disk space.",
    standard: "\(UsageLimits.address.bytesPerDay >> 30)GiB", parse: { max(1, try Self.size($0)) })
  let addressInstallsPerDay = Setting(
    "address-installs-per-day", "number", "The new installs that one client address may bring per day.",
    standard: "\(UsageLimits.address.installsPerDay)", parse: { try Self.number($0, 1...1_000_000_000) })
  let publicMetrics = Setting(flag: "public-metrics", "Show /metrics without a token.")
  let accessLog = Setting(
    "access-log", "file", "A file for one line of JSON per request; - for standard output. By default there is none.",
    parse: { $0 == "-" ? $0 : try Self.path($0) })
  let accessLogAddresses = Setting(
    flag: "access-log-addresses", "Log the clients' addresses, too; of IPv6 only the first half.")
  let symbolizer = Setting(
    "symbolizer", "program", "The program llvm-symbolizer, which reads symbols: its name or path.",
    standard: "llvm-symbolizer", parse: { try Self.notEmpty($0, "Enter a name or a path.") })
  let backupTo = Setting(
    "backup-to", "directory", "A directory for regular backups; without it there are none.", parse: Self.path)
  let backupEvery = Setting(
    "backup-every", "time", "The time between backups, for example 6h or 1d.", standard: "1d", parse: Period.time)
  let keepBackups = Setting(
    "keep-backups", "number", "The number of backups to keep.", standard: "7",
    parse: { try Self.number($0, 1...1_000_000) })
  let scrubEvery = Setting<Duration?>(
    "scrub-every", "time",
    "The time in which each file of events, keys, columns and backups is read and checked for damage once, for example 30d; "
      + "0 for never.", standard: "30d", parse: { $0 == "0" ? nil : try Period.time($0) })
  let clickhouse = Setting(
    "clickhouse", "addresses",
    "The servers of a ClickHouse cluster to which every row is copied, such as http://db1:8123,http://db2:8123.",
    parse: Self.clickHouseServers)
  let keepAtHome = Setting(
    "keep-at-home", "time",
    "The time after which rows leave this server for the cluster, for example 90d; never earlier than recognize-duplicates and "
      + "30 days. By default they stay.",
    parse: Period.time)
  let clickhouseUser = Setting(
    "clickhouse-user", "name", "The user on the cluster.", standard: "default",
    parse: { try Self.notEmpty($0, "Enter a name.") })
  let clickhousePassword = Setting<String?>(
    name: "clickhouse-password", valueName: "text", explanation: "The user's password on the cluster.", standard: nil,
    isList: false, isSecret: true, parse: { $0.last })
  let clickhouseCredentials = Setting(
    "clickhouse-credentials", "file",
    "A file with user:password for the cluster in its first line, instead of clickhouse-user and clickhouse-password.",
    parse: Self.path)
  let clickhouseDatabase = Setting(
    "clickhouse-database", "name", "The database of the tables on the cluster.", standard: "default",
    parse: Self.databaseName)
  let clickhouseCa = Setting(
    "clickhouse-ca", "file",
    "The certificates in PEM format of the authorities that are trusted for https to ClickHouse; by default the system's.",
    parse: Self.path)
  let clickhouseAttachments = Setting(
    flag: "clickhouse-attachments", "Copy the attachments of errors to the cluster, too.")
  let smtp = Setting(
    "smtp", "address",
    "The mail server, such as smtp://mail.example.org:587, which needs STARTTLS, or smtps://mail.example.org.",
    parse: Self.mailServer)
  let smtpUser = Setting(
    "smtp-user", "name", "The user on the mail server.", parse: { try Self.notEmpty($0, "Enter a name.") })
  let smtpPassword = Setting<String?>(
    name: "smtp-password", valueName: "text", explanation: "The user's password on the mail server.", standard: nil,
    isList: false, isSecret: true, parse: { $0.last })
  let smtpPasswordFile = Setting(
    "smtp-password-file", "file",
    "A file with the user's password on the mail server in its first line, instead of smtp-password.", parse: Self.path)
  let smtpCa = Setting(
    "smtp-ca", "file",
    "The certificates in PEM format of the authorities that are trusted for the mail server; by default the system's.",
    parse: Self.path)
  let mailFrom = Setting("mail-from", "address", "The sender of mails; needed with smtp.", parse: Self.mailAddress)
  let allowWebhooksTo = Setting<[AddressBlock]>(
    name: "allow-webhooks-to", valueName: "address",
    explanation:
      "An address inside a network that webhooks may be sent to, a block such as 10.0.0.0/8, or all; repeatable. By "
      + "default they go to addresses of the internet only.", standard: nil, isList: true,
    parse: { try $0.flatMap(Self.webhookAddresses) })
  let portalUrl = Setting(
    "portal-url", "address",
    "The address of the portal for links in notifications and for unsubscribing, such as https://tern.example.org.",
    parse: Self.portalAddress)

  let signIn = Setting(
    "sign-in", "file", "A file with the providers with which people sign in (OpenID Connect), as JSON.",
    parse: Self.path)
  let loginHeader = Setting(
    "login-header", "name",
    "The header in which a proxy that is named with --trusted-proxy says who is logged in, such as X-Forwarded-User. By "
      + "default there is none.", parse: Self.headerName)

  let refusedPasswords = Setting(
    "refused-passwords", "file",
    "A file of passwords that no one may choose, one per line, or of their SHA-1 hashes; at most 64 MiB.",
    parse: Self.path)

  static let table = ServerSettings()
  /// All settings, in the order in which they are declared and shown.
  static let all = Mirror(reflecting: table).children.compactMap { $0.value as? any SettingDescription }
}

extension ServerSettings {
  /// Parses a number of bytes, KiB, MiB or GiB.
  @Sendable static func size(_ text: String) throws -> Int {
    let units = [("KiB", 10), ("MiB", 20), ("GiB", 30)]
    let unit = units.first { text.hasSuffix($0.0) }
    let digits = text.dropLast(unit?.0.count ?? 0)
    guard let number = Int(digits), number >= 0, number <= Int.max >> (unit?.1 ?? 0) else {
      throw ValidationError("Enter a size such as 256MiB.")
    }
    return number << (unit?.1 ?? 0)
  }

  @Sendable private static func clickHouseServers(_ text: String) throws -> [ClickHouseServer] {
    do throws(ClickHouseError) {
      var servers: [ClickHouseServer] = []
      for part in text.split(separator: ",") {
        servers.append(try ClickHouseServer(part.trimmingCharacters(in: .whitespaces)))
      }
      return servers
    } catch {
      throw ValidationError(error.message)
    }
  }

  @Sendable private static func databaseName(_ text: String) throws -> String {
    // It stands in statements.
    guard !text.isEmpty, text.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }) else {
      throw ValidationError("Enter a name of letters, digits and underscores.")
    }
    return text
  }

  @Sendable private static func recognizedAge(_ text: String) throws -> Duration {
    // Devices keep events for 25 days at most; events of more than 400 days were never accepted.
    guard case .days(let days) = KeepingPeriod(text), (7...400).contains(days) else {
      throw ValidationError("Enter a number of days from 7d to 400d.")
    }
    return .seconds(days * 86_400)
  }

  private static func number(_ text: String, _ allowed: ClosedRange<Int>) throws -> Int {
    guard let number = Int(text), allowed.contains(number) else {
      throw ValidationError("Enter a number from \(allowed.lowerBound) to \(allowed.upperBound).")
    }
    return number
  }

  private static func notEmpty(_ text: String, _ message: String) throws -> String {
    guard !text.isEmpty else { throw ValidationError(message) }
    return text
  }

  /// Returns an absolute path. An unset variable in a script would otherwise mean the working directory.
  @Sendable private static func path(_ text: String) throws -> String {
    URL(filePath: try notEmpty(text, "Enter a path.")).standardizedFileURL.path
  }

  @Sendable private static func proxy(_ text: String) throws -> AddressBlock {
    guard let block = AddressBlock(text) else {
      throw ValidationError("Enter an address such as 127.0.0.1, or a block such as 10.0.0.0/8 or fd00::/8.")
    }
    return block
  }
}
