import Columns
import Ingest
import Questions
import QuestionsTestSupport
import Testing
import Threads
import Warehouse

/// The columnar evaluator against the naive one, on random rows and questions. A failure names the seed.
struct OracleTests {
  /// A zone, and a day shortly before its clocks change. Apia skipped 2011-12-30 altogether.
  private static let zones: [(String, Day)] = [
    ("UTC", Day(year: 2026, month: 10, day: 20)), ("Europe/Berlin", Day(year: 2026, month: 10, day: 17)),
    ("America/New_York", Day(year: 2026, month: 3, day: 1)),
    ("Australia/Lord_Howe", Day(year: 2026, month: 3, day: 29)),
    ("Asia/Kathmandu", Day(year: 2026, month: 2, day: 25)), ("Pacific/Apia", Day(year: 2011, month: 12, day: 23)),
  ]

  @Test(arguments: RandomRows.seeds(400)) func `columns answer as the definitions do`(seed: Int) throws {
    let (zone, first) = Self.zones[seed % Self.zones.count]
    var random = RandomRows(seed: UInt64(seed), first: first)
    let rows = random.rows(Int.random(in: 40...240, using: &random.generator))
    let today = first.advanced(by: 12)
    let calendar = try #require(QuestionCalendar(zone))
    let naive = NaiveEvaluator(rows, calendar: calendar, today: today)
    // Chunks of all sizes: most questions then span several.
    let size = [1, 7, 40, 1_000][seed % 4]
    let snapshot = ColumnSnapshot(rows, rowsPerChunk: size)
    let threads = ParallelThreads.test([1, 2, 3, 5][seed / 4 % 4])
    for _ in 0..<8 {
      let question = random.question()
      // So little memory that persons are folded in several parts, and enough for all rows of one person.
      let isInParts = seed % 3 == 0 && [.funnel, .paths].contains(question.kind)
      let limits = QuestionLimits(bytes: isInParts ? 10_000 + threads.count * 12_000 : QuestionLimits.standardBytes)
      let answer = try ColumnEvaluation.answer(
        question, snapshot, calendar: calendar, today: today, limits: limits, threads: threads
      ).answer
      let expected = naive.answer(question)
      #expect(answer == expected, "seed \(seed), \(threads.count) parts, \(question)")
    }
  }

  @Test func `answers are the same when the rows don't fit into the memory at once`() throws {
    // Answers for which the chunks were read several times.
    var funnels = 0
    var paths = 0
    for seed in RandomRows.seeds(6) {
      let (zone, first) = Self.zones[seed % Self.zones.count]
      var random = RandomRows(seed: UInt64(seed), first: first)
      var rows = random.rows(1_000)
      for index in rows.indices {
        rows[index].install = "i\(Int.random(in: 0..<200, using: &random.generator))"
        rows[index].session = rows[index].session.map { $0 % 2 + 1 }
      }
      let today = first.advanced(by: 12)
      let calendar = try #require(QuestionCalendar(zone))
      let naive = NaiveEvaluator(rows, calendar: calendar, today: today)
      let snapshot = ColumnSnapshot(rows, rowsPerChunk: 40)
      let threads = ParallelThreads.test(seed % 3 + 1)
      let scope = QuestionScope(range: .dates(first, today))
      let steps = [Selector(.any), Selector(.kind(.crash)), Selector(.any)]
      for question in [
        Question.funnel(FunnelQuestion(scope: scope, steps: steps)),
        .paths(PathsQuestion(scope: scope, nodes: .both)),
      ] {
        let expected = naive.answer(question)
        var (bytes, least) = (1_000, Int.max)
        while bytes < 1_000_000, least > 1_000 {
          defer { bytes += bytes / 4 }
          do {
            let result = try ColumnEvaluation.answer(
              question, snapshot, calendar: calendar, today: today, limits: QuestionLimits(bytes: bytes),
              threads: threads)
            #expect(result.answer == expected, "seed \(seed), \(threads.count) parts, \(bytes) bytes, \(question)")
            if result.rowsRead > 1_000 {
              if question.kind == .funnel { funnels += 1 } else { paths += 1 }
            }
            least = min(least, result.rowsRead)
          } catch let error as QuestionError {
            #expect(error.code == .tooLarge)
          }
        }
        // Enough memory for all rows at last.
        #expect(least <= 1_000)
      }
    }
    #expect(funnels > 0 && paths > 0)
  }

  @Test(arguments: RandomRows.seeds(80)) func `the errors that pass are those that the definitions find`(seed: Int)
    throws
  {
    let (zone, first) = Self.zones[seed % Self.zones.count]
    var random = RandomRows(seed: UInt64(seed), first: first)
    let rows = random.rows(120)
    let today = first.advanced(by: 12)
    let calendar = try #require(QuestionCalendar(zone))
    let naive = NaiveEvaluator(rows, calendar: calendar, today: today)
    let snapshot = ColumnSnapshot(rows, rowsPerChunk: [1, 7, 40, 1_000][seed % 4])
    var scope = random.scope()
    if seed % 3 == 0 { scope.filters.append(random.filter(depth: 1, persons: true)) }
    let found = try ColumnEvaluation.errors(
      in: scope, snapshot, calendar: calendar, today: today, limits: QuestionLimits(), threads: .test(seed % 3 + 1))
    let expected = naive.passing(scope, in: scope.range.resolved(today: today))
      .filter { $0.kind == .crash || $0.kind == .handledError }.map(\.id).sorted()
    #expect(found == expected, "seed \(seed)")
  }

  @Test func `rows of many years in one chunk are counted in their units`() throws {
    let first = Day(year: 2026, month: 10, day: 17)
    var random = RandomRows(seed: 3, first: first)
    var rows = random.rows(200)
    // More quarters of an hour than are looked up at once.
    for index in stride(from: 0, to: 200, by: 3) { rows[index].time -= Int64(index) * 30 * 86_400_000 }
    let calendar = try #require(QuestionCalendar("Europe/Berlin"))
    let scope = QuestionScope(range: .dates(first.advanced(by: -9_000), first.advanced(by: 12)))
    for unit in [TimeUnit.hour, .zonedHour, .day, .week, .month] {
      let question = Question.query(
        QueryQuestion(scope: scope, metrics: [.plain(.users), .plain(.newUsers)], groups: [.init(.time(unit))]))
      let naive = NaiveEvaluator(rows, calendar: calendar, today: first).answer(question)
      for size in [30, 1_000] {
        let answer = try ColumnEvaluation.answer(
          question, ColumnSnapshot(rows, rowsPerChunk: size), calendar: calendar, today: first,
          limits: QuestionLimits(), threads: .test(2)
        ).answer
        #expect(answer == naive, "\(unit), chunks of \(size)")
      }
    }
  }
}
