import Questions
import Reports
import Testing
import Warehouse

@testable import Answering

/// The answers that are kept to be shown again.
@Suite struct RecentAnswersTests {
  private func answer(rows: Int, text: Int = 10) throws -> AnsweredQuestion {
    var answer = QueryAnswer()
    answer.rows = (0..<rows).map { row in
      QueryAnswer.Row(dimensions: [.text("\(row)" + String(repeating: "x", count: text))], metrics: [Double(row)])
    }
    let question = Question.query(QueryQuestion(metrics: [.plain(.events)], groups: [.init(.event)]))
    return try #require(AnsweredQuestion(question, QuestionResult(.query(answer), rowsRead: 0), milliseconds: 0))
  }

  private func key(_ number: Int) -> RecentAnswers.Key {
    RecentAnswers.Key(
      app: AppID(1), question: .query(QueryQuestion(metrics: [.plain(.events)], groups: [], limit: number)))
  }

  @Test func `answers are kept up to a number of bytes, the latest ones`() throws {
    let recent = RecentAnswers()
    // A fifth of the room each.
    let large = try answer(rows: 50_000)
    for number in 0..<20 {
      recent.keep(large, key(number), now: .seconds(number))
      #expect(recent.bytes <= RecentAnswers.maximumBytes)
    }
    #expect(recent.answer(key(19), now: .seconds(20)) != nil && recent.answer(key(0), now: .seconds(20)) == nil)
    #expect((2...10).contains(recent.count))
    recent.keep(try answer(rows: 10, text: RecentAnswers.maximumBytes / 10), key(99), now: .seconds(21))
    #expect(recent.answer(key(99), now: .seconds(21)) == nil, "too large to be kept")
    #expect(recent.answer(key(19), now: .seconds(21)) != nil)
  }

  @Test func `old answers take no room`() throws {
    let recent = RecentAnswers()
    for number in 0..<300 { recent.keep(try answer(rows: 3), key(number), now: .seconds(number)) }
    #expect(recent.count == 60)
  }
}
