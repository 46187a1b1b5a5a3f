import Ingest
import Questions
import QuestionsTestSupport
import Testing
import Warehouse

/// The oracle itself, on examples small enough to count by hand.
struct NaiveEvaluatorTests {
  private let monday = Day(year: 2026, month: 10, day: 5)

  private func rows(_ given: [(minutes: Int, name: String, install: String)]) -> [QuestionRow] {
    given.enumerated().map { index, row in
      QuestionRow(
        id: Int64(index), time: Int64(monday.number) * 86_400_000 + Int64(row.minutes) * 60_000,
        kind: row.name == "crash" ? .crash : .event, name: row.name == "crash" ? nil : row.name, install: row.install)
    }
  }

  private func evaluator(_ rows: [QuestionRow]) throws -> NaiveEvaluator {
    NaiveEvaluator(rows, calendar: try #require(QuestionCalendar("UTC")), today: monday.advanced(by: 6))
  }

  private func attempt(
    _ given: [(minutes: Int, name: String, install: String)], _ order: FunnelOrder = .ordered, minutes: Int64 = 60,
    exclude: String? = nil
  ) throws -> [Int64]? {
    let exclusions = exclude.map { [FunnelQuestion.Exclusion(Selector(.event($0)), from: 1, to: 2)] } ?? []
    let question = FunnelQuestion(
      steps: [Selector(.event("A")), Selector(.event("B")), Selector(.event("C"))], order: order,
      window: minutes * 60_000, exclusions: exclusions)
    let naive = try evaluator(rows(given))
    let start = Int64(monday.number) * 86_400_000
    return naive.bestAttempt(question, naive.rows, monday...monday)?.times.map { ($0 - start) / 60_000 }
  }

  @Test func `exactly as long as the window still counts`() throws {
    #expect(try attempt([(0, "A", "i"), (60, "B", "i")]) == [0, 60])
    #expect(try attempt([(0, "A", "i"), (61, "B", "i")]) == [0])
  }

  @Test func `the attempt that gets furthest wins, among equals the earliest`() throws {
    #expect(try attempt([(0, "A", "i"), (50, "A", "i"), (60, "B", "i"), (100, "C", "i")]) == [50, 60, 100])
    #expect(try attempt([(0, "A", "i"), (5, "A", "i"), (9, "B", "i")]) == [0, 9])
  }

  @Test func `an excluded row ends an attempt between its steps only`() throws {
    #expect(try attempt([(0, "A", "i"), (1, "X", "i"), (2, "B", "i")], exclude: "X") == [0])
    #expect(try attempt([(0, "A", "i"), (1, "B", "i"), (2, "X", "i"), (3, "C", "i")], exclude: "X") == [0, 1, 3])
  }

  @Test func `strict allows no other event between, but a crash`() throws {
    #expect(try attempt([(0, "A", "i"), (1, "X", "i"), (2, "B", "i")], .strict) == [0])
    #expect(try attempt([(0, "A", "i"), (1, "crash", "i"), (2, "B", "i")], .strict) == [0, 2])
  }

  @Test func `unordered steps may come in any order`() throws {
    #expect(try attempt([(0, "C", "i"), (1, "A", "i"), (2, "B", "i")], .unordered) == [0, 1, 2])
  }

  @Test func `metrics count what their definitions say`() throws {
    var all = rows([(0, "A", "i"), (1, "A", "i"), (2, "crash", "i"), (3, "A", "j"), (60 * 24, "A", "j")])
    for (index, length) in [1.0, 2, 3, 4, 10].enumerated() {
      all[index].properties[ExactText("Length")] = .number(length)
    }
    for index in all.indices { all[index].session = 1 }
    let metrics = [
      "events", "crashes", "users", "sessions", "events_per_user", "crash_free_users", "session_duration_p50",
      "p50:property:Length", "avg:property:Length", "max:property:Missing",
    ]
    let question = QueryQuestion(
      scope: QuestionScope(range: .dates(monday, monday)), metrics: metrics.compactMap { QuestionMetric($0) },
      includesTotals: true)
    let answer = try evaluator(all).answer(question)
    #expect(answer.totals == [3, 1, 2, 2, 1.5, 0.5, 0, 2, 2.5, nil])
    #expect(answer.rows == [QueryAnswer.Row(dimensions: [], metrics: answer.totals ?? [])])
  }

  @Test func `new users, lifecycle and stickiness follow the first row ever`() throws {
    let day = 60 * 24
    let given = rows([(0, "A", "i"), (day, "A", "i"), (2 * day, "A", "j"), (3 * day, "A", "i")])
    let scope = QuestionScope(range: .dates(monday, monday.advanced(by: 3)))
    let naive = try evaluator(given)
    let question = IntervalQuestion(scope: scope)
    #expect(
      naive.lifecycle(question).map { [$0.new, $0.returning, $0.resurrected, $0.dormant] }
        == [[1, 0, 0, 0], [0, 1, 0, 0], [1, 0, 0, 1], [0, 0, 1, 1]])
    #expect(naive.stickiness(question) == [1, 0, 1, 0])
    let query = QueryQuestion(scope: scope, metrics: [.plain(.newUsers)], groups: [.init(.time(.day))])
    #expect(naive.answer(query).rows.map(\.metrics) == [[1], [0], [1], [0]])
  }

  @Test func `retention follows a cohort`() throws {
    let day = 60 * 24
    let given = rows([(0, "A", "i"), (0, "A", "j"), (2 * day, "B", "i")])
    var question = RetentionQuestion(
      scope: QuestionScope(range: .dates(monday, monday.advanced(by: 3))), interval: .day)
    let naive = try evaluator(given)
    #expect(naive.answer(question).cohorts.first?.values == [2, 0, 1, 0])
    question.mode = .onOrAfter
    #expect(naive.answer(question).cohorts.first?.values == [2, 1, 1, 0])
  }

  @Test func `composed and decomposed letters are two names`() throws {
    let naive = try evaluator(rows([(0, "\u{E9}", "i"), (1, "e\u{301}", "i")]))
    let question = QueryQuestion(
      scope: QuestionScope(range: .dates(monday, monday), filters: [.isOneOf(.event, [.text("\u{E9}")])]),
      metrics: [.plain(.events)])
    #expect(naive.answer(question).rows.map(\.metrics) == [[1]])
  }

  @Test func `a bucket is half-open, and what is no number has none`() {
    let group = QueryQuestion.Group(.property("Length"), bins: [0, 2.5])
    #expect(group.bucket(of: .number(-1)) == .text("..0"))
    #expect(group.bucket(of: .number(0)) == .text("0..2.5"))
    #expect(group.bucket(of: .number(2.5)) == .text("2.5.."))
    #expect(group.bucket(of: .text("1")) == nil)
  }
}
