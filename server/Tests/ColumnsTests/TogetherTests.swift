import Columns
import Ingest
import Questions
import QuestionsTestSupport
import Testing
import Threads
import Warehouse

/// Questions that are asked together, against the same ones asked alone. A failure names the seed.
struct TogetherTests {
  private static let first = Day(year: 2026, month: 10, day: 17)
  private static let today = first.advanced(by: 12)

  /// Random questions about the same persons. Some share filters, days or both.
  private func questions(_ random: inout RandomRows) -> [QueryQuestion] {
    let scope = random.scope()
    let filters = [random.filter(depth: 1, persons: true), random.filter(depth: 1), random.filter(depth: 0)]
    return (0..<Int.random(in: 2...7, using: &random.generator)).map { _ in
      var question = random.query()
      question.scope.person = scope.person
      if random.chance(70) { question.scope.range = scope.range }
      if random.chance(80) { question.scope.filters = scope.filters }
      for filter in filters where random.chance(40) { question.scope.filters.append(filter) }
      return question
    }
  }

  private func answers(
    _ questions: [QueryQuestion], _ snapshot: ColumnSnapshot, _ threads: ParallelThreads,
    bytes: Int = QuestionLimits.standardBytes
  ) throws -> [QuestionResult] {
    try ColumnEvaluation.answers(
      questions, snapshot, calendar: try #require(QuestionCalendar("Europe/Berlin")), today: Self.today,
      limits: QuestionLimits(bytes: bytes), threads: threads)
  }

  @Test(arguments: RandomRows.seeds(300)) func `questions asked together have the answers that each has alone`(
    seed: Int
  ) throws {
    var random = RandomRows(seed: UInt64(seed), first: Self.first)
    let rows = random.rows(Int.random(in: 40...240, using: &random.generator))
    let snapshot = ColumnSnapshot(rows, rowsPerChunk: [1, 7, 40, 1_000][seed % 4])
    let threads = ParallelThreads.test([1, 2, 3, 5][seed / 4 % 4])
    let questions = questions(&random)
    let together = try answers(questions, snapshot, threads)
    #expect(together.count == questions.count)
    for (question, result) in zip(questions, together) {
      let alone = try answers([question], snapshot, threads)
      #expect([result] == alone, "seed \(seed), \(threads.count) parts, \(question)")
    }
  }

  @Test func `sums have the same last digit, however the days of other questions divide the chunks`() throws {
    let rows = (0..<300).map { index in
      var row = QuestionRow(
        id: Int64(index + 1), time: Int64(Self.first.number) * 86_400_000 + Int64(index) * 3_000_000, kind: .event,
        name: "A", install: "i")
      row.properties[ExactText("p")] = .number(0.1 + Double(index) / 3)
      return row
    }
    let snapshot = ColumnSnapshot(rows, rowsPerChunk: 7)
    let questions = (0..<9).flatMap { last in
      [QuestionMetric.property(.sum, ExactText("p")), .plain(.events)].map { metric in
        QueryQuestion(
          scope: QuestionScope(range: .dates(Self.first, Self.first.advanced(by: last))), metrics: [metric],
          comparesPreviousPeriod: true, includesTotals: true)
      }
    }
    let together = try answers(questions, snapshot, .test(2))
    for (question, result) in zip(questions, together) {
      #expect(try answers([question], snapshot, .test(2)) == [result])
    }
  }

  @Test func `questions that fit into the memory alone have an answer together`() throws {
    var random = RandomRows(seed: 11, first: Self.first)
    let snapshot = ColumnSnapshot(random.rows(400), rowsPerChunk: 20)
    let scope = QuestionScope(range: .dates(Self.first, Self.today))
    let questions = [QuestionDimension.version, .event, .time(.hour), .country].map {
      QueryQuestion(scope: scope, metrics: [.plain(.users), .plain(.sessions)], groups: [.init($0)])
    }
    func fit(_ questions: [QueryQuestion], _ bytes: Int) throws -> Bool {
      do {
        _ = try answers(questions, snapshot, .test(2), bytes: bytes)
        return true
      } catch let error as QuestionError where error.code == .tooLarge {
        return false
      }
    }
    let sizes = Array(stride(from: 500, to: 1 << 20, by: 500))
    let needed = try questions.map { question in try #require(try sizes.first { try fit([question], $0) }) }
    let most = try #require(needed.max())
    #expect(most > 500)
    #expect(try fit(questions, most) && !fit(questions, most - 500))
  }

  @Test func `questions together end when they are cancelled or take too long`() throws {
    var random = RandomRows(seed: 7, first: Self.first)
    let snapshot = ColumnSnapshot(random.rows(100), rowsPerChunk: 20)
    let (questions, calendar) = (questions(&random), try #require(QuestionCalendar("UTC")))
    #expect(throws: CancellationError.self) {
      try ColumnEvaluation.answers(
        questions, snapshot, calendar: calendar, today: Self.today, limits: QuestionLimits { true })
    }
    let error = #expect(throws: QuestionError.self) {
      try ColumnEvaluation.answers(
        questions, snapshot, calendar: calendar, today: Self.today,
        limits: QuestionLimits(deadline: .now - .seconds(1)))
    }
    #expect(error?.code == .tooSlow)
  }
}
