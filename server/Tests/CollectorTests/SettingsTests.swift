import ArgumentParser
import Foundation
import Ingest
import Testing

@testable import Ingestion
@testable import TernCommand
@testable import TernServer
@testable import Warehouse

/// Tests settings from options, the environment and a file.
@Suite struct SettingsTests {
  private func file(_ text: String) throws -> SettingsFile {
    try SettingsFile(path: "/etc/tern.json", bytes: Array(text.utf8))
  }

  private func message(_ body: () throws -> Void) throws -> String {
    CommandEnding(try #require(throws: (any Error).self, performing: body)).text?.replacing(
      "tern: ", with: "", maxReplacements: 1) ?? ""
  }

  @Test func `an option comes before the environment, then the file, then the default`() throws {
    var settings = EffectiveSettings(
      options: ["port": ["1"]], environment: ["TERN_PORT": "2"], file: try file(#"{"port": 3}"#))
    #expect(try settings.value(\.port) == 1)
    #expect(settings.texts(ServerSettings.table.port).1 == .option("--port"))
    settings.options = [:]
    #expect(try settings.value(\.port) == 2)
    #expect(settings.texts(ServerSettings.table.port).1 == .environment("TERN_PORT"))
    settings.environment["TERN_PORT"] = ""
    #expect(try settings.value(\.port) == 3)
    #expect(settings.texts(ServerSettings.table.port).1 == .file("/etc/tern.json", name: "port"))
    settings.file = nil
    #expect(try settings.value(\.port) == 8_787)
    #expect(settings.texts(ServerSettings.table.port).1 == .standard)
  }

  @Test func `every setting can be set in each place`() throws {
    let texts = [
      "data": "/srv", "host": "::", "port": "0", "tls-cert": "/c", "tls-key": "/k", "unknown-secret": "reject",
      "trusted-proxy": "10.0.0.0/8",
      "view-cache-size": "1GiB", "disk-reserve": "0", "recognize-duplicates": "30d", "keep-at-home": "90d",
      "public-metrics": "true",
      "access-log": "-",
      "access-log-addresses": "true", "symbolizer": "/s", "backup-to": "/b", "backup-every": "6h", "scrub-every": "0",
      "keep-backups": "2", "address-requests-per-second": "50", "address-events-per-second": "60",
      "address-bytes-per-day": "70MiB", "address-installs-per-day": "80", "clickhouse": "http://a:1",
      "clickhouse-user": "u", "clickhouse-password": "p", "clickhouse-credentials": "/f", "clickhouse-database": "d",
      "clickhouse-ca": "/a", "clickhouse-attachments": "true", "smtp": "smtps://mail.example.org", "smtp-user": "u",
      "smtp-password": "p", "smtp-password-file": "/f", "smtp-ca": "/a", "mail-from": "a@example.org",
      "allow-webhooks-to": "10.0.0.0/8", "portal-url": "https://tern.example.org", "sign-in": "/s.json",
      "login-header": "X-Forwarded-User", "refused-passwords": "/p",
    ]
    let help = ServeCommand.helpMessage(columns: 1_000).split { !$0.isLetter && $0 != "-" }
    for setting in ServerSettings.all {
      let text = try #require(texts[setting.name], "\(setting.name) has no example here")
      for settings in [
        EffectiveSettings(options: [setting.name: [text]]), EffectiveSettings(environment: [setting.variable: text]),
        EffectiveSettings(file: try file("{\"\(setting.name)\": \"\(text)\"}")),
      ] {
        try settings.check()
        #expect(settings.texts(setting).0 == [text])
      }
      #expect(help.contains("--\(setting.name)") == !setting.isSecret, "\(setting.name)")
    }
    #expect(ServerSettings.all.count == texts.count)
  }

  @Test func `each option gets to its setting`() throws {
    let arguments = [
      "serve", "--data", "/d", "--host", "::1", "--port", "1", "--tls-cert", "/c", "--tls-key", "/k",
      "--unknown-secret", "discard", "--trusted-proxy", "::2",
      "--view-cache-size", "3KiB", "--disk-reserve", "4", "--recognize-duplicates", "7d", "--keep-at-home", "90d",
      "--no-public-metrics",
      "--access-log", "-", "--access-log-addresses", "--symbolizer", "/s", "--backup-to", "/b", "--backup-every",
      "5m", "--keep-backups", "6", "--scrub-every", "8d", "--address-requests-per-second", "7",
      "--address-events-per-second", "8",
      "--address-bytes-per-day", "9KiB", "--address-installs-per-day", "10", "--clickhouse",
      "http://a:1,https://b", "--clickhouse-user", "u", "--clickhouse-credentials", "/c", "--clickhouse-database", "d",
      "--clickhouse-ca", "/a", "--clickhouse-attachments", "--smtp", "smtp://localhost", "--smtp-user", "u",
      "--smtp-password-file", "/f", "--smtp-ca", "/a", "--mail-from", "a@example.org", "--allow-webhooks-to", "all",
      "--portal-url", "https://tern.example.org/", "--sign-in", "/s", "--login-header", "Remote-User",
      "--refused-passwords", "/p",
    ]
    let command = try #require(try RootCommand.parseAsRoot(arguments) as? ServeCommand)
    let settings = try command.options.settings(command.data)
    for setting in ServerSettings.all where !setting.isSecret {
      #expect(settings.texts(setting).1 == .option("--\(setting.name)"))
    }
    #expect(try settings.value(\.clickhouse)?.map { "\($0)" } == ["http://a:1", "https://b"])
    #expect(try settings.value(\.viewCacheSize) == 3_072)
    #expect(try settings.value(\.backupEvery) == .seconds(300))
    #expect(try settings.value(\.scrubEvery) == .seconds(8 * 86_400))
    #expect(try EffectiveSettings(options: ["scrub-every": ["0"]]).value(\.scrubEvery) == nil)
    #expect(try settings.value(\.publicMetrics) == false)
    #expect(try settings.value(\.allowWebhooksTo).count == 2)
    #expect(try settings.value(\.portalUrl) == "https://tern.example.org")
  }

  @Test func `events may be as old as duplicates are recognized, of App Center at most 25 days`() throws {
    let days = { (text: String) in
      try EffectiveSettings(options: ["recognize-duplicates": [text]]).value(\.recognizeDuplicates)
    }
    for (text, native, appCenter) in [("7d", 7, 7), ("30d", 30, 25), ("400d", 400, 25)] {
      let settings = CollectorSettings(
        unknownSecret: .retryLater, trustedProxies: [], hasPublicMetrics: false, addressLimits: .address,
        maximumEventAge: try days(text))
      #expect(settings.protocols.native.maximumAge == .seconds(native * 86_400))
      #expect(settings.protocols.measurement.maximumAge == .seconds(native * 86_400))
      #expect(settings.protocols.appCenter.maximumAge == .seconds(appCenter * 86_400))
    }
    for text in ["6d", "401d", "1mo", "forever", ""] { #expect(throws: (any Error).self) { try days(text) } }
  }

  @Test func `lists are JSON lists, or have commas in the environment`() throws {
    let addresses = ["10.0.0.0/8", "::1"]
    for settings in [
      EffectiveSettings(environment: ["TERN_TRUSTED_PROXY": "10.0.0.0/8, ::1"]),
      EffectiveSettings(file: try file(#"{"trusted-proxy": ["10.0.0.0/8", "::1"]}"#)),
    ] {
      #expect(settings.texts(ServerSettings.table.trustedProxy).0 == addresses)
      #expect(try settings.value(\.trustedProxy).count == 2)
    }
  }

  @Test(arguments: [
    (#"{"prot": 1}"#, #"There is no setting "prot" (in /etc/tern.json). The settings are data, host, port"#),
    (#"{"port": 1, "port": 2}"#, #""port" is given twice in /etc/tern.json."#),
    (#"{"port": null}"#, #""port" in /etc/tern.json must be a text, a number, true or false."#),
    (#"{"port": [1]}"#, #""port" in /etc/tern.json must be a text, a number, true or false."#),
    (#"{"trusted-proxy": [[]]}"#, #""trusted-proxy" in /etc/tern.json must be a text or a list of texts."#),
    (#"[]"#, "/etc/tern.json must contain one JSON object"), ("", "/etc/tern.json: This is not JSON"),
    (#"{"port": "x"}"#, #"The value "x" of "port" in /etc/tern.json is invalid. Enter a number from 0 to 65535."#),
    (#"{"port": 1.5}"#, #"The value "1.5" of "port" in /etc/tern.json is invalid."#),
    (#"{"public-metrics": "yes"}"#, #"of "public-metrics" in /etc/tern.json is invalid. Enter true or false."#),
    (#"{"unknown-secret": true}"#, "Choose one of retry-later, reject, discard."),
  ]) func `a mistake in the file is one line with the file, the member and what is allowed`(
    text: String, message: String
  ) throws {
    let line = try self.message { try EffectiveSettings(file: file(text)).check() }
    #expect(line.contains(message) && !line.contains("\n"), "\(line)")
  }

  @Test func `a mistake in the environment names the variable`() throws {
    let line = try message { try EffectiveSettings(environment: ["TERN_KEEP_BACKUPS": "0"]).check() }
    #expect(line == #"The value "0" of TERN_KEEP_BACKUPS is invalid. Enter a number from 1 to 1000000."#)
  }

  @Test func `the file in the data directory is found, but can't name another directory`() throws {
    let directory = FileManager.default.temporaryDirectory.appending(path: "tern-settings-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: directory) }
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    let path = directory.appending(path: "config.json")
    var settings = EffectiveSettings()
    try settings.addFile(inDirectory: directory.path)
    #expect(settings.file == nil)
    try Data(#"{"port": 5}"#.utf8).write(to: path)
    try settings.addFile(inDirectory: directory.path)
    #expect(try settings.value(\.port) == 5)
    try Data(#"{"data": "/elsewhere"}"#.utf8).write(to: path)
    var others = EffectiveSettings()
    #expect(throws: ServerFailure.self) { try others.addFile(inDirectory: directory.path) }
    // A file that is named can, and every command follows it.
    let data = try DataOption.parse(["--config", path.path])
    #expect(data.directory == "/elsewhere")
    #expect(try DataOption.parse(["--config", path.path, "--data", "/here"]).directory == "/here")
    let variables = ["TERN_CONFIG": path.path, "TERN_DATA": "/there"]
    #expect(try DataOption.parse([]).settings(environment: variables).value(\.data) == "/there")
  }

  @Test func `secrets are not shown, neither as values nor in mistakes`() throws {
    var secret = Setting("mail-password", "text", "The password.") { text in
      guard text.count > 3 else { throw ValidationError("Enter four characters.") }
      return text
    }
    secret.isSecret = true
    let good = ConfigCommand.listing(EffectiveSettings(environment: ["TERN_MAIL_PASSWORD": "hunter2"]), of: [secret])
    #expect(good.contains("(secret)") && good.contains("TERN_MAIL_PASSWORD") && !good.contains("hunter2"))
    #expect(ConfigCommand.listing(EffectiveSettings(), of: [secret]).contains(/mail-password +- +default/))
    let plain = Setting("mail-server", "address", "The mail server.") { $0 }
    let listed = ConfigCommand.listing(
      EffectiveSettings(environment: ["TERN_MAIL_SERVER": "smtp://tern:hunter2@mail:25"]), of: [plain])
    #expect(listed.contains("(secret)") && !listed.contains("hunter2"))
    let line = try message { try EffectiveSettings(environment: ["TERN_MAIL_PASSWORD": "abc"]).check([secret]) }
    #expect(!line.contains("abc") && line.contains("Enter four characters."))
    let address = try message {
      try EffectiveSettings(options: ["clickhouse": ["http://tern:hunter2@db1:8123"]]).check()
    }
    #expect(!address.contains("hunter2") && address.contains("Give them in a file."))
  }
}
