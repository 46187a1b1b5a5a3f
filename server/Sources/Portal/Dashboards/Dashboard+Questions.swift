package import Questions
import ServerBase
package import Warehouse

extension Dashboard {
  /// The days of the questions on the dashboard, from the first to the last; `nil` if it has none.
  package func days(_ scope: DashboardScope, segments: [SavedSegment], today: Day) -> ClosedRange<Day>? {
    if let range = scope.range { return range.resolved(today: today) }
    return cards.compactMap { card in
      QuestionPage(rawValue: card.page).flatMap {
        $0.days(URLEncodedForm(card.query).values, segments: segments, today: today)
      }
    }.reduce(nil) { all, days in
      all.map { min($0.lowerBound, days.lowerBound)...max($0.upperBound, days.upperBound) } ?? days
    }
  }
}

extension DashboardCard {
  /// Checks that the card has a question, and returns it with the parameters that its page knows.
  package func checked(segments: [SavedSegment]) throws(QuestionError) -> DashboardCard {
    guard let page = QuestionPage(rawValue: page) else {
      throw QuestionError("\"\(self.page)\" is not a page that asks a question.", at: "$.page")
    }
    _ = try page.sharedQuestion(query: query, segments: segments)
    var checked = self
    checked.query = QuestionForm(page, URLEncodedForm(query).values, segments: segments).query()
    return checked
  }
}
