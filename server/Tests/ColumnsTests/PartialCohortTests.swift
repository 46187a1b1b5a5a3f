import Columns
import Questions
import QuestionsTestSupport
import Testing
import Threads
import Warehouse

/// Cohorts of which a range has only some days.
struct PartialCohortTests {
  /// A Friday.
  private let today = Day(year: 2026, month: 11, day: 27)

  private func partial(_ range: QuestionRange, _ unit: TimeUnit = .week) throws -> [String] {
    let rows = (0..<60).map { day in
      QuestionRow(
        id: Int64(60 - day), time: Int64(today.number - day) * 86_400_000, kind: .event, name: "A", install: "i\(day)")
    }
    let question = Question.retention(
      RetentionQuestion(scope: QuestionScope(range: range), interval: unit, cohort: .recurring))
    let answer = try ColumnEvaluation.answer(
      question, ColumnSnapshot(rows.reversed(), rowsPerChunk: 100), calendar: try #require(QuestionCalendar("UTC")),
      today: today, limits: QuestionLimits(), threads: .test(1)
    ).answer
    guard case .retention(let retention) = answer else { return [] }
    return retention.partial
  }

  @Test func `weeks that the range cuts, or that are not over, are partial`() throws {
    #expect(try partial(.days(30)) == ["2026-10-26", "2026-11-23"])
    let monday = Day(year: 2026, month: 11, day: 2)
    #expect(try partial(.dates(monday, monday.advanced(by: 13))) == [])
    #expect(try partial(.dates(monday, monday.advanced(by: 9))) == ["2026-11-09"])
    #expect(try partial(.dates(monday.advanced(by: 1), monday.advanced(by: 13))) == ["2026-11-02"])
  }

  @Test func `days are whole once they are over, and months if the range has them`() throws {
    #expect(try partial(.days(7), .day) == ["2026-11-27"])
    #expect(try partial(.dates(Day(year: 2026, month: 10, day: 1), today), .month) == ["2026-11-01"])
    #expect(try partial(.dates(Day(year: 2026, month: 10, day: 2), today), .month) == ["2026-10-01", "2026-11-01"])
  }
}
