package import Alerts
package import Questions
package import Warehouse

extension QuestionPage {
  /// Returns the query of an alert's page, which is the only kind of question with one figure per period.
  ///
  /// Throws `QuestionError` if the page has none, its form has a fault, or the question names persons.
  package static func alertQuery(
    _ question: AlertQuestion, segments: [SavedSegment]
  ) throws(QuestionError) -> QueryQuestion {
    guard let page = QuestionPage(rawValue: question.page),
      case .query(let query) = try page.sharedQuestion(query: question.query, segments: segments)
    else {
      throw QuestionError(
        "An alert needs a figure for each hour or day, which questions of Explore have.", at: "$.page")
    }
    return query
  }
}
