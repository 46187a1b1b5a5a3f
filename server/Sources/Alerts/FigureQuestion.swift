package import Questions
import TernEvents
import Warehouse

/// A question that has one figure for each period.
package enum FigureQuestion: Sendable {
  /// The first metric of a query.
  case query(QueryQuestion)
  /// The percentage of those who began a funnel on a day that took all steps by its end.
  case funnel(FunnelQuestion)
}

extension EndedPeriods {
  /// Returns the questions for the figures and users of both periods; `nil` if there is no figure.
  package func questions(_ question: FigureQuestion) -> [Question]? {
    switch question {
    case .query(let query): self.question(query).map { [$0] }
    case .funnel(let funnel):
      [last, before].map { number in
        var funnel = funnel
        funnel.breakdown = nil
        funnel.scope = QuestionScope(
          range: .dates(day(number), day(number)), filters: funnel.scope.filters, person: funnel.scope.person)
        return .funnel(funnel)
      }
    }
  }

  /// Reads the figure of the last period from the answers; `nil` if they don't match the question.
  package func figure(_ answers: [Answer], of question: FigureQuestion) -> PeriodFigure? {
    switch question {
    case .query(let query):
      guard case .query(let answer)? = answers.first, let metric = query.metrics.first else { return nil }
      return figure(answer, of: metric)
    case .funnel:
      let shares = answers.compactMap { answer -> (value: Double?, users: Int)? in
        guard case .funnel(let funnel) = answer else { return nil }
        let steps = funnel.groups.first?.steps ?? []
        return (steps.last?.fromFirst.map(FigureUnit.percent.figure), steps.first?.persons ?? 0)
      }
      guard shares.count == 2 else { return nil }
      return PeriodFigure(
        number: last, label: label, value: shares[0].value, before: shares[1].value, users: shares[0].users,
        usersBefore: shares[1].users, isCount: false)
    }
  }

  private func day(_ number: Int) -> Day { QuestionCalendar.firstDay(of: unit, number: number) }
}
