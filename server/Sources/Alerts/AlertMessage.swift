package import Outgoing
package import TernEvents
import Warehouse

/// The messages of alerts.
package enum AlertMessage {
  /// Makes the message about an event: the same figures for every destination.
  ///
  /// - Parameters:
  ///   - app: The name of the app; `nil` for an alert about the server.
  ///   - portal: The address of the portal without a slash at its end; `nil` if unknown.
  package static func make(
    _ event: AlertEvent, of alert: Alert, app: String?, id: UniqueID, at time: Timestamp, portal: String?
  ) -> OutgoingMessage {
    let name = AlertText.short(alert.name)
    let place = app.map { AlertText.short($0) } ?? "Tern"
    var facts = [OutgoingMessage.Fact("alert", "Alert", name)]
    if let app { facts.append(.init("app", "App", app)) }
    let (kind, title, text) = words(event, alert, &facts)
    facts.append(.init("condition", "Condition", alert.condition.text))
    return OutgoingMessage(
      id: id, time: time, event: kind, title: "\(place): \(name) – \(title)", text: text, facts: facts,
      link: portal.map { $0 + path(event, alert) })
  }

  private static func words(
    _ event: AlertEvent, _ alert: Alert, _ facts: inout [OutgoingMessage.Fact]
  ) -> (kind: String, title: String, text: String) {
    switch event {
    case .breached(let figure):
      add(figure, alert, &facts)
      let value = text(figure.value, alert)
      return ("alert.breached", value, "The figure is \(value) in the \(unit(alert)) \(figure.label).")
    case .recovered(let figure):
      add(figure, alert, &facts)
      let value = text(figure.value, alert)
      return (
        "alert.recovered", "over: \(value)", "It is over: the figure is \(value) in the \(unit(alert)) \(figure.label)."
      )
    case .silent(let since):
      facts.append(.init("since", "Last arrival", since.utcText(withMilliseconds: false)))
      return (
        "alert.breached", "nothing arrives", "Nothing has arrived since \(since.utcText(withMilliseconds: false))."
      )
    case .arriving(let time):
      facts.append(.init("since", "Last arrival", time.utcText(withMilliseconds: false)))
      return ("alert.recovered", "over: events arrive", "It is over: events are arriving again.")
    case .errors(let errors, let count):
      facts.append(.init("count", "Errors", .number(Double(count)), text: "\(count)"))
      for (index, error) in errors.enumerated() {
        let place = error.place.isEmpty ? "" : " in \(error.place)"
        let version = error.version.isEmpty ? "" : ", version \(error.version)"
        facts.append(
          .init("error\(index + 1)", "Error \(error.group)", AlertText.short("\(error.type)\(place)\(version)")))
      }
      let isNew = alert.condition == .newError
      let first = AlertText.short(errors.first?.type ?? "")
      let more = count > 1 ? " and \(count - 1) more" : ""
      return (
        isNew ? "alert.new_error" : "alert.error_came_back", first + more,
        isNew ? "Errors of a new kind occurred: \(first)\(more)." : "Closed errors came back: \(first)\(more)."
      )
    case .problem(let problem):
      return ("server.problem", AlertText.short(problem.summary), "\(problem.summary) \(problem.detail)")
    case .problemOver(let summary):
      return ("server.recovered", "over: \(AlertText.short(summary))", "It is over: \(summary)")
    case .failing(let reason):
      return ("alert.failing", "can’t be evaluated", "The alert can’t be evaluated: \(reason)")
    case .working: return ("alert.working", "evaluated again", "The alert is being evaluated again.")
    }
  }

  private static func add(_ figure: PeriodFigure, _ alert: Alert, _ facts: inout [OutgoingMessage.Fact]) {
    facts.append(.init("period", "Period", figure.label))
    if let value = figure.value { facts.append(.init("value", "Figure", .number(value), text: text(value, alert))) }
    if let before = figure.before {
      facts.append(.init("before", "Period before", .number(before), text: text(before, alert)))
    }
    facts.append(.init("users", "Users", .number(Double(figure.users)), text: "\(figure.users)"))
    switch alert.condition {
    case .above(let limit, _), .below(let limit, _):
      facts.append(.init("limit", "Limit", .number(limit), text: AlertText.number(limit)))
    case .changed(let percent, _), .crashFreeUsersBelow(let percent, _):
      facts.append(.init("limit", "Limit", .number(percent), text: "\(AlertText.number(percent)) %"))
    case .nothingArrived, .newError, .errorCameBack, .serverProblem: break
    }
  }

  private static func text(_ value: Double?, _ alert: Alert) -> String {
    guard let value else { return "–" }
    if case .crashFreeUsersBelow = alert.condition { return AlertText.percent(value) }
    return AlertText.number(value)
  }

  private static func unit(_ alert: Alert) -> String { alert.condition.question?.period.rawValue ?? "period" }

  /// The path of the page with more, below the portal's address.
  private static func path(_ event: AlertEvent, _ alert: Alert) -> String {
    guard let app = alert.app else { return "/" }
    if case .errors(let errors, let count) = event {
      return count == 1 ? "/apps/\(app)/error?group=\(errors[0].group)" : "/apps/\(app)/errors"
    }
    guard let question = alert.condition.question else { return "/apps/\(app)/live" }
    return "/apps/\(app)/\(question.page)?\(question.query)"
  }
}
