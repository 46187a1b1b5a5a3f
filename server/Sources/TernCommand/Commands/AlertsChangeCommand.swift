import Alerts
import AppCatalog
import ArgumentParser
import Outgoing
import Reports
import ServerBase
import TernServer
import Warehouse

/// `tern alerts change`
struct AlertsChangeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "change", abstract: "Change the condition, the destinations or the name of an alert.",
    discussion: """
      Options that you leave out keep their values: --below 20 changes the limit of the same question, and --question \
      the question of the same limit. Changing the condition resets the alert: if the figure is outside the new limit, that \
      is reported; the end of an earlier breach is not. --to replaces all destinations; to keep one, repeat it as \
      `tern alerts list` shows it.

      Examples:
        tern alerts change 3 --below 20
        tern alerts change 3 --name Sales --to mail:a@example.org --to mail:b@example.org
        tern alerts change 3 --question "metric=events&event=Order" --per day
      """)

  @Argument(help: "The number of the alert; `tern alerts list` shows it.") var alert: Int64
  @Option(help: ArgumentHelp("The new name.", valueName: "name")) var name: String?
  @Option(help: ArgumentHelp("\(Destination.forms()); repeatable.", valueName: "destination"))
  var to: [String] = []
  @OptionGroup var condition: AlertConditionOptions
  @Option(help: ArgumentHelp("The minimum number of users that a period needs for a decision.", valueName: "number"))
  var minimumUsers: Int?
  @OptionGroup var data: DataOption

  func validate() throws {
    guard name != nil || !to.isEmpty || !condition.isEmpty || minimumUsers != nil else {
      throw ValidationError("Say what to change, for example --below 20 or --name Sales.")
    }
  }

  func run() throws {
    let changed = try data.withCatalog { catalog in
      try catalog.atomically {
        let old = try AlertsCommand.find(alert, in: catalog)
        var new = old
        if let name { new.name = name.trimmed }
        if !to.isEmpty { new.destinations = try AlertsCommand.destinations(to, keeping: old.destinations) }
        if !condition.isEmpty {
          guard let app = old.app else {
            throw ServerFailure(
              "The condition of an alert about the server can't be changed. Change its name or its destinations instead."
            )
          }
          new.condition = try condition.condition(in: catalog, of: app, replacing: old.condition)
          // Keeps a minimum that was set explicitly.
          if old.minimumUsers == old.condition.standardMinimum { new.minimumUsers = new.condition.standardMinimum }
        }
        if let minimumUsers { new.minimumUsers = minimumUsers }
        return try catalog.changeAlert(new)
      }
    }
    guard let changed else { throw AlertsCommand.unknown(alert) }
    let destinations = changed.destinations.map(\.shown).joined(separator: ", ")
    Terminal.say("Alert \(changed.id), \"\(visible(changed.name))\": \(changed.condition.text), to \(destinations).")
  }
}
