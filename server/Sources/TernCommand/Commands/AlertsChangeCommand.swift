import Alerts
import AppCatalog
import ArgumentParser
import Outgoing
import Reports
import Warehouse

/// `tern alerts change`
struct AlertsChangeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "change", abstract: "Change the condition, the destinations or the name of an alert.",
    discussion: """
      What isn't given stays as it is: --below 20 changes the limit of the same question, and --question the question of the \
      same limit. An alert with another condition begins anew, so what is over its limit is reported again. --to replaces all \
      destinations; to keep one, repeat it as `tern alerts list` shows it.

      Examples:
        tern alerts change 3 --below 20
        tern alerts change 3 --name Sales --to mail:a@example.org --to mail:b@example.org
        tern alerts change 3 --question "metric=events&event=Order" --per day
      """)

  @Argument(help: "The number of the alert; `tern alerts list` shows it.") var alert: Int64
  @Option(help: ArgumentHelp("Another name.", valueName: "name")) var name: String?
  @Option(help: ArgumentHelp("mail:ADDRESS, webhook:URL or chat:URL; repeatable.", valueName: "destination"))
  var to: [String] = []
  @OptionGroup var condition: AlertConditionOptions
  @Option(help: ArgumentHelp("The users that a period needs for a decision.", valueName: "number"))
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
        if let name { new.name = name }
        if !to.isEmpty { new.destinations = try AlertsCommand.destinations(to, keeping: old.destinations) }
        if !condition.isEmpty {
          guard let app = old.app else {
            throw CommandFailure(
              "An alert about the server has no other condition. Change its name or its destinations.")
          }
          new.condition = try condition.condition(in: catalog, of: app, replacing: old.condition)
          // Unless someone has chosen another minimum.
          if old.minimumUsers == old.condition.standardMinimum { new.minimumUsers = new.condition.standardMinimum }
        }
        if let minimumUsers { new.minimumUsers = minimumUsers }
        return try catalog.changeAlert(new)
      }
    }
    guard let changed else { throw AlertsCommand.unknown(alert) }
    Terminal.say("Alert \(changed.id), \"\(visible(changed.name))\": \(changed.condition.text).")
  }
}
