import AppCatalog
import ArgumentParser
import Foundation
import Reports
import TernServer
import Warehouse

/// `tern views`
struct ViewsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "views", abstract: "Create, change, list and delete views of apps. Works while a server runs.",
    subcommands: [Create.self, List.self, Set.self, Zone.self, Delete.self, Imported.self])

  /// `tern views create`
  struct Create: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Create a view and print its ID.",
      discussion: """
        A view counts an app's hits by the days of its own time zone. --lateness cutoff: a day becomes final at 04:00 of \
        the next day; hits received later are stored and listed as late, but not counted. window: days stay open for 25 \
        days. none: every hit counts, and no day becomes final. Later changes (tern views set, tern views zone) do not \
        affect final days.

        Examples:
          tern views create --app 1 --name "New York" --time-zone America/New_York
          tern views create --app 1 --name Beta --time-zone UTC --filter av=2.0 --filter an!=Internal
          tern views create --app 1 --name Members --time-zone UTC --user-id --session-timeout 60 --currency EUR
        """)

    @OptionGroup var app: AppOption

    @Option(help: ArgumentHelp("The display name.", valueName: "name"))
    var name: String

    @Option(help: ArgumentHelp("The time zone of its days, for example Europe/Berlin.", valueName: "zone"))
    var timeZone: String

    @Option(
      help: ArgumentHelp("cutoff, window or none.", valueName: "rule"), transform: { try choice($0) })
    var lateness = View.Lateness.cutoff

    @Option(
      help: ArgumentHelp(
        "A filter on hits: parameter=value or parameter!=value; repeatable.", valueName: "filter"),
      transform: ViewsCommand.filter)
    var filter: [ViewFilter] = []

    @OptionGroup var settings: ViewSettingsOptions

    @Flag(help: "Print one JSON object.")
    var json = false

    @OptionGroup var data: DataOption

    func run() throws {
      let view = try data.withCatalog { catalog in
        try catalog.createView(
          app: app.find(in: catalog).id, name: name, timeZone: timeZone, lateness: lateness, filters: filter,
          settings: settings.settings)
      }
      Terminal.say(
        json ? CommandOutput.json(ShownView(view, now: WallClock.system()), ShownView.members) : view.id.description)
    }
  }

  /// `tern views list`
  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List the views of an app, or of all apps, with their settings over time.",
      discussion: """
        A view with changed settings has a line for each change; the last may apply from tomorrow on.

        Examples:
          tern views list
          tern views list --app 1 --json
        """)

    @Option(help: ArgumentHelp("The app's ID; `tern apps list` shows it.", valueName: "id"))
    var app: String?

    @Flag(help: "Print a JSON array.")
    var json = false

    @OptionGroup var data: DataOption

    func run() throws {
      let views = try data.withCatalog { catalog in
        try catalog.views(app: try app.map { try AppOption.find($0, in: catalog).id })
      }
      if json {
        return Terminal.say(CommandOutput.json(views.map { ShownView($0, now: WallClock.system()) }, ShownView.members))
      }
      if views.isEmpty { return Terminal.say("No views yet. Create one with tern views create.") }
      let header = ["ID", "APP", "NAME", "TIME ZONE", "SINCE", "LATENESS", "FILTERS", "SETTINGS"]
      Terminal.say(
        CommandOutput.table(
          [header]
            + views.flatMap { view in
              view.rules.map { rules in
                [
                  view.id.description, view.app.description, visible(view.name), view.timeZone,
                  rules.start?.description ?? "–", rules.lateness.rawValue,
                  visible(rules.filters.map(\.description).joined(separator: " ")), rules.settings.summary,
                ]
              }
            }))
    }
  }

  /// `tern views zone`
  struct Zone: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Change a view's time zone from now on; earlier hits keep their days.",
      discussion: """
        Example:
          tern views zone 3 --time-zone Europe/Lisbon
        """)

    @Argument(help: "The view's ID.")
    var view: Int64

    @Option(help: ArgumentHelp("The new time zone.", valueName: "zone"))
    var timeZone: String

    @OptionGroup var data: DataOption

    func run() throws {
      let view = try data.withCatalog { try $0.setZone(of: ViewID(self.view), to: timeZone) }
      Terminal.say("View \(view.id) now counts days in \(view.timeZone).")
    }
  }

  static func filter(_ text: String) throws -> ViewFilter {
    guard let filter = ViewFilter(text) else {
      throw ValidationError("Write a filter as parameter=value or parameter!=value, for example av=2.0.")
    }
    return filter
  }
}
