import Questions
import QuestionsTestSupport
import Testing
import Warehouse

/// The folds against the naive evaluator, on random rows. A failure names the seed.
struct FoldTests {
  /// A zone, and a day shortly before its clocks change. Apia skipped 2011-12-30 altogether.
  private static let zones: [(String, Day)] = [
    ("UTC", Day(year: 2026, month: 10, day: 20)), ("Europe/Berlin", Day(year: 2026, month: 10, day: 17)),
    ("America/New_York", Day(year: 2026, month: 3, day: 1)),
    ("Australia/Lord_Howe", Day(year: 2026, month: 3, day: 29)),
    ("Asia/Kathmandu", Day(year: 2026, month: 2, day: 25)), ("Pacific/Apia", Day(year: 2011, month: 12, day: 23)),
  ]

  /// A naive evaluator over random rows, and the generator for the questions.
  private func trial(_ seed: Int) throws -> (NaiveEvaluator, RandomRows, QuestionCalendar) {
    let (zone, first) = Self.zones[seed % Self.zones.count]
    var random = RandomRows(seed: UInt64(seed), first: first)
    let calendar = try #require(QuestionCalendar(zone))
    let rows = random.rows(Int.random(in: 40...240, using: &random.generator))
    return (NaiveEvaluator(rows, calendar: calendar, today: first.advanced(by: 12)), random, calendar)
  }

  @Test(arguments: 0..<600) func `a funnel's fold finds the attempt that trying every row finds`(seed: Int) throws {
    var (naive, random, _) = try trial(seed)
    let question = random.funnel()
    let days = question.scope.range.resolved(today: naive.today)
    var fold = FunnelFold(question)
    var ordered = OrderedFunnelFold(question)
    for rows in naive.persons(naive.passing(question.scope, in: days), question.scope.person).values {
      for row in rows {
        let row = naive.funnelRow(row, question, days)
        fold.add(row)
        ordered.add(time: row.time, steps: row.steps)
      }
      let best = naive.bestAttempt(question, rows, days)
      #expect(fold.finish() == best, "seed \(seed), \(question)")
      let (attempt, isItsKind) = (ordered.finish(), question.order == .ordered && question.exclusions.isEmpty)
      if isItsKind { #expect(attempt == best, "seed \(seed), \(question)") }
    }
  }

  @Test(arguments: 0..<300) func `a retention fold counts the cohorts that the definition counts`(seed: Int) throws {
    var (naive, random, calendar) = try trial(seed)
    let question = random.retention()
    #expect(naive.folded(question, calendar) == naive.answer(question), "seed \(seed), \(question)")
  }

  @Test(arguments: 0..<300) func `a path fold ends where the whole path is cut`(seed: Int) throws {
    var (naive, random, _) = try trial(seed)
    let question = random.paths()
    let days = question.scope.range.resolved(today: naive.today)
    var fold = PathFold(question)
    var nodes: [PathsAnswer.Node] = []
    let rows = naive.passing(question.scope, in: days)
    for session in Dictionary(grouping: rows, by: \.session).values {
      for row in session {
        let node = naive.node(question, row)
        if let node, !nodes.contains(node) { nodes.append(node) }
        let number = node.flatMap { nodes.firstIndex(of: $0) }.map { Int32($0) }
        fold.add(node: number, isAnchor: naive.isAnchor(row, question, days))
      }
      let whole = naive.path(question, session, days)
      let path = fold.finish()
      #expect(
        path?.nodes.map { nodes[Int($0)] } ?? [] == Array(whole.prefix(question.depth)), "seed \(seed), \(question)")
      #expect(path?.isCut ?? false == (whole.count > question.depth), "seed \(seed), \(question)")
    }
  }

  @Test(arguments: 0..<300) func `a lifecycle fold counts the states that the definition counts`(seed: Int) throws {
    var (naive, random, calendar) = try trial(seed)
    let question = IntervalQuestion(scope: random.scope(), interval: random.chance(60) ? .day : .week)
    #expect(naive.folded(question, calendar) == naive.lifecycle(question), "seed \(seed), \(question)")
  }
}
