package import Outgoing
package import TernEvents
import Warehouse

package enum AlertMessage {
  /// Makes the message about an event: the same figures for every destination.
  ///
  /// - Parameters:
  ///   - app: The name of the app; `nil` for an alert about the server.
  ///   - crashes: The groups of crashes behind a figure, those with the most users first.
  ///   - context: What is usual for a figure, and what may have caused it.
  ///   - portal: The address of the portal without a slash at its end; `nil` if unknown.
  package static func make(
    _ event: AlertEvent, of alert: Alert, app: String?, crashes: [CrashNotice] = [],
    context: FigureContext = FigureContext(), id: UniqueID, at time: Timestamp, portal: String?
  ) -> OutgoingMessage {
    let name = AlertText.short(alert.name)
    let place = app.map { AlertText.short($0) } ?? "Tern"
    var facts = [OutgoingMessage.Fact("alert", "Alert", name)]
    if let app { facts.append(.init("app", "App", app)) }
    facts += Self.facts(event, alert, crashes, context)
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
      return ("alert.breached", short(figure, alert), sentence(figure, isOutside: true, alert))
    case .recovered(let figure):
      return (
        "alert.recovered", "over: \(short(figure, alert))",
        "It is over. \(sentence(figure, isOutside: false, alert))"
      )
    case .corrected(let figure, let isOutside, let isRaised):
      return correction(figure, isOutside: isOutside, isRaised: isRaised, alert)
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

  /// The path of the page with more, below the portal's address.
  private static func path(_ event: AlertEvent, _ alert: Alert) -> String {
    guard let app = alert.app else { return "/" }
    if case .errors(let errors, let count) = event {
      return count == 1 ? "/apps/\(app)/error?group=\(errors[0].group)" : "/apps/\(app)/errors"
    }
    guard let question = alert.condition.question else { return "/apps/\(app)/live" }
    // A failing question is shown as it was asked.
    let query = event.figure.map { question.query(ofPeriod: $0.number) } ?? question.query
    return "/apps/\(app)/\(question.page)?\(query)"
  }
}
