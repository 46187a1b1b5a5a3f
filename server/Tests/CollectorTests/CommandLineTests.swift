import AppCatalog
import ArgumentParser
import Foundation
import ServerBase
import TernEvents
import Testing
import Warehouse

@testable import TernCommand
@testable import TernServer

/// Tests the parsing of command lines, without a process.
@Suite struct CommandLineTests {
  @Test(arguments: [
    ["serve", "--nonsense"], ["serve", "--port", "abc"], ["serve", "--port", "65536"], ["nonsense"], ["report"],
    ["report", "overview"], ["track"], ["track", "X"], ["track", "X", "--key", "k", "-p", "novalue"],
    ["track", "X", "--key", "k", "--timeout", "-1"], ["apps", "create"], ["serve", "--unknown-secret", "maybe"],
    ["views", "set", "1"], ["views", "set"], ["views", "set", "1", "--filter", "x"],
    ["views", "set", "1", "--filter", "a=b", "--no-filters"], ["views", "set", "1", "--lateness", "never"],
    ["views", "set", "1", "--session-timeout", "9999999999"],
    ["views", "set", "1", "--currency", "EUR", "--no-currency"],
    ["serve", "--trusted-proxy", "proxy.local"], ["serve", "--trusted-proxy", "10.0.0.0/33"],
    ["serve", "--view-cache-size", "12MB"], ["serve", "--view-cache-size", "9999999999GiB"],
    ["serve", "--data", ""], ["serve", "--host", ""], ["serve", "--backup-to", ""], ["serve", "--keep-backups", "0"],
    ["serve", "--config", "/nonexistent"], ["config", "--port", "-1"], ["config", "--backup-every", "1w"],
    ["apps", "names"], ["apps", "names", "1", "--per-day", "x"],
    ["apps", "names", "1", "--per-day", "5", "--usual-per-day"],
    ["apps", "set", "1"], ["apps", "set"], ["apps", "set", "1", "--keep", "5w"], ["persons", "delete", "--yes"],
    ["persons", "delete", "--install", "a", "--user", "b"], ["persons", "export", "--app", "1", "--user", ""],
    ["users", "invite"], ["users", "invite", "ann", "--role", "king"],
    ["users", "set", "ann"], ["users", "set", "ann", "--app", "1", "--all-apps"], ["users", "remove"],
    ["tokens", "create"], ["tokens", "create", "x", "--scope", "all"], ["tokens", "create", "x", "--for", "90"],
    ["tokens", "create", "x", "--for", "0d"], ["tokens", "revoke", "x"], ["links", "create", "overview"],
    ["links", "create", "overview", "--app", "1", "-p", "days"], ["audit", "--limit", "0"],
    ["login-link", "--url", "tern.example.com"], ["export", "--app", "1", "--after", "-1"],
    ["export", "--app", "1", "--after-attachment", "-1"], ["export", "--app", "1", "--decimal", "dot"],
    ["report", "overview", "--app", "1", "--texts", "plain"], ["query", "-", "--app", "1", "--decimal", ""],
    ["export"], ["export", "--schema", "avro"],
    ["export", "--app", "1", "--schema", "duckdb"],
  ])
  func `a mistake is one line and exit code 2`(arguments: [String]) throws {
    let ending = CommandEnding(try #require(throws: (any Error).self) { _ = try RootCommand.parseAsRoot(arguments) })
    #expect(ending.code == 2)
    let text = try #require(ending.text)
    #expect(text.hasPrefix("tern: "))
    #expect(!text.contains("\n"))
  }

  @Test(arguments: [
    ["--help"], ["--version"], ["serve", "--help"], ["apps", "create", "--help"], ["help", "report"],
  ])
  func `a request for help is not a mistake`(arguments: [String]) throws {
    let error = try #require(throws: (any Error).self) {
      var command = try RootCommand.parseAsRoot(arguments)
      try command.run()
    }
    let ending = CommandEnding(error)
    #expect(ending.code == 0)
    #expect(ending.text?.isEmpty == false)
  }

  @Test(arguments: [("yes", true), (" Yes ", true), ("y", false), ("", false), (nil, false)] as [(String?, Bool)])
  func `a person at a terminal is told what will be lost, and confirms it with a whole word`(
    answer: String?, isConfirmed: Bool
  ) throws {
    var asked = ""
    let terminal = AskingTerminal(isInteractive: true, ask: { asked += $0 }, answer: { answer })
    let confirmation = try Confirmation.parse([])
    if isConfirmed {
      try confirmation.require("This deletes it.", from: terminal)
    } else {
      let error = try #require(throws: ServerFailure.self) {
        try confirmation.require("This deletes it.", from: terminal)
      }
      #expect("\(CommandEnding(error).text ?? "")".contains("Nothing was changed."))
    }
    #expect(asked == "This deletes it.\nThis can't be undone. Type yes to continue: ")
  }

  @Test func `a script isn't asked, but must give --yes`() throws {
    let terminal = AskingTerminal(
      isInteractive: false, ask: { _ in Issue.record("asked") },
      answer: {
        Issue.record("asked")
        return "yes"
      })
    try Confirmation.parse(["--yes"]).require("This deletes it.", from: terminal)
    let error = try #require(throws: ServerFailure.self) {
      try Confirmation.parse([]).require("This deletes it.", from: terminal)
    }
    #expect(CommandEnding(error).text?.contains("This deletes it. To confirm, add --yes.") == true)
  }

  @Test func `an app that is made again is asked for at the terminal, and a script must describe it`() throws {
    var asked = ""
    var answers = ["Europe/Berlin", " Shop ", "tern_key", "", nil]
    let app = try RestoredApp(
      asking: 4, at: AskingTerminal(isInteractive: true, ask: { asked += $0 }, answer: { answers.removeFirst() }))
    #expect(app == RestoredApp(argument: "4,zone=Europe/Berlin,name=Shop,key=tern_key") && answers.isEmpty)
    #expect(asked.hasPrefix("App 4 has to be made again.") && asked.contains("  Name: "))
    let error = try #require(throws: ServerFailure.self) {
      try RestoredApp(asking: 4, at: AskingTerminal(isInteractive: false, ask: { _ in }, answer: { nil }))
    }
    #expect(CommandEnding(error).text?.contains("Describe it with --app 4,") == true)
  }

  @Test func `several proxies can be trusted`() throws {
    let command = try RootCommand.parseAsRoot(["serve", "--trusted-proxy", "127.0.0.1", "--trusted-proxy", "fd00::/8"])
    let settings = EffectiveSettings(options: try #require(command as? ServeCommand).options.values)
    let blocks = try settings.value(\.trustedProxy)
    #expect(blocks == [AddressBlock("127.0.0.1"), AddressBlock("fd00::/8")].compactMap(\.self) && blocks.count == 2)
  }

  @Test func `every command shows an example`() {
    for command in RootCommand.configuration.subcommands.flatMap({ [$0] + $0.configuration.subcommands })
    where command.configuration.subcommands.isEmpty && command.configuration.shouldDisplay {
      #expect(command.helpMessage().contains("Example"), "\(command)")
    }
  }

  @Test(arguments: [
    ("a=1", PropertyValue.integer(1)), ("a=-5", .integer(-5)), ("a=1.5", .double(1.5)), ("a=1e3", .double(1_000)),
    ("a=true", .boolean(true)), ("a=false", .boolean(false)), ("a=True", .string("True")), ("a=", .string("")),
    ("a=b=c", .string("b=c")), ("a=nan", .string("nan")), ("a=inf", .string("inf")), ("a=0x10", .string("0x10")),
    ("a=1 ", .string("1 ")), ("a=+1", .string("+1")), ("a=99999999999999999999", .double(1e20)), ("a=e", .string("e")),
    ("a=-", .string("-")), ("a=1e999", .string("1e999")),
  ])
  func `a property's type is inferred from its text`(text: String, value: PropertyValue) throws {
    #expect(try PropertyArgument.parse(text) == Properties.Element(name: "a", value: value))
  }

  @Test(arguments: ["", "a", "=1"]) func `a property needs a name and a value`(text: String) {
    #expect(throws: ValidationError.self) { try PropertyArgument.parse(text) }
  }

  @Test func `quoted text cannot break the line or the terminal`() {
    let ending = CommandEnding(WarehouseError(.invalid, "no \"a\nb\u{1B}[31m\r\n\tc\""))
    #expect(ending == CommandEnding(code: 2, text: "tern: no \"a b?[31m c\""))
  }

  @Test func `an app's name cannot control the terminal`() {
    let app = App(
      id: AppID(1), name: "A\u{1B}[2J\nB\u{9B}1m\u{202E}C", key: "k", appSecret: "s", trackingID: "t", zone: .utc,
      created: Timestamp(millisecondsSince1970: 0))
    let name = #"A\u{1B}[2J\nB\u{9B}1m\u{202E}C"#
    #expect(AppsCommand.Create.announcement(app).contains("\"\(name)\""))
    let rows = AppsCommand.List.listing([app]).split(separator: "\n")
    #expect(rows.count == 2)
    #expect(rows.last?.contains("  \(name)  ") == true)
    for text in [AppsCommand.Create.announcement(app), AppsCommand.List.listing([app])] {
      #expect(text.unicodeScalars.allSatisfy { $0 == "\n" || $0.properties.generalCategory != .control })
    }
  }

  @Test func `the first login link is shown on a terminal, and elsewhere kept in a file for its owner`() throws {
    let directory = FileManager.default.temporaryDirectory.appending(path: "tern-link-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let catalog = try Catalog(directory: directory)
    let (address, file) = ("http://127.0.0.1:1", directory + "/login-link")
    #expect(
      try ServeCommand.firstLogin(at: address, catalog, directory: directory, isTerminal: true)?.contains("code=")
        == true)
    #expect(!FileManager.default.fileExists(atPath: file))
    for _ in 0..<2 {
      let text = try ServeCommand.firstLogin(at: address, catalog, directory: directory, isTerminal: false)
      #expect(text?.contains(file) == true && text?.contains("code=") == false)
      let link = try String(contentsOfFile: file, encoding: .utf8)
      let code = try #require(link.firstMatch(of: /code=(.+)\n/)).1
      #expect(try catalog.account(loginCode: String(code)) != nil)
      let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
      #expect(mode == 0o600)
    }
    _ = try catalog.createToken(name: "script", scopes: [.read])
    #expect(try ServeCommand.firstLogin(at: address, catalog, directory: directory, isTerminal: false) == nil)
    #expect(!FileManager.default.fileExists(atPath: file))
  }

  @Test func `the printed address works in a browser on this machine`() {
    #expect(ServeCommand.address(host: "0.0.0.0", port: 1) == "http://127.0.0.1:1")
    #expect(ServeCommand.address(host: "::", port: 1) == "http://[::1]:1")
    #expect(ServeCommand.address(host: "::1", port: 1) == "http://[::1]:1")
    #expect(ServeCommand.address(host: "tern.local", port: 443, isSecure: true) == "https://tern.local:443")
    #expect(ServeCommand.address(host: "tern.local", port: 80) == "http://tern.local:80")
  }

  @Test func `a backfill names rows that could not be read, but not thousands of them`() {
    let one = ClickHouseBackfillCommand.lack(of: [1...10, 20...20], rows: 1_234)
    #expect(one.hasPrefix("The cluster has 1,234 rows, but not all of events 1 to 10, 20 to 20, because"))
    let many = ClickHouseBackfillCommand.lack(of: (1...2_000).map { $0 * 10...$0 * 10 + 1 }, rows: 0)
    #expect(many.contains("200 to 201 and 1,980 more ranges, because") && many.count < 1_000)
  }
}
