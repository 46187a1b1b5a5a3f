import Alerts
import AppCatalog
import ArgumentParser
import Portal
import Reports
import TernServer
import Warehouse

/// The options of an app's alert that set its condition.
struct AlertConditionOptions: ParsableArguments {
  @Option(help: ArgumentHelp("The card whose question to watch.", valueName: "dashboard/card")) var card: String?
  @Option(help: ArgumentHelp("The query of Explore's address, or funnels?QUERY.", valueName: "query")) var question:
    String?
  @Option(
    help: ArgumentHelp(
      "Report a figure above this. Shares, such as crash-free users and funnels, are percentages from 0 to 100.",
      valueName: "number"))
  var above: Double?
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Report a figure below this, in the same units.", valueName: "number"))
  var below: Double?
  @Option(help: ArgumentHelp("Report a change by more than this, in percent.", valueName: "percent"))
  var changed: Double?
  @Option(help: ArgumentHelp("Report a share of users without a crash below this, in percent.", valueName: "percent"))
  var crashFreeBelow: Double?
  @Option(
    help: ArgumentHelp(
      "The period of the figure: hour or day. A new alert has hours by default, but days for funnels and crash-free users.",
      valueName: "period"),
    transform: { try choice($0) })
  var per: AlertPeriod?
  @Option(help: ArgumentHelp("Report if nothing arrives for this many hours.", valueName: "hours")) var silentFor: Int?
  @Flag(help: "Report new kinds of errors.") var newErrors = false
  @Flag(help: "Report closed errors that come back in a later version.") var returnedErrors = false

  /// The number of conditions that are given.
  var conditionCount: Int {
    [
      above != nil, below != nil, changed != nil, crashFreeBelow != nil, silentFor != nil, newErrors, returnedErrors,
    ].filter(\.self).count
  }

  /// The number of questions that are given.
  var questionCount: Int { (card == nil ? 0 : 1) + (question == nil ? 0 : 1) }

  /// True if the condition has a limit for the figure of a question.
  var needsQuestion: Bool { above != nil || below != nil || changed != nil }

  func validate() throws {
    guard conditionCount <= 1, questionCount <= 1 else {
      throw ValidationError(
        "Give only one of --above, --below, --changed, --crash-free-below, --silent-for, --new-errors and --returned-errors, and only one of --card and --question."
      )
    }
    guard conditionCount == 0 || needsQuestion || questionCount == 0 else {
      throw ValidationError("Leave out --card and --question: this condition has no question.")
    }
    guard conditionCount == 0 || needsQuestion || crashFreeBelow != nil || per == nil else {
      throw ValidationError("Leave out --per: this condition has no period.")
    }
  }

  /// True if nothing is given.
  var isEmpty: Bool { conditionCount == 0 && questionCount == 0 && per == nil }

  /// Returns the condition, whose question can be asked.
  ///
  /// - Parameter old: The condition that it replaces. Its limit, question and period stay unless others are given.
  func condition(
    in catalog: Catalog, of app: AppID, replacing old: AlertCondition? = nil
  ) throws -> AlertCondition {
    let condition = try newCondition(catalog, app, old)
    if condition != old, let question = condition.question {
      _ = try QuestionPage.alertFigure(question, segments: try catalog.segments(app: app))
    }
    return condition
  }

  private func newCondition(_ catalog: Catalog, _ app: AppID, _ old: AlertCondition?) throws -> AlertCondition {
    // The share of crash-free users in percent is no figure of a question.
    let question: AlertQuestion? =
      switch old {
      case .above(_, let question), .below(_, let question), .changed(_, let question): question
      case .crashFreeUsersBelow, .nothingArrived, .newError, .errorCameBack, .serverProblem, nil: nil
      }
    func figure() throws -> AlertQuestion { try figureQuestion(catalog, app, question) }
    if newErrors { return .newError }
    if returnedErrors { return .errorCameBack }
    if let silentFor { return .nothingArrived(hours: silentFor) }
    if let crashFreeBelow { return .crashFreeUsersBelow(percent: crashFreeBelow, per ?? old?.question?.period ?? .day) }
    if let above { return .above(above, try figure()) }
    if let below { return .below(below, try figure()) }
    if let changed { return .changed(byPercent: changed, try figure()) }
    switch old {
    case .above(let limit, _): return .above(limit, try figure())
    case .below(let limit, _): return .below(limit, try figure())
    case .changed(let percent, _): return .changed(byPercent: percent, try figure())
    case .crashFreeUsersBelow(let percent, let period) where questionCount == 0:
      return .crashFreeUsersBelow(percent: percent, per ?? period)
    case .crashFreeUsersBelow, .nothingArrived, .newError, .errorCameBack, .serverProblem, nil:
      throw ServerFailure(
        "This alert's condition has no question and no period. Give another condition as well, such as --below.")
    }
  }

  private func figureQuestion(_ catalog: Catalog, _ app: AppID, _ old: AlertQuestion?) throws -> AlertQuestion {
    if questionCount == 0, let old { return AlertQuestion(page: old.page, query: old.query, period: per ?? old.period) }
    guard questionCount > 0 else {
      throw ServerFailure(
        "This alert has no question yet. Give --card or --question as well; the limit of crash-free users is --crash-free-below."
      )
    }
    guard let card else { return asked(question ?? "", old) }
    let dashboards = try catalog.dashboards(app: app)
    // Names may contain slashes themselves.
    let found = dashboards.lazy.flatMap { dashboard in dashboard.cards.map { (dashboard, $0) } }
      .first { "\($0.0.name)/\($0.1.name)" == card }
    guard let found else {
      throw ServerFailure(
        "There is no card \"\(visible(card))\". Give the names of a dashboard and of one of its cards, with a / between them."
      )
    }
    return asked("\(found.1.page)?\(found.1.query)", old)
  }

  /// Returns the question of an address, with the period of the one that it replaces if it can have it.
  private func asked(_ address: String, _ old: AlertQuestion?) -> AlertQuestion {
    var question = AlertQuestion(address: address, period: per)
    if per == nil, let old, question.page != "funnels" { question.period = old.period }
    return question
  }
}
