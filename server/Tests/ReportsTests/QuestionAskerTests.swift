import Ingest
import Questions
import Reports
import ReportsTestSupport
import TernBase
import Testing
import Warehouse

/// Questions that are asked together before they are asked one by one.
struct QuestionAskerTests {
  private struct Asked {
    var alone: [Question] = []
    var together: [[QueryQuestion]] = []
  }

  private let asked = Locked(Asked())

  private func asker(failing error: (any Error)? = nil) -> QuestionAsker {
    QuestionAsker(together: { [asked] questions in
      asked.withLock { $0.together.append(questions) }
      if let error { throw error }
      return try questions.map { try Self.answer(.query($0)) }
    }) { [asked] question in
      asked.withLock { $0.alone.append(question) }
      return try Self.answer(question)
    }
  }

  private static func answer(_ question: Question) throws -> AnsweredQuestion {
    try #require(AnsweredQuestion(question, SampleAnswers.result(question), milliseconds: 0))
  }

  private func query(_ metric: QuestionMetric.Plain, by person: PersonKey = .install) -> QueryQuestion {
    QueryQuestion(scope: QuestionScope(person: person), metrics: [.plain(metric)])
  }

  @Test func `queries are asked together once, and others alone when they are asked`() async throws {
    let (users, events, funnel) = (query(.users), query(.events), SampleAnswers.question(.funnel))
    let ask = await asker().preparing([.query(users), funnel, .query(events), .query(users)])
    for question in [.query(users), .query(events), funnel] {
      #expect(try await ask(question).question == question)
    }
    #expect(asked.withLock(\.together) == [[users, events]])
    #expect(asked.withLock(\.alone) == [funnel])
    // What is known isn't asked again.
    let more = await ask.preparing([.query(users), .query(events)])
    #expect(try await more(.query(users)).question == .query(users))
    #expect(asked.withLock(\.together).count == 1)
  }

  @Test func `queries that count persons in different ways are not asked together`() async throws {
    let questions = [query(.users), query(.users, by: .user), query(.events), query(.events, by: .user)]
    let ask = await asker().preparing(questions.map { .query($0) } + [.query(query(.sessions, by: .user))])
    for question in questions { _ = try await ask(.query(question)) }
    let together = asked.withLock(\.together)
    #expect(together.map(\.count).sorted() == [2, 3] && asked.withLock(\.alone).isEmpty)
    #expect(together.allSatisfy { Set($0.map(\.scope.person)).count == 1 })
  }

  @Test func `one query is asked alone`() async throws {
    let ask = await asker().preparing([.query(query(.users))])
    _ = try await ask(.query(query(.users)))
    #expect(asked.withLock(\.together).isEmpty && asked.withLock(\.alone).count == 1)
  }

  @Test func `if queries have no answer together, each is asked alone`() async throws {
    let (users, events) = (query(.users), query(.events))
    let ask = await asker(failing: QuestionError("It takes too long.", at: "$", code: .tooSlow))
      .preparing([.query(users), .query(events)])
    #expect(try await ask(.query(events)).question == .query(events))
    #expect(asked.withLock(\.together).count == 1 && asked.withLock(\.alone) == [.query(events)])
  }
}
