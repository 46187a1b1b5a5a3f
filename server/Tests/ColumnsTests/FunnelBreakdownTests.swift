import Columns
import Ingest
import JSON
import Questions
import QuestionsTestSupport
import TernBase
import Testing
import Threads
import Warehouse

/// The groups of a funnel's breakdown: each is a funnel that can be asked for.
struct FunnelBreakdownTests {
  private let day = Day(year: 2026, month: 10, day: 20)

  private func answer(_ question: Question, _ rows: [QuestionRow], rowsPerChunk size: Int = 1_000) throws -> Answer {
    try ColumnEvaluation.answer(
      question, ColumnSnapshot(rows, rowsPerChunk: size), calendar: try #require(QuestionCalendar("UTC")),
      today: day.advanced(by: 12), limits: QuestionLimits(), threads: .test(2)
    ).answer
  }

  /// The groups of a funnel; the question goes through JSON, as one from outside.
  private func groups(_ question: FunnelQuestion, _ rows: [QuestionRow], rowsPerChunk size: Int = 1_000) throws
    -> [FunnelAnswer.Group]
  {
    let asked = try Question(.funnel, json: Question.funnel(question).json().encoded)
    guard case .funnel(let answer) = try answer(asked, rows, rowsPerChunk: size) else { return [] }
    return answer.groups
  }

  /// A row of an install on the day.
  private func row(_ minute: Int, _ install: String, _ name: String, _ version: String?) -> QuestionRow {
    var row = QuestionRow(
      id: Int64(minute), time: Int64(day.number) * 86_400_000 + Int64(minute) * 60_000, kind: .event, name: name,
      install: install)
    row.facts[.version] = version
    return row
  }

  private func funnel(_ step: FunnelBreakdownStep?, _ order: FunnelOrder = .ordered) -> FunnelQuestion {
    FunnelQuestion(
      scope: QuestionScope(range: .dates(day, day)),
      steps: [Selector(.event("Library")), Selector(.event("Purchase"))],
      order: order, breakdown: step == nil ? nil : .version, breakdownStep: step ?? .first)
  }

  /// Persons by the value, and then by the step.
  private func persons(_ question: FunnelQuestion, _ rows: [QuestionRow]) throws -> [String: [Int]] {
    Dictionary(
      uniqueKeysWithValues: try groups(question, rows).map { ($0.value?.text ?? "none", $0.steps.map(\.persons)) })
  }

  @Test func `a person counts under each version with which an attempt began`() throws {
    let rows = [
      // Looked with both versions, and bought with the old one.
      row(1, "a", "Library", "3.2"), row(2, "a", "Purchase", "3.2"), row(3, "a", "Library", "3.3"),
      // Bought after the update.
      row(4, "b", "Library", "3.2"), row(5, "b", "Library", "3.3"), row(6, "b", "Purchase", "3.3"),
      // Looked with the new version only.
      row(7, "c", "Library", "3.3"), row(8, "d", "Library", nil),
    ]
    #expect(try persons(funnel(.first), rows) == ["3.2": [2, 2], "3.3": [3, 1], "none": [1, 0]])
    #expect(try persons(funnel(.last), rows) == ["3.2": [4, 1], "3.3": [4, 1]])
    #expect(try persons(funnel(.every), rows) == ["3.2": [2, 1], "3.3": [3, 1], "none": [1, 0]])
    #expect(try persons(funnel(.first, .unordered), rows) == ["3.2": [2, 1], "3.3": [3, 1], "none": [1, 0]])
    #expect(try persons(funnel(nil), rows) == ["none": [4, 2]])
  }

  @Test func `times are those of the attempt that counts under the value`() throws {
    let rows = [
      row(1, "a", "Library", "1"), row(11, "a", "Library", "2"), row(12, "a", "Purchase", "2"),
      row(20, "b", "Library", "2"), row(50, "b", "Purchase", "1"), row(60, "b", "Purchase", "2"),
    ]
    func medians(_ step: FunnelBreakdownStep) throws -> [Double?] {
      try groups(funnel(step), rows).map { $0.steps[1].medianSeconds.map { $0 / 60 } }
    }
    #expect(try medians(.first) == [11, 1])
    #expect(try medians(.last) == [30, 11])
    #expect(try medians(.every) == [nil, 1])
  }

  @Test(arguments: RandomRows.seeds(500)) func `each group is the funnel with its value required`(seed: Int) throws {
    var random = RandomRows(seed: UInt64(seed), first: day)
    let rows = random.rows(Int.random(in: 40...200, using: &random.generator))
    var question = random.funnel()
    question.breakdown = question.breakdown ?? .version
    let groups = try groups(question, rows, rowsPerChunk: [7, 40, 1_000][seed % 3])
    for group in groups {
      let alone = try self.groups(question.requiring(group.value), rows)
      #expect(alone.map(\.steps) == [group.steps], "seed \(seed), \(question)")
      let people = PersonsQuestion(
        scope: question.scope, group: .funnel(question, step: 2, dropped: false, value: .some(group.value)))
      guard case .persons(let found) = try answer(.persons(people), rows) else { return }
      #expect(found.total == group.steps[1].persons, "seed \(seed), \(question)")
    }
    // Every person counts somewhere.
    let all = try self.groups(without(question), rows)[0].steps[0].persons
    if question.breakdownStep == .first {
      #expect(groups.map { $0.steps[0].persons }.reduce(0, +) >= all, "seed \(seed), \(question)")
    }
  }

  private func without(_ question: FunnelQuestion) -> FunnelQuestion {
    var question = question
    question.breakdown = nil
    return question
  }
}
