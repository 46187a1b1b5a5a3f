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

  @Test(arguments: RandomRows.seeds(2_000)) func `a funnel's folds find the attempts that trying every row finds`(
    seed: Int
  ) throws {
    var (naive, random, calendar) = try trial(seed)
    let question = random.funnel()
    let days = question.scope.range.resolved(today: naive.today)
    let passing = naive.passing(question.scope, in: days)
    func value(_ row: QuestionRow) -> QuestionValue? { question.breakdown.flatMap { row.value($0, calendar) } }
    // Value by value, the folds find what the definition finds if the value is required of the steps that decide.
    let values = Array(Set(passing.map(value)))
    for rows in naive.persons(passing, question.scope.person).values {
      let sorted = rows.sorted(by: QuestionRow.isEarlier)
      let folded = zip([nil] + sorted.map { $0 }, sorted).map { before, row in
        naive.funnelRow(
          row, isTied: before?.isTied(to: row) ?? false, question, days,
          value: values.firstIndex(of: value(row)).map { Int32($0) } ?? 0)
      }
      let results = naive.folded(folded, question)
      for (number, value) in values.enumerated() {
        let best = naive.bestAttempt(question.requiring(value), rows, days)
        for result in results {
          let found = result.byValue[Int32(number)] ?? result.common
          #expect(found?.times == best?.times, "seed \(seed), \(question)")
        }
      }
    }
  }

  /// With work that grows by the square of the number of values, this would take an hour.
  @Test(arguments: FunnelBreakdownStep.allCases, [false, true])
  func `a person with a value in every row is folded in one pass`(step: FunnelBreakdownStep, excludes: Bool) throws {
    let (naive, _, _) = try trial(0)
    let question = FunnelQuestion(
      steps: [Selector(.event("A")), Selector(.event("B"))],
      exclusions: excludes ? [FunnelQuestion.Exclusion(Selector(.event("C")), from: 1, to: 2)] : [],
      breakdown: .version, breakdownStep: step)
    let count = 40_000
    let rows = (0..<count).map { FunnelRow(time: Int64($0), steps: $0 % 2 == 0 ? 1 : 2, value: Int32($0)) }
    for result in naive.folded(rows, question) {
      #expect(result.byValue.count == count / 2)
      #expect(result.byValue[step == .last ? 1 : 0]?.times == (step == .every ? [0] : [0, 1]))
    }
  }

  /// A hostile client may send such rows. If work grew by the square of their number, this would take an hour.
  @Test(arguments: FunnelBreakdownStep.allCases) func `many rows of one moment are folded in one pass`(
    step: FunnelBreakdownStep
  ) throws {
    let (naive, _, _) = try trial(0)
    let question = FunnelQuestion(
      steps: [Selector(.event("A")), Selector(.event("A"))], breakdown: .version, breakdownStep: step)
    let count = 20_000
    let rows = (0..<count).map { FunnelRow(time: 7, isTied: $0 > 0, steps: 3, value: Int32($0)) }
    for result in naive.folded(rows, question) {
      #expect(result.byValue.count == count)
      #expect(result.byValue[1]?.times == (step == .every ? [7] : [7, 7]))
    }
  }

  @Test(arguments: RandomRows.seeds(300)) func `a retention fold counts the cohorts that the definition counts`(
    seed: Int
  ) throws {
    var (naive, random, calendar) = try trial(seed)
    let question = random.retention()
    #expect(naive.folded(question, calendar) == naive.answer(question), "seed \(seed), \(question)")
  }

  @Test(arguments: RandomRows.seeds(300)) func `a path fold ends where the whole path is cut`(seed: Int) throws {
    var (naive, random, _) = try trial(seed)
    let question = random.paths()
    let days = question.scope.range.resolved(today: naive.today)
    var fold = PathFold(question)
    var nodes: [PathsAnswer.Node] = []
    let rows = naive.passing(question.scope, in: days)
    for session in Dictionary(grouping: rows, by: \.session).values {
      for row in session.sorted(by: QuestionRow.isEarlier) {
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

  @Test(arguments: RandomRows.seeds(300)) func `a lifecycle fold counts the states that the definition counts`(
    seed: Int
  ) throws {
    var (naive, random, calendar) = try trial(seed)
    let question = IntervalQuestion(scope: random.scope(), interval: random.chance(60) ? .day : .week)
    #expect(naive.folded(question, calendar) == naive.lifecycle(question), "seed \(seed), \(question)")
  }
}
