import AppCatalog
import ArgumentParser
import Foundation
import Reports
import TernEvents
import TernServer
import Warehouse

/// `tern tokens`
struct TokensCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tokens", abstract: "Create, list and revoke the tokens of programs; works while a server runs.",
    subcommands: [Create.self, List.self, Revoke.self])

  /// `tern tokens create`
  struct Create: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Create a token and print it.",
      discussion: """
        Programs send it as "Authorization: Bearer TOKEN". Scopes: read (reports), export (also single events and errors, \
        with personal data), write (sends events of one app), manage (apps and what is in them; with --app, \
        that app), administer (everything that an owner may do, including users, tokens and the audit log).

        Examples:
          tern tokens create dashboard
          tern tokens create nightly --scope export --app 1 --for 365d
          tern tokens create deploy --scope manage
        """)

    @Argument(help: "The name, for people.")
    var name: String

    @Option(
      help: ArgumentHelp("read, export, write, manage or administer; repeatable.", valueName: "scope"),
      transform: { try choice($0) })
    var scope: [AccessToken.Scope] = [.read]

    @Option(help: ArgumentHelp("The only app. Default: all apps.", valueName: "id"))
    var app: String?

    @Option(
      name: .customLong("for"), help: ArgumentHelp("The time after which it ends, for example 90d.", valueName: "days"),
      transform: lifetime)
    var lasting: Duration?

    @OptionGroup var data: DataOption

    func run() throws {
      try data.withCatalog { catalog in
        let app = try app.map { try AppOption.find($0, in: catalog).id }
        let (_, secret) = try catalog.createToken(name: name, scopes: Set(scope), app: app, lasting: lasting)
        Terminal.say(secret)
      }
    }
  }

  /// `tern tokens list`
  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List all tokens, without their secrets.",
      discussion: """
        Examples:
          tern tokens list
          tern tokens list --json
        """)

    @Flag(help: "Print a JSON array.") var json = false
    @OptionGroup var data: DataOption

    func run() throws {
      try data.withCatalog { catalog in
        if json { return Terminal.say(CommandOutput.json(try catalog.tokens(), AccessToken.members)) }
        let rows = try catalog.tokens().map { token in
          [
            String(token.id), visible(token.name),
            AccessToken.Scope.allCases.filter(token.scopes.contains).map(\.rawValue).joined(separator: ","),
            token.app?.description ?? "all", token.used?.isoText ?? "never", token.expires?.isoText ?? "never",
          ]
        }
        Terminal.say(CommandOutput.table([["ID", "NAME", "SCOPES", "APP", "LAST USED", "ENDS"]] + rows))
      }
    }
  }

  /// `tern tokens revoke`
  struct Revoke: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "End a token at once.",
      discussion: """
        Example:
          tern tokens revoke 3
        """)

    @Argument(help: ArgumentHelp("The token's ID; `tern tokens list` shows it.", valueName: "id"))
    var id: Int64

    @OptionGroup var data: DataOption

    func run() throws {
      try data.withCatalog { catalog in
        guard try catalog.revokeToken(id) else {
          throw ServerFailure("There is no token \(id). Run `tern tokens list` to see all tokens.")
        }
      }
    }
  }
}

/// Parses a number of days such as `90d`.
@Sendable func lifetime(_ text: String) throws -> Duration {
  guard text.hasSuffix("d"), let days = Int(text.dropLast()), (1...3_650).contains(days) else {
    throw ValidationError("Enter a number of days from 1d to 3650d.")
  }
  return .seconds(days * 86_400)
}
