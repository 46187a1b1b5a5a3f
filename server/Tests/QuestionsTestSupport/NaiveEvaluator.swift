import Ingest
package import Questions
package import Warehouse

/// Answers questions by looking at every row as often as the definition mentions it: the oracle of all evaluators.
///
/// It shares no algorithm with the folds, only the vocabulary, the calendar and the arithmetic of a finished answer.
package struct NaiveEvaluator {
  /// All stored rows, by time, then row id.
  package let rows: [QuestionRow]
  package let calendar: QuestionCalendar
  package let today: Day

  package init(_ rows: [QuestionRow], calendar: QuestionCalendar, today: Day) {
    self.rows = rows.joiningAliases.sorted { ($0.time, $0.id) < ($1.time, $1.id) }
    self.calendar = calendar
    self.today = today
  }

  package func isIn(_ days: ClosedRange<Day>, _ row: QuestionRow) -> Bool { days.contains(calendar.day(of: row.time)) }

  /// The rows of the question's range that pass its filters, those of other kinds included.
  package func passing(_ scope: QuestionScope, in days: ClosedRange<Day>) -> [QuestionRow] {
    rows.filter { row in isIn(days, row) && passes(scope.filters, row, scope.person, days) }
  }

  package func passes(_ filters: [QuestionFilter], _ row: QuestionRow, _ key: PersonKey, _ days: ClosedRange<Day>)
    -> Bool
  {
    filters.allSatisfy { passes($0, row, key, days) }
  }

  private func passes(
    _ filter: QuestionFilter, _ row: QuestionRow, _ key: PersonKey, _ days: ClosedRange<Day>
  ) -> Bool {
    switch filter {
    case .isOneOf(let dimension, let values):
      return row.value(dimension, calendar).map { values.contains($0) } ?? false
    case .isNoneOf(let dimension, let values):
      return row.value(dimension, calendar).map { !values.contains($0) } ?? true
    case .contains(let dimension, let texts):
      guard let text = row.value(dimension, calendar)?.text else { return false }
      return texts.contains { Array(text.utf8).contains(Array($0.text.utf8)) }
    case .compare(let comparison, let dimension, let limit):
      return row.value(dimension, calendar)?.number.map { comparison.holds($0, limit) } ?? false
    case .isSet(let dimension): return row.value(dimension, calendar) != nil
    case .isNotSet(let dimension): return row.value(dimension, calendar) == nil
    case .isError(let group): return row.error == group
    case .all(let filters): return filters.allSatisfy { passes($0, row, key, days) }
    case .any(let filters): return filters.contains { passes($0, row, key, days) }
    case .not(let inner): return !passes(inner, row, key, days)
    case .hasDone(let selector, let count, let length):
      return matches(of: selector, like: row, key, QuestionFilter.days(length, upTo: days)) >= count
    case .hasNotDone(let selector, let length):
      return matches(of: selector, like: row, key, QuestionFilter.days(length, upTo: days)) == 0
    }
  }

  /// The number of rows of a row's person that match a selector in the range.
  private func matches(of selector: Selector, like row: QuestionRow, _ key: PersonKey, _ days: ClosedRange<Day>) -> Int
  {
    rows.count { isIn(days, $0) && $0.person(key) == row.person(key) && matches(selector, $0, key, days) }
  }

  package func matches(_ selector: Selector, _ row: QuestionRow, _ key: PersonKey, _ days: ClosedRange<Day>) -> Bool {
    let isTarget =
      switch selector.target {
      case .event(let name): row.kind == .event && row.name.map { Array($0.utf8) } == Array(name.utf8)
      case .screen(let name): row.kind == .screen && row.name.map { Array($0.utf8) } == Array(name.utf8)
      case .kind(let kind): row.kind == kind
      case .any: row.kind == .event || row.kind == .screen
      }
    return isTarget && passes(selector.filters, row, key, days)
  }

  /// The rows of each person, in order.
  package func persons(_ rows: [QuestionRow], _ key: PersonKey) -> [[String]: [QuestionRow]] {
    Dictionary(grouping: rows) { $0.person(key) }
  }

  /// The first row ever of a person.
  package func firstRow(_ person: [String], _ key: PersonKey) -> QuestionRow? {
    rows.first { $0.person(key) == person }
  }
}
