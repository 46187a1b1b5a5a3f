import Alerts
import AppCatalog
import ArgumentParser
import Outgoing
import Portal
import Questions
import Reports
import ServerBase
import Warehouse

/// `tern alerts add`
struct AlertsAddCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add", abstract: "Add an alert.",
    discussion: """
      Each alert has one condition. --above, --below and --changed watch the figure of a question, which is that of a \
      dashboard's card (--card) or the query of an address of Explore or Funnels (--question). A figure is evaluated ten \
      minutes after its hour or day has ended. It is reported once when it crosses the limit, and once when that is over. \
      Days are evaluated again for three days, since crashes arrive with the next launch of their app: what that changes is \
      reported once, too. Shares, such as crash-free users and funnels, are percentages from 0 to 100.

      Examples:
        tern alerts add --app 1 --name Crashes --card "At a glance/Crash-free users" --below 99 --per day --to mail:a@example.org
        tern alerts add --app 1 --name Orders --question "metric=events&event=Order" --below 10 --to chat:https://hooks.example.org/x
        tern alerts add --app 1 --name Users --question metric=users --changed 50 --per day --to mail:a@example.org
        tern alerts add --app 1 --name Stable --crash-free-below 99.5 --to webhook:https://example.org/hook
        tern alerts add --app 1 --name Silence --silent-for 3 --to mail:a@example.org
        tern alerts add --app 1 --name "New errors" --new-errors --to mail:a@example.org
        tern alerts add --app 1 --name Regressions --returned-errors --to mail:a@example.org
        tern alerts add --server --name Server --to mail:ops@example.org
      """)

  @Option(name: .customLong("app"), help: ArgumentHelp("The app's ID; `tern apps list` shows it.", valueName: "id"))
  var app: String?
  @Flag(help: "Report problems of the server itself, such as a full disk or a failed backup.")
  var server = false
  @Option(help: ArgumentHelp("The name of the alert.", valueName: "name")) var name: String
  @Option(help: ArgumentHelp("\(Destination.forms()); repeatable.", valueName: "destination"))
  var to: [String]

  @OptionGroup var condition: AlertConditionOptions
  @Option(
    help: ArgumentHelp(
      "The users that a period needs for a decision. The default is 30 for changes and crash-free users, otherwise 0.",
      valueName: "number"))
  var minimumUsers: Int?
  @OptionGroup var data: DataOption

  func validate() throws {
    guard condition.conditionCount + (server ? 1 : 0) == 1 else {
      throw ValidationError(
        "Give exactly one of --above, --below, --changed, --crash-free-below, --silent-for, --new-errors, --returned-errors or --server."
      )
    }
    guard server == (app == nil) else { throw ValidationError("Give either --app or --server.") }
    guard !server || condition.isEmpty else {
      throw ValidationError("Leave out --card, --question and --per: an alert about the server has no question.")
    }
    guard condition.needsQuestion == (condition.questionCount == 1) else {
      throw ValidationError(
        "Give either --card or --question with --above, --below or --changed, and neither with other conditions.")
    }
  }

  func run() throws {
    let destinations = try AlertsCommand.destinations(to)
    let alert = try data.withCatalog { catalog in
      let app = try app.map { try AppOption.find($0, in: catalog).id }
      let condition: AlertCondition =
        try app.map { try self.condition.condition(in: catalog, of: $0) } ?? .serverProblem
      return try catalog.createAlert(
        Alert(
          app: app, name: name.trimmed, condition: condition, minimumUsers: minimumUsers, destinations: destinations))
    }
    Terminal.say("Alert \(alert.id), \"\(visible(alert.name))\": \(alert.condition.text).")
  }
}
