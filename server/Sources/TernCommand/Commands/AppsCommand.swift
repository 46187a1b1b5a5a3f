import AppCatalog
import ArgumentParser
import Foundation
import Reports
import TernServer
import Warehouse

/// `tern apps`
struct AppsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "apps",
    abstract: "Create, change, list and delete apps, and limit their number of names; works while a server runs.",
    subcommands: [Create.self, List.self, Set.self, Names.self, Limits.self, Delete.self])

  /// `tern apps create`
  struct Create: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Create an app and print its keys.",
      discussion: """
        A running server accepts the app's events at once.

        Examples:
          tern apps create "My App" --time-zone Europe/Berlin
          tern apps create Legacy --app-secret 6f9a1c52-0d4e-4a0b-9f5e-2f1f3f6f7a10 --tracking-id UA-12345-1
          tern apps create Shop --write-key wk_example --write-key shop.example
          tern apps create Scripted --json
        """)

    @Argument(help: "The display name.")
    var name: String

    @Option(help: ArgumentHelp("The time zone of the reports' days, for example Europe/Berlin.", valueName: "zone"))
    var timeZone = "UTC"

    @Option(help: ArgumentHelp("The app secret of an app with an App Center SDK.", valueName: "uuid"))
    var appSecret: String?

    @Option(
      name: .customLong("tracking-id"),
      help: ArgumentHelp("The tracking ID of an app with a Google Analytics SDK.", valueName: "UA-…"))
    var trackingID: String?

    @Option(
      help: ArgumentHelp("A key that clients of another system send (docs/clients.md); repeatable.", valueName: "key"))
    var writeKey: [String] = []

    @Flag(help: "Print one JSON object.")
    var json = false

    @OptionGroup var data: DataOption

    func run() throws {
      let catalog = try Catalog(directory: data.directory, report: Terminal.note)
      defer { try? catalog.close() }
      let app = try catalog.createApp(
        name: name, timeZone: timeZone, appSecret: appSecret, trackingID: trackingID, writeKeys: writeKey)
      if json { return Terminal.say(CommandOutput.json(ShownApp(app), ShownApp.members)) }
      Terminal.say(Self.announcement(app))
    }

    /// The text about a new app.
    static func announcement(_ app: App) -> String {
      """
      Created app \(app.id), "\(visible(app.name))", with days in \(app.timeZone).

        Key (Tern SDK)                     \(app.key)
        App secret (App Center SDKs)       \(app.appSecret)
        Tracking ID (Google Analytics)     \(app.trackingID)\(AppsCommand.writeKeys(app))

      Send a first event:   tern track Hello --key \(app.key)
      """
    }
  }

  /// The lines about the keys of other systems; empty for none.
  private static func writeKeys(_ app: App) -> String {
    app.writeKeys.map { "\n  Write key (other systems)          \($0)" }.joined()
  }

  /// `tern apps list`
  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List all apps with their keys.",
      discussion: """
        Examples:
          tern apps list
          tern apps list --json
        """)

    @Flag(help: "Print a JSON array.")
    var json = false

    @OptionGroup var data: DataOption

    func run() throws {
      let (apps, changes) = try data.withCatalog { catalog in
        let apps = try catalog.apps()
        return (apps, try apps.map { try catalog.zoneChange(of: $0.id) })
      }
      if json {
        let described = zip(apps, changes).map { ShownApp($0, zoneChange: $1) }
        return Terminal.say(CommandOutput.json(described, ShownApp.members))
      }
      if apps.isEmpty { return Terminal.say("No apps yet. Create one with tern apps create NAME.") }
      Terminal.say(Self.listing(apps))
    }

    /// The table of apps.
    static func listing(_ apps: [App]) -> String {
      let header = ["ID", "NAME", "KEY", "APP SECRET", "TRACKING ID", "TIME ZONE", "KEEP"]
      let rows = apps.map {
        [
          $0.id.description, visible($0.name), $0.key, $0.appSecret, $0.trackingID, $0.timeZone,
          $0.keeping?.text ?? KeepingPeriod.foreverText,
        ]
      }
      let keys = apps.map { $0.writeKeys.joined(separator: " ") }
      guard keys.contains(where: { !$0.isEmpty }) else { return CommandOutput.table([header] + rows) }
      return CommandOutput.table([header + ["WRITE KEYS"]] + zip(rows, keys).map { $0 + [$1] })
    }
  }
}
