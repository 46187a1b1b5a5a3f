package import Warehouse

/// Answers questions about the rows of a warehouse.
package protocol QuestionSource: Sendable {
  /// Answers a question over all rows that were stored before the call.
  ///
  /// Throws `CancellationError` when the task is cancelled, and ``QuestionError`` with code `tooSlow` or `tooLarge` when
  /// time or memory run out.
  ///
  /// - Parameters:
  ///   - question: A question whose range is two dates: ``Question/resolved(today:)``.
  ///   - app: The app.
  ///   - calendar: The calendar of the app's time zone.
  ///   - today: The current day in that zone, which decides on the intervals that have not ended.
  func answer(
    _ question: Question, app: AppID, calendar: sending QuestionCalendar, today: Day
  ) async throws -> QuestionResult

  /// Answers queries about the same persons as one by one, but reads the rows once for all of them; throws what answers throw. The
  /// limits of time and memory are those of one question.
  ///
  /// - Parameter questions: Queries whose ranges are two dates, with one ``QuestionScope/person``.
  func answers(
    _ questions: [QueryQuestion], app: AppID, calendar: sending QuestionCalendar, today: Day
  ) async throws -> [QuestionResult]

  /// Returns the numbers of the errors whose rows pass, in order; throws what answers throw.
  ///
  /// - Parameter scope: The rows, with a range of two dates.
  func errors(
    in scope: QuestionScope, app: AppID, calendar: sending QuestionCalendar, today: Day
  ) async throws -> [Int64]

  /// Returns the properties of an app with the number of stored rows that have each, the most frequent first.
  func properties(app: AppID) async throws -> [PropertyUse]

  /// Returns the given values that no row of the app has ever had, each with the values that are most like it. Values of a
  /// kind are left out if the app has none of that kind yet.
  func unknownValues(among values: Set<NamedValue>, app: AppID) async throws -> [NamedValue: [String]]
}

/// A property, and the number of rows that have it.
package struct PropertyUse: Equatable, Sendable {
  package var name: String
  package var rows: Int

  package init(name: String, rows: Int) {
    self.name = name
    self.rows = rows
  }
}

/// An answer with the number of rows that were read for it.
package struct QuestionResult: Equatable, Sendable {
  package var answer: Answer
  package var rowsRead: Int
  /// The first day whose rows are kept; `nil` if all are.
  package var firstKeptDay: Day?

  package init(_ answer: Answer, rowsRead: Int, firstKeptDay: Day? = nil) {
    self.answer = answer
    self.rowsRead = rowsRead
    self.firstKeptDay = firstKeptDay
  }
}
