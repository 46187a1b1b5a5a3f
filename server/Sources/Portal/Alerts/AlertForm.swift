package import Alerts
import Foundation
import Outgoing
import Questions
import Reports
import ServerBase
import TernEvents
package import Warehouse

/// The form that creates or changes an alert.
package struct AlertForm: Sendable {
  /// The fields as the reader has filled them in.
  package var fields: [String: String]

  package init(_ fields: [String: String] = [:]) { self.fields = fields }

  /// Creates a form that changes an alert. Destinations appear without their secret parts.
  package init(_ alert: Alert) {
    fields = ["id": "\(alert.id)", "version": Self.version(alert), "name": alert.name]
    for (index, destination) in Set(alert.destinations.map(\.shown)).sorted().enumerated() {
      fields["\(Self.destinationField)\(index + 1)"] = destination
    }
    if alert.minimumUsers != alert.condition.standardMinimum { fields["users"] = "\(alert.minimumUsers)" }
    if let question = alert.condition.question {
      (fields["question"], fields["period"]) = (question.address, question.period.rawValue)
    }
    let (kind, limit): (AlertCondition.Kind, Double?)
    switch alert.condition {
    case .above(let number, _): (kind, limit) = (.above, number)
    case .below(let number, _): (kind, limit) = (.below, number)
    case .changed(let number, _): (kind, limit) = (.changed, number)
    case .crashFreeUsersBelow(let percent, _): (kind, limit) = (.crashFree, percent)
    case .nothingArrived(let hours): (kind, limit) = (.silent, Double(hours))
    case .newError: (kind, limit) = (.newError, nil)
    case .errorCameBack: (kind, limit) = (.cameBack, nil)
    case .serverProblem: return
    }
    fields["kind"] = kind.rawValue
    // In full precision; whole numbers without a decimal point.
    fields["limit"] = limit.map { number in Int(exactly: number).map(String.init) ?? "\(number)" }
  }

  /// False if the alert has changed since the form was opened.
  package func isUpToDate(with alert: Alert) -> Bool { fields["version"] == Self.version(alert) }

  /// Each change moves the time of the last one on.
  private static func version(_ alert: Alert) -> String { "\(alert.changed.millisecondsSince1970)" }

  /// The number of the alert that the form changes; `nil` for a new one.
  var alertID: Int64? { fields["id"].flatMap { Int64($0) } }

  /// The name, or one that says the condition if the field is empty.
  package func name(_ condition: AlertCondition) -> String {
    let name = (fields["name"] ?? "").trimmed
    return name.isEmpty ? Self.words(condition, limit: 60) : name
  }

  /// The number of users that a period needs; `nil` for the condition's own.
  package func minimumUsers() throws(WarehouseError) -> Int? {
    let text = (fields["users"] ?? "").trimmed
    guard !text.isEmpty else { return nil }
    guard let number = Int(text) else {
      throw WarehouseError(.invalid, "Enter a whole number of users, or leave the field empty.")
    }
    return number
  }

  /// The condition.
  ///
  /// Throws ``Warehouse/WarehouseError`` with code `invalid` if a field that it needs is missing or isn't a number.
  ///
  /// - Parameter old: The condition of the alert that the form changes.
  package func condition(replacing old: AlertCondition? = nil) throws(WarehouseError) -> AlertCondition {
    guard let kind = AlertCondition.Kind(rawValue: fields["kind"] ?? "") else {
      throw WarehouseError(.invalid, "Choose a condition.")
    }
    if let text = fields["period"], !text.isEmpty, AlertPeriod(rawValue: text) == nil {
      throw WarehouseError(.invalid, "Choose day or hour.")
    }
    let question = question(replacing: old?.question)
    switch kind {
    case .above: return .above(try number(), question)
    case .below:
      // Both say the same; the share of few users is chance, for which this one has a minimum.
      let isCrashFree = alertID == nil && isCrashFree
      return isCrashFree
        ? .crashFreeUsersBelow(percent: try number(), question.period) : .below(try number(), question)
    case .changed: return .changed(byPercent: try number(), question)
    case .crashFree:
      return isCrashFree ? .crashFreeUsersBelow(percent: try number(), question.period) : .below(try number(), question)
    case .silent:
      guard let hours = Int(exactly: try number()) else {
        throw WarehouseError(.invalid, "Enter a whole number of hours.")
      }
      return .nothingArrived(hours: hours)
    case .newError: return .newError
    case .cameBack: return .errorCameBack
    case .server: return .serverProblem
    }
  }

  /// True if the form has a limit, right or wrong.
  var hasLimit: Bool { !(fields["limit"] ?? "").trimmed.isEmpty }

  private func number() throws(WarehouseError) -> Double {
    let text = (fields["limit"] ?? "").trimmed
    // Swift reads hexadecimal numbers, too, which here are a slip.
    guard text.utf8.allSatisfy({ "+-.0123456789eE".utf8.contains($0) }), let number = Double(text), number.isFinite
    else {
      throw WarehouseError(.invalid, "Enter a number as the limit.")
    }
    return number
  }
}

/// The figure that the form asks about.
extension AlertForm {
  static let crashFreeQuery = "metric=crash_free_users"
  /// The parameters of questions that an alert's figure has. It has no days, comparison or breakdown.
  private static let parameters: Set<String> = Set(
    ["metric", "property", "per", "order", "window", "identity", "segment", "filters"]
      + FilterRow.numbers.map { "f\($0)" })
  /// These, and the names that addresses have for events and steps; forms have others.
  private static let addressed = parameters.union(
    ["event", "screen", "kind", "perof"] + QuestionForm.steps.map { "s\($0)" })
  private static let posted = parameters.union(
    FilterRow.numbers.flatMap { ["o\($0)", "v\($0)"] }
      + (0...QuestionForm.steps.upperBound).flatMap { ["k\($0)", "n\($0)"] })

  /// True if the form asks about a figure; false for errors, silence and the server.
  var isAboutFigure: Bool {
    switch kind {
    case .above, .below, .changed, .crashFree: true
    case .silent, .newError, .cameBack, .server: false
    }
  }

  /// The kind of the condition, if none is chosen that of most alerts about the figure.
  var kind: AlertCondition.Kind {
    AlertCondition.Kind(rawValue: fields["kind"] ?? "") ?? (unit(of: figure) == .percent ? .below : .above)
  }

  /// The question of the figure, as the builder shows it.
  var figure: QuestionForm {
    guard let address = fields["question"] else { return Self.figure(fields["page"] ?? "", fields, Self.posted) }
    return Self.figure(AlertQuestion(address: address, period: nil))
  }

  static func figure(_ question: AlertQuestion) -> QuestionForm {
    figure(question.page, URLEncodedForm(question.query).values, addressed)
  }

  private static func figure(_ page: String, _ values: [String: String], _ names: Set<String>) -> QuestionForm {
    QuestionForm(
      page == QuestionPage.funnels.rawValue ? .funnels : .explore, values.filter { names.contains($0.key) },
      segments: [])
  }

  private var period: AlertPeriod { AlertPeriod(rawValue: fields["period"] ?? "") ?? .day }

  private var isCrashFree: Bool { figure.page == .explore && query(of: figure) == Self.crashFreeQuery }

  /// The question: that of an address as it is, or that of the builder's fields.
  ///
  /// - Parameter old: The stored question. What the builder doesn't show of it stays, because another condition would begin
  ///   anew.
  func question(replacing old: AlertQuestion? = nil) -> AlertQuestion {
    if let address = fields["question"] { return AlertQuestion(address: address, period: period) }
    let figure = figure
    let question = AlertQuestion(page: figure.page.rawValue, query: query(of: figure), period: period)
    if let old, old.period == period, old.page == question.page, query(of: Self.figure(old)) == question.query {
      return old
    }
    return question
  }

  private func query(of figure: QuestionForm) -> String {
    // Addresses leave the usual metric out; an alert names it.
    figure.page == .explore ? figure.query([("metric", figure["metric"] ?? "users")]) : figure.query()
  }

  private func unit(of figure: QuestionForm) -> FigureUnit {
    AlertQuestion(page: figure.page.rawValue, query: query(of: figure), period: .day).unit
  }

  /// The unit of the limit, as far as the fields say it.
  var limitUnit: FigureUnit {
    switch kind {
    case .changed, .crashFree: .percent
    case .above, .below: unit(of: figure)
    case .silent, .newError, .cameBack, .server: .number
    }
  }

  /// A condition in words, such as `Events of Order below 10 per day`.
  static func words(_ condition: AlertCondition, limit: Int = 300) -> String {
    switch condition {
    case .above(_, let question), .below(_, let question), .changed(_, let question):
      let figure = figure(question)
      let filters = FilterRows(figure.rows, others: figure.otherFilters).words
      let name = figure.page == .funnels ? figure.stepNames.map { shown($0, limit: 60) }.joined(separator: " → ") : ""
      let words = [QuestionPage.alertFigureName(question), name].filter { !$0.isEmpty }.joined(separator: " ")
      return shown("\(([words] + filters).joined(separator: ", ")) \(condition.text)", limit: limit)
    case .crashFreeUsersBelow, .nothingArrived, .newError, .errorCameBack, .serverProblem:
      return titled(condition.text)
    }
  }
}
