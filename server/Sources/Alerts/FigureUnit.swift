import JSON
package import Questions
import Warehouse

/// The unit of an alert's figure and of its limit, the same in forms, requests and messages.
package enum FigureUnit: String, Sendable, Hashable, CaseIterable {
  case number = ""
  /// A share. Limits and figures are percentages from 0 to 100, although answers to questions have shares from 0 to 1.
  case percent = "%"
  case seconds = "s"

  /// The figure of an answer in this unit.
  func figure(_ value: Double) -> Double {
    // Without the rounding, the share 0.29 would be below 29 %.
    self == .percent ? (value * 1e12).rounded() / 1e10 : value
  }

  /// A figure with its unit. Shares are rounded down, so that 99.999 % doesn't read as 100 %, and durations are those of
  /// pages.
  func text(_ figure: Double) -> String {
    switch self {
    case .number: AlertText.number(figure)
    case .percent: "\(AlertText.number((figure * 100 + 1e-9).rounded(.down) / 100)) %"
    case .seconds: durationText(seconds: figure)
    }
  }

  /// A figure with its unit, in full precision if it would otherwise read like a limit that it isn't.
  func text(_ figure: Double, beside limit: Double?) -> String {
    let short = text(figure)
    guard let limit, figure != limit else { return short }
    return [text(limit: limit), text(limit)].contains(short) ? exact(figure) : short
  }

  /// A limit with its unit, in full precision.
  package func text(limit: Double) -> String {
    self == .seconds && Self.isExact(seconds: limit) ? durationText(seconds: limit) : exact(limit)
  }

  private func exact(_ figure: Double) -> String {
    let number = JSONNumber.plain(figure)
    return self == .number ? number : "\(number) \(rawValue)"
  }

  /// True if the text of a duration leaves nothing out: it has two units, and tenths below a minute.
  private static func isExact(seconds: Double) -> Bool {
    switch abs(seconds) {
    case ..<60: seconds * 10 == (seconds * 10).rounded()
    case ..<3_600: seconds == seconds.rounded()
    case ..<86_400: seconds.remainder(dividingBy: 60) == 0
    default: seconds.remainder(dividingBy: 3_600) == 0
    }
  }
}

extension QuestionMetric {
  /// The unit of the metric in alerts.
  package var unit: FigureUnit {
    switch self {
    case .plain(.crashFreeUsers), .plain(.crashFreeSessions): .percent
    case _ where isSessionDuration: .seconds
    case .derived(let derived): derived.divisor == nil ? derived.term.metric.unit : .number
    case .plain, .property: .number
    }
  }
}

extension AlertQuestion {
  /// The metric that the query names; `nil` for a page that has none, and for one of a property or that is divided.
  var metric: QuestionMetric? {
    page == "funnels" || parameter("per") != nil ? nil : QuestionMetric(parameter("metric") ?? "users")
  }

  /// The unit of the figure, by the page and the metric.
  package var unit: FigureUnit { page == "funnels" ? .percent : metric?.unit ?? .number }
}

extension AlertCondition {
  /// The limit of a figure or of its change; `nil` for a condition without one.
  package var limit: Double? {
    switch self {
    case .above(let limit, _), .below(let limit, _), .changed(let limit, _), .crashFreeUsersBelow(let limit, _): limit
    case .nothingArrived, .newError, .errorCameBack, .serverProblem: nil
    }
  }

  /// The unit of the limit; `nil` for a condition without one.
  package var limitUnit: FigureUnit? {
    switch self {
    case .above(_, let question), .below(_, let question): question.unit
    case .changed, .crashFreeUsersBelow: .percent
    case .nothingArrived, .newError, .errorCameBack, .serverProblem: nil
    }
  }
}
