import Alerts
import AppCatalog
import ArgumentParser
import Outgoing
import Portal
import Questions
import Reports
import Warehouse

/// `tern alerts add`
struct AlertsAddCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add", abstract: "Add an alert.",
    discussion: """
      Each alert has one condition. --above, --below and --changed watch the figure of a question, which is that of a \
      dashboard's card (--card) or the query of an address of Explore or Funnels (--question). A figure is evaluated ten \
      minutes after its hour or day has ended. It is reported once when it crosses the limit, and once when that is over.

      Examples:
        tern alerts add --app 1 --name Crashes --card "At a glance/Crash-free users" --below 0.99 --per day --to mail:a@example.org
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
  @Option(help: ArgumentHelp("mail:ADDRESS, webhook:URL or chat:URL; repeatable.", valueName: "destination"))
  var to: [String]

  @Option(help: ArgumentHelp("The card whose question to watch.", valueName: "dashboard/card")) var card: String?
  @Option(help: ArgumentHelp("The query of Explore's address, or funnels?QUERY.", valueName: "query")) var question:
    String?
  @Option(help: ArgumentHelp("Report a figure above this.", valueName: "number")) var above: Double?
  @Option(parsing: .unconditional, help: ArgumentHelp("Report a figure below this.", valueName: "number"))
  var below: Double?
  @Option(help: ArgumentHelp("Report a change by more than this, in percent.", valueName: "percent"))
  var changed: Double?
  @Option(help: ArgumentHelp("Report a share of users without a crash below this, in percent.", valueName: "percent"))
  var crashFreeBelow: Double?
  @Option(
    help: ArgumentHelp(
      "The period of the figure: hour or day. The default is hour, but day for funnels and crash-free users.",
      valueName: "period"),
    transform: { try choice($0) })
  var per: AlertPeriod?
  @Option(help: ArgumentHelp("Report if nothing arrives for this many hours.", valueName: "hours")) var silentFor: Int?
  @Flag(help: "Report new kinds of errors.") var newErrors = false
  @Flag(help: "Report closed errors that come back in a later version.") var returnedErrors = false
  @Option(
    help: ArgumentHelp(
      "The users that a period needs for a decision. The default is 30 for changes and crash-free users, otherwise 0.",
      valueName: "number"))
  var minimumUsers: Int?
  @OptionGroup var data: DataOption

  func validate() throws {
    let conditions = [
      server, above != nil, below != nil, changed != nil, crashFreeBelow != nil, silentFor != nil, newErrors,
      returnedErrors,
    ]
    guard conditions.filter(\.self).count == 1 else {
      throw ValidationError(
        "Give exactly one of --above, --below, --changed, --crash-free-below, --silent-for, --new-errors, --returned-errors or --server."
      )
    }
    guard server == (app == nil) else { throw ValidationError("Give either --app or --server.") }
    let needsQuestion = above != nil || below != nil || changed != nil
    guard [card, question].compactMap(\.self).count == (needsQuestion ? 1 : 0) else {
      throw ValidationError(
        "Give either --card or --question with --above, --below or --changed, and neither with other conditions.")
    }
    guard per == nil || needsQuestion || crashFreeBelow != nil else {
      throw ValidationError("Leave out --per: this condition has no period.")
    }
  }

  func run() throws {
    var destinations: [Destination] = []
    for text in to {
      do throws(OutgoingError) { destinations.append(try Destination(text)) } catch {
        throw CommandFailure(error.message)
      }
    }
    let alert = try data.withCatalog { catalog in
      let app = try app.map { try AppOption.find($0, in: catalog).id }
      let condition = try condition(catalog, app)
      if let app, let question = condition.question {
        _ = try QuestionPage.alertFigure(question, segments: try catalog.segments(app: app))
      }
      return try catalog.createAlert(
        Alert(app: app, name: name, condition: condition, minimumUsers: minimumUsers, destinations: destinations))
    }
    Terminal.say("Alert \(alert.id), \"\(visible(alert.name))\": \(alert.condition.text).")
  }

  private func condition(_ catalog: Catalog, _ app: AppID?) throws -> AlertCondition {
    if server { return .serverProblem }
    if newErrors { return .newError }
    if returnedErrors { return .errorCameBack }
    if let silentFor { return .nothingArrived(hours: silentFor) }
    if let crashFreeBelow { return .crashFreeUsersBelow(percent: crashFreeBelow, per ?? .day) }
    let question = try alertQuestion(catalog, app)
    if let above { return .above(above, question) }
    if let below { return .below(below, question) }
    return .changed(byPercent: changed ?? 0, question)
  }

  private func alertQuestion(_ catalog: Catalog, _ app: AppID?) throws -> AlertQuestion {
    guard let card, let app else { return AlertQuestion(address: question ?? "", period: per) }
    let dashboards = try catalog.dashboards(app: app)
    // Names may contain slashes themselves.
    let found = dashboards.lazy.flatMap { dashboard in dashboard.cards.map { (dashboard, $0) } }
      .first { "\($0.0.name)/\($0.1.name)" == card }
    guard let found else {
      throw CommandFailure(
        "There is no card \"\(visible(card))\". Give the names of a dashboard and of one of its cards, with a / between them."
      )
    }
    return AlertQuestion(address: "\(found.1.page)?\(found.1.query)", period: per)
  }
}
