package import Alerts
package import Questions
package import Warehouse

extension QuestionPage {
  /// Returns the question of an alert's page: only those of Explore and Funnels have one figure per period. Retention is
  /// final only when later periods are over, and the others have many figures.
  ///
  /// Throws `QuestionError` if the page has none, its form has a fault, or the question names persons.
  package static func alertFigure(
    _ question: AlertQuestion, segments: [SavedSegment]
  ) throws(QuestionError) -> FigureQuestion {
    switch try QuestionPage(rawValue: question.page)?.sharedQuestion(query: question.query, segments: segments) {
    case .query(let query): return .query(query)
    case .funnel(let funnel):
      guard question.period == .day else {
        throw QuestionError("A funnel has a figure for each day, not for hours. Choose days.", at: "$.period")
      }
      return .funnel(funnel)
    default:
      throw QuestionError(
        "An alert needs a figure for each hour or day, which questions of Explore and Funnels have.", at: "$.page")
    }
  }
}
