package import Questions
package import TernEvents
import Warehouse

/// The periods whose figures show how often an alert would have fired, oldest first.
package struct PastPeriods: Sendable {
  /// The number of days.
  package let days: Int
  package let periods: [EndedPeriods]
  let question: FigureQuestion

  /// Finds the periods of the last 90 days. Of a funnel, which is asked about for each day, of 30 days.
  package init(_ period: AlertPeriod, of question: FigureQuestion, at now: Timestamp, in calendar: QuestionCalendar) {
    let isFunnel = if case .funnel = question { true } else { false }
    self.init(period, of: question, days: isFunnel ? 30 : 90, at: now, in: calendar)
  }

  package init(
    _ period: AlertPeriod, of question: FigureQuestion, days: Int, at now: Timestamp, in calendar: QuestionCalendar
  ) {
    (self.days, self.question) = (days, question)
    periods = EndedPeriods.past(period, days: days, at: now, in: calendar)
  }

  /// The questions for the figures of all periods; none if there is no figure.
  package var questions: [Question] {
    guard let first = periods.first, let last = periods.last else { return [] }
    switch question {
    case .query(let query):
      let days = first.days.lowerBound...last.days.upperBound
      return EndedPeriods.question(query, over: days, first.unit).map { [$0] } ?? []
    case .funnel:
      let all = periods.map { $0.questions(question) ?? [] }
      // Each period's own, after that of the period before the first.
      return (all.first?.suffix(1) ?? []) + all.compactMap(\.first)
    }
  }

  /// Reads the figures of all periods from the answers; `nil` if they don't match the questions.
  package func figures(_ answers: [Answer]) -> [PeriodFigure]? {
    switch question {
    case .query(let query):
      guard case .query(let answer)? = answers.first, let metric = query.metrics.first else { return nil }
      let rows = EndedPeriods.rows(of: answer)
      return periods.map { $0.figure(rows, of: metric) }
    case .funnel:
      guard answers.count == periods.count + 1 else { return nil }
      let figures = periods.enumerated().compactMap { $1.figure([answers[$0 + 1], answers[$0]], of: question) }
      return figures.count == periods.count ? figures : nil
    }
  }
}

/// The reports that an alert would have made about past periods, decided by the code of a running alert.
package struct AlertReplay: Sendable {
  /// The figures at which the alert would have fired, oldest first.
  package let breaches: [PeriodFigure]

  /// - Parameter figures: The figures of consecutive periods, oldest first.
  package init(_ alert: Alert, _ figures: [PeriodFigure]) {
    var alert = alert
    alert.mutedUntil = nil
    var machine = AlertMachine(alert, AlertState())
    breaches = figures.flatMap { figure in
      machine.handle(.figure(figure), now: Timestamp(millisecondsSince1970: 0)).compactMap { event in
        if case .breached(let figure) = event { figure } else { nil }
      }
    }
  }
}
