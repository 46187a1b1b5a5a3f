package import Alerts
package import Questions
import ServerBase
package import Warehouse

extension QuestionPage {
  /// Returns the question of an alert. Only Explore and Funnels have one figure per period: retention is final only
  /// when later periods are over, and the other pages have many figures.
  ///
  /// Throws `QuestionError` if the page has no such figure, the query is invalid, or the question names persons.
  package static func alertFigure(
    _ question: AlertQuestion, segments: [SavedSegment]
  ) throws(QuestionError) -> FigureQuestion {
    let names = Set(URLEncodedForm(question.query).values.keys)
    guard names.isSubset(of: QuestionPage.known), !question.query.contains(where: { $0.isWhitespace }) else {
      throw QuestionError(
        "Expected the query of the page's address, such as metric=events&event=Order, and nothing else.", at: "$.query")
    }
    switch try QuestionPage(rawValue: question.page)?.sharedQuestion(query: question.query, segments: segments) {
    case .query(let query): return .query(query)
    case .funnel(let funnel):
      guard question.period == .day else {
        throw QuestionError("A funnel has a figure for each day, not for each hour. Choose days.", at: "$.period")
      }
      return .funnel(funnel)
    default:
      throw QuestionError(
        "An alert needs one figure for each hour or day. Use a question of Explore or Funnels.", at: "$.page")
    }
  }

  /// Returns the figure of an alert's question in words, such as `Crash-free users` or `Events of Order`.
  package static func alertFigureName(_ question: AlertQuestion) -> String {
    guard question.page != funnels.rawValue else { return "Conversion of the funnel" }
    let form = QuestionForm(.explore, URLEncodedForm(question.query).values, segments: [])
    let subject = form.divisor == nil ? form.subject?.name ?? "" : ""
    return subject.isEmpty ? form.metricName : "\(form.metricName) of \(shown(subject))"
  }
}
