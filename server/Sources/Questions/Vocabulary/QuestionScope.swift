/// The part that all questions have: which rows, and who counts as one person.
package struct QuestionScope: Hashable, Sendable {
  package var range: QuestionRange
  /// Conditions that a row must pass, all of them.
  package var filters: [QuestionFilter]
  package var person: PersonKey

  package init(range: QuestionRange = .days(30), filters: [QuestionFilter] = [], person: PersonKey = .install) {
    self.range = range
    self.filters = filters
    self.person = person
  }
}
