import Outgoing
package import Questions
import Warehouse

/// The part of messages that is about figures.
extension AlertMessage {
  /// The words about a day that late data moved across the limit.
  ///
  /// The kind is that of a breach or of its end only if the alert is raised, or isn't: programs that open and close
  /// incidents follow it.
  static func correction(
    _ figure: PeriodFigure, isOutside: Bool, isRaised: Bool, _ alert: Alert
  ) -> (kind: String, title: String, text: String) {
    let (kind, end) =
      switch (isOutside, isRaised) {
      case (true, true): ("alert.breached", "")
      case (false, false): ("alert.taken_back", "")
      case (true, false): ("alert.corrected", " The last day is inside the limit.")
      case (false, true): ("alert.corrected", " The last day is still outside the limit.")
      }
    return (
      kind, "\(isOutside ? "late data" : "taken back"): \(short(figure, alert))",
      "Data that arrived late has changed this figure. \(sentence(figure, isOutside: isOutside, alert))\(end)"
    )
  }

  /// For example `96.26 % on 27 November`.
  static func short(_ figure: PeriodFigure, _ alert: Alert) -> String {
    guard let question = alert.condition.question, let value = figure.value else { return "" }
    return "\(text(value, alert)) \(question.period.words(figure.number))"
  }

  private static func text(_ value: Double, _ alert: Alert) -> String {
    // The limit of a change isn't one of the figure.
    if case .changed(_, let question) = alert.condition { return question.unit.text(value) }
    return (alert.condition.question?.unit ?? .number).text(value, beside: alert.condition.limit)
  }

  /// For example `Crash-free users: 96.26 % on 27 November, below the limit of 99 %.`
  static func sentence(_ figure: PeriodFigure, isOutside: Bool, _ alert: Alert) -> String {
    let start = "\(AlertText.short(figure.name)): \(short(figure, alert))"
    guard let question = alert.condition.question, let limit = alert.condition.limit else { return "\(start)." }
    let (unit, no) = (question.unit, isOutside ? "" : "not ")
    switch alert.condition {
    case .above: return "\(start), \(no)above the limit of \(unit.text(limit: limit))."
    case .below, .crashFreeUsersBelow: return "\(start), \(no)below the limit of \(unit.text(limit: limit))."
    case .changed:
      guard let change = figure.change, let before = figure.before else { return "\(start)." }
      return "\(start), after \(unit.text(before)) the \(question.period.rawValue) before: a change of "
        + "\(FigureUnit.percent.text(change, beside: limit)), \(no)more than the limit of "
        + "\(FigureUnit.percent.text(limit: limit))."
    case .nothingArrived, .newError, .errorCameBack, .serverProblem: return "\(start)."
    }
  }

  /// The facts of a message about the figure of a period, and the crashes behind it.
  static func facts(
    _ event: AlertEvent, _ alert: Alert, _ crashes: [CrashNotice], _ context: FigureContext
  ) -> [OutgoingMessage.Fact] {
    guard let figure = event.figure, let question = alert.condition.question else { return [] }
    let unit = question.unit
    var facts = [OutgoingMessage.Fact("period", "Period", figure.label)]
    if let value = figure.value {
      facts.append(.init("value", AlertText.short(figure.name), .number(value), text: text(value, alert)))
    }
    if let limit = alert.condition.limit, let limitUnit = alert.condition.limitUnit {
      facts.append(.init("limit", "Limit", .number(limit), text: limitUnit.text(limit: limit)))
    }
    if let before = figure.before {
      facts.append(.init("before", "The \(question.period.rawValue) before", .number(before), text: unit.text(before)))
    }
    if let usual = context.usual {
      facts.append(
        .init(
          "usual", "Usual in the \(FigureContext.usualDays) days before",
          "\(unit.text(usual.lowerBound)) to \(unit.text(usual.upperBound))"))
    }
    if let release = context.release {
      let since = AlertPeriod.day.words(QuestionCalendar.number(of: .day, on: release.day))
      facts.append(.init("release", "Release before it", "\(AlertText.short(release.version)), which began \(since)"))
    }
    if let note = question.metric?.note { facts.append(.init("note", "Note", note)) }
    facts.append(.init("users", "Users", .number(Double(figure.users)), text: "\(figure.users)"))
    for (index, crash) in crashes.prefix(CrashNotice.maximumCount).enumerated() {
      let place = crash.place.isEmpty ? "" : " in \(crash.place)"
      let users = "\(crash.users) user\(crash.users == 1 ? "" : "s")"
      facts.append(.init("crash\(index + 1)", "Crash \(index + 1)", "\(AlertText.short(crash.type + place)), \(users)"))
    }
    facts.append(.init("status", "The alert is", event.isRaised ? "raised" : "quiet"))
    return facts
  }
}

extension AlertPeriod {
  private static let months = [
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
  ]

  /// The unit of the calendar.
  package var unit: TimeUnit { self == .hour ? .hour : .day }

  /// A period in words, by its number in the calendar: `on 27 November`, or `from 08:00 to 09:00 on 27 November`.
  func words(_ number: Int) -> String {
    let day = QuestionCalendar.firstDay(of: unit, number: number)
    let date = "on \(day.components.day) \(Self.months[day.components.month - 1])"
    guard self == .hour else { return date }
    let hour = number - day.number * 24
    return "from \(Self.clock(hour)) to \(Self.clock(hour + 1)) \(date)"
  }

  private static func clock(_ hour: Int) -> String { "\(hour < 10 ? "0" : "")\(hour):00" }
}

extension AlertQuestion {
  /// The query with a period instead of its own days, for the page that shows the figure of that period. That of an hour
  /// is shown among those of its day.
  func query(ofPeriod number: Int) -> String {
    let day = QuestionCalendar.firstDay(of: period.unit, number: number)
    let kept = parameters { !["days", "from", "to", "interval"].contains($0) }
    let hours = period == .hour ? ["interval=hour"] : []
    return (kept + hours + ["from=\(day)", "to=\(day)"]).joined(separator: "&")
  }
}
