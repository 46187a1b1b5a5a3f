import AppCatalog
import ArgumentParser
import Foundation
import Reports
import TernEvents
import TernServer
import Warehouse

/// The option for the server's address in printed links.
struct ServerAddressOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The server's address; by default, where it last listened on this machine.", valueName: "address"))
  var url: String?

  func validate() throws {
    guard let url else { return }
    guard let address = URL(string: url), address.scheme == "http" || address.scheme == "https", address.host() != nil,
      address.query() == nil, address.fragment() == nil
    else { throw ValidationError("\"\(url)\" is not an address of a server, such as https://tern.example.com.") }
  }

  /// Returns the address of a path on the server; throws if no server has run on the catalog's directory.
  func address(_ path: String, _ catalog: Catalog) throws -> String {
    guard let url = try url ?? catalog.setting(LocalServer.addressSetting) else {
      throw ServerFailure("No server has run on this directory yet. Start one, or give its address with --url.")
    }
    return (url.hasSuffix("/") ? String(url.dropLast()) : url) + path
  }
}

/// `tern login-link`
struct LoginLinkCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "login-link", abstract: "Print a link that logs one browser in to the portal.",
    discussion: """
      The link works once, for 15 minutes, and replaces any earlier one of the same user. Someone with a second factor enters a \
      code as well. Works while a server runs.

      Examples:
        tern login-link
        tern login-link --user ann
        tern login-link --data /var/lib/tern --url https://tern.example.com
      """)

  @Option(help: ArgumentHelp("The user. Default: the owner.", valueName: "name"))
  var user: String?

  @OptionGroup var server: ServerAddressOption

  @OptionGroup var data: DataOption

  func run() throws {
    try data.withCatalog { catalog in
      let account = try user.map { try UsersCommand.find($0, in: catalog) }
      Terminal.say(try server.address("/login?code=\(try catalog.createLoginCode(of: account?.id))", catalog))
    }
  }

  /// Creates a login code of the owner and returns a link with it.
  static func link(to address: String, _ catalog: Catalog) throws -> String {
    "\(address)/login?code=\(try catalog.createLoginCode())"
  }
}

/// `tern audit`
struct AuditCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "audit", abstract: "Print the audit log: logins, and changes of settings, users, tokens and links.",
    discussion: """
      Entries can't be changed; --prune deletes old ones, and records that. Failed logins are counted by name and address
      and listed with --failed. Works while a server runs.

      Examples:
        tern audit
        tern audit --limit 1000 --json
        tern audit --failed
        tern audit --prune 365d
      """)

  @Option(help: ArgumentHelp("The maximum number of entries, latest first.", valueName: "number"))
  var limit = 100

  @Flag(help: "Print the failed logins instead.")
  var failed = false

  @Option(help: ArgumentHelp("Delete all entries that are older, for example 365d.", valueName: "age"))
  var prune: String?

  @Flag(help: "Print one JSON object per line.")
  var json = false

  @OptionGroup var data: DataOption

  func validate() throws {
    if let prune { _ = try Period.time(prune) }
    guard prune == nil || !failed && !json else { throw ValidationError("Use --prune alone.") }
    guard limit > 0 else { throw ValidationError("--limit must be positive.") }
  }

  func run() throws {
    try data.withCatalog { catalog in
      if let prune {
        let count = try catalog.pruneAudit(before: WallClock.system() - Period.time(prune))
        return Terminal.say("\(count) entries were deleted.")
      }
      if failed { return try printFailed(catalog) }
      let entries = try catalog.audit(limit: limit)
      if json {
        for entry in entries { Terminal.say(try CommandOutput.json(Line(entry))) }
        return
      }
      let rows = entries.map { entry in
        [
          entry.time.isoText, visible(entry.actor.name), entry.action, visible(entry.subject), entry.actor.address,
          "\(entry.count)", entry.count > 1 ? entry.last.isoText : "",
        ]
      }
      Terminal.say(CommandOutput.table([["TIME", "WHO", "ACTION", "OBJECT", "ADDRESS", "TIMES", "LAST"]] + rows))
    }
  }

  private func printFailed(_ catalog: Catalog) throws {
    let logins = try catalog.failedLogins(limit: limit)
    if json {
      for login in logins { Terminal.say(try CommandOutput.json(FailedLine(login))) }
      return
    }
    let rows = logins.map { login in
      [visible(login.name), login.address, "\(login.count)", login.first.isoText, login.last.isoText]
    }
    Terminal.say(CommandOutput.table([["NAME", "ADDRESS", "TIMES", "FIRST", "LAST"]] + rows))
  }

  private struct FailedLine: Encodable {
    let name: String
    let address: String
    let count: Int
    let first: String
    let last: String

    init(_ login: FailedLogins) {
      (name, address, count) = (login.name, login.address, login.count)
      (first, last) = (login.first.isoText, login.last.isoText)
    }
  }

  private struct Line: Encodable {
    let id: Int64
    let time: String
    let who: String
    let action: String
    let object: String
    let address: String
    let count: Int
    let last: String

    init(_ entry: AuditEntry) {
      id = entry.id
      time = entry.time.isoText
      who = entry.actor.name
      action = entry.action
      object = entry.subject
      address = entry.actor.address
      count = entry.count
      last = entry.last.isoText
    }
  }
}
