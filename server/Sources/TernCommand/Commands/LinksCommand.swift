import AppCatalog
import ArgumentParser
import Foundation
import JSON
import Portal
import Reports
import TernBase
import TernEvents
import TernServer
import Warehouse

/// `tern links`
struct LinksCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "links", abstract: "Share pages by link, list and revoke the links; works while a server runs.",
    subcommands: [Create.self, List.self, Revoke.self])

  /// `tern links create`
  struct Create: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Create a link with which anyone can read one page, and print it.",
      discussion: """
        The link shows the report's page; with ?format=csv or ?format=json, its data. A question and a dashboard are shared
        by the name and the parameters in the address of their page.

        Examples:
          tern links create overview --app 1
          tern links create event --app 1 -p event="Video clicked" -p days=7 --for 90d
          tern links create overview --app 1 -p view=3 --site https://wiki.example.com
          tern links create funnels --app 1 -p s1="event Add" -p s2="event Purchase"
          tern links create dashboards --app 1 -p dashboard=2
        """)

    @Argument(help: "The report, which `tern help report` lists, or another page.")
    var report: String

    @OptionGroup var app: AppOption

    @Option(
      name: [.customShort("p"), .customLong("parameter")],
      help: ArgumentHelp("A parameter of the page, for example days=7; repeatable.", valueName: "name=value"))
    var parameter: [String] = []

    @Option(help: ArgumentHelp("A site that may show the page in a frame; repeatable.", valueName: "address"))
    var site: [String] = []

    @Option(
      name: .customLong("for"), help: ArgumentHelp("The time after which it ends, for example 90d.", valueName: "days"),
      transform: lifetime)
    var lasting: Duration?

    @OptionGroup var server: ServerAddressOption

    @OptionGroup var data: DataOption

    func validate() throws {
      guard parameter.allSatisfy({ $0.contains("=") && !$0.hasPrefix("=") }) else {
        throw ValidationError("A parameter looks like days=7.")
      }
    }

    func run() throws {
      try data.withCatalog { catalog in
        let app = try app.find(in: catalog)
        let query = parameter.map { text in
          let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
          return parts.map { PercentCoding.encode($0) }.joined(separator: "=")
        }.joined(separator: "&")
        let secret = try catalog.share(
          report, query: query, of: app, sites: site, lasting: lasting, now: WallClock.system())
        Terminal.say(try server.address("/shared/\(secret)", catalog))
      }
    }
  }

  /// `tern links list`
  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List all shared links, without their secrets.",
      discussion: """
        Examples:
          tern links list
          tern links list --json
        """)

    @Flag(help: "Print a JSON array.") var json = false
    @OptionGroup var data: DataOption

    func run() throws {
      try data.withCatalog { catalog in
        if json { return Terminal.say(CommandOutput.json(try Self.shown(in: catalog), Self.members)) }
        let rows = try catalog.links().map { link in
          [
            String(link.id), link.app.description, visible(link.report), visible(link.query),
            link.sites.joined(separator: " "), link.expires?.isoText ?? "never",
          ]
        }
        Terminal.say(CommandOutput.table([["ID", "APP", "REPORT", "PARAMETERS", "SITES", "ENDS"]] + rows))
      }
    }

    /// The members of a link as in the API, and its app.
    static let members: [JSONMember<ShownLink>] =
      [.shown("app", .count) { .integer($0.link.app.rawValue) }] + ShownLink.members

    private static func shown(in catalog: Catalog) throws -> [ShownLink] {
      let now = WallClock.system()
      let apps = Dictionary(uniqueKeysWithValues: try catalog.apps().map { ($0.id, $0) })
      return try catalog.links().compactMap { link in
        guard let app = apps[link.app] else { return nil }
        let segments = try catalog.segments(app: app.id)
        return ShownLink(link, name: catalog.name(of: link, app: app, now: now, segments: segments))
      }
    }
  }

  /// `tern links revoke`
  struct Revoke: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "End a shared link at once.",
      discussion: """
        Example:
          tern links revoke 3
        """)

    @Argument(help: ArgumentHelp("The link's ID; `tern links list` shows it.", valueName: "id"))
    var id: Int64

    @OptionGroup var data: DataOption

    func run() throws {
      try data.withCatalog { catalog in
        guard let link = try catalog.links().first(where: { $0.id == id }), let app = try catalog.app(link.app) else {
          throw ServerFailure("There is no link \(id). Run `tern links list` to see all links.")
        }
        try catalog.revoke(link, app: app, now: WallClock.system())
      }
    }
  }
}
