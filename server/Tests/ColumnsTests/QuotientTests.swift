import Columns
import Ingest
import Questions
import QuestionsTestSupport
import Testing
import Threads
import Warehouse

/// Quotients of figures over rows that match.
struct QuotientTests {
  private static let first = Day(year: 2026, month: 10, day: 17)

  /// One row a minute, each of a day, an install and with the name of an event, in a version.
  private let rows = [
    (0, "a", "View", "1.0"), (0, "a", "View", "1.0"), (0, "b", "View", "1.0"), (0, "a", "Purchase", "1.0"),
    (1, "c", "View", "2.0"), (1, "c", "Purchase", "3.0"), (1, "a", "Purchase", "1.0"), (1, "b", "Start", "1.0"),
  ].enumerated().map { index, row in
    var stored = QuestionRow(
      id: Int64(index + 1), time: Int64(first.number + row.0) * 86_400_000 + Int64(index) * 60_000, kind: .event,
      name: row.2, install: row.1)
    stored.facts[.version] = row.3
    return stored
  }

  private func answer(_ question: QueryQuestion) throws -> QueryAnswer {
    let result = try ColumnEvaluation.answer(
      .query(question), ColumnSnapshot(rows, rowsPerChunk: 3), calendar: try #require(QuestionCalendar("UTC")),
      today: Self.first.advanced(by: 1), limits: QuestionLimits(), threads: .test(2))
    guard case .query(let answer) = result.answer else { throw QuestionError("Not a query.", at: "$") }
    return answer
  }

  private func events(_ name: String) -> DerivedMetric.Term { .init(.plain(.events), of: Selector(.event(name))) }

  private let range = QuestionRange.dates(first, first.advanced(by: 1))

  @Test func `totals are quotients of totals, users are counted once, and a missing divisor has no quotient`() throws {
    let answer = try answer(
      QueryQuestion(
        scope: QuestionScope(range: range),
        metrics: [
          .derived(.init(events("Purchase"), per: .init(.plain(.users)))),
          .derived(.init(events("Purchase"), per: events("View"))),
        ],
        groups: [.init(.version)], order: [.init(.metric(1), isDescending: true)], includesTotals: true))
    #expect(answer.totals == [1, 0.75])
    #expect(
      answer.rows == [
        .init(dimensions: [.text("1.0")], metrics: [1, 2.0 / 3]), .init(dimensions: [.text("2.0")], metrics: [0, 0]),
        .init(dimensions: [.text("3.0")], metrics: [1, nil]),
      ])
  }

  @Test func `pages and the number of rows are those after the division, over the cells of all figures`() throws {
    var question = QueryQuestion(
      scope: QuestionScope(range: range), metrics: [.derived(.init(events("Purchase"), per: events("View")))],
      groups: [.init(.version)], includesTotalRows: true, limit: 1, offset: 1)
    let page = try answer(question)
    #expect(page.rows == [.init(dimensions: [.text("2.0")], metrics: [0])])
    #expect(page.totalRows == 3 && page.rowsLeftOut == 1)
    question.metrics = [.derived(.init(events("Start")))]
    #expect(try answer(question).totalRows == 1)
  }

  @Test func `questions about names that differ only in how they are composed are two, as keys of recent answers too`()
  {
    func questions(_ name: String) -> [Question] {
      let scope = QuestionScope(filters: [.contains(.event, [ExactText(name)])])
      return [
        .query(QueryQuestion(metrics: [.derived(DerivedMetric(events(name)))])),
        .funnel(FunnelQuestion(steps: [Selector(.event(name)), Selector(.screen(name))])),
        .query(QueryQuestion(scope: scope, metrics: [.plain(.users)])),
      ]
    }
    for (composed, decomposed) in zip(questions("caf\u{E9}"), questions("cafe\u{301}")) {
      #expect(composed == composed && composed != decomposed && Set([composed, decomposed]).count == 2)
    }
  }

  @Test func `the period before has quotients of its own`() throws {
    let day = Self.first.advanced(by: 1)
    let answer = try answer(
      QueryQuestion(
        scope: QuestionScope(range: .dates(day, day)),
        metrics: [.derived(.init(events("Purchase"), per: events("View"))), .plain(.events)], groups: [.init(.version)],
        order: [.init(.group(0))], comparesPreviousPeriod: true, includesTotals: true))
    #expect(answer.totals == [2, 4] && answer.comparedTotals == [1.0 / 3, 4])
    #expect(answer.rows.map(\.metrics) == [[nil, 2], [0, 1], [nil, 1]])
    #expect(answer.rows.map(\.compared) == [[1.0 / 3, 4], [nil, 0], [nil, 0]])
  }
}
