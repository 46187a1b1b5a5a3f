import Questions
import Reports
import Warehouse

/// The one figure of a card's answer, which the card shows in large type above its chart.
struct CardFigure {
  /// The figure in words.
  var value: String
  var change: Change?
  /// The days of the figure, or its subject.
  var about: String

  var values: TemplateValues { ["amount": value, "change": change?.values, "subject": about] }
}

extension QuestionForm {
  /// The comparison of the answer's total: that of the form; a card that compares with nothing has a change since the
  /// previous period, like the figures of reports.
  func totalComparison(of scope: QuestionScope, today: Day) throws(QuestionError) -> Comparison? {
    try comparison(of: scope, today: today)
      ?? (card == nil ? nil : Comparison(scope.range.resolved(today: today), today: today))
  }
}

extension AnsweredQuestion {
  /// The total of a query of one metric; `nil` if rows of its days are gone, so that the total would be that of a part.
  var wholeTotal: Double? {
    guard firstKeptDay == nil, case .query(let answer) = answer else { return nil }
    return answer.totals?.first ?? nil
  }
}
