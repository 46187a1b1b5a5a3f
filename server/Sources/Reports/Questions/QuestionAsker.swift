package import Questions

/// Answers the questions of a page or report. Questions that are prepared are asked together, which costs little more than the most
/// expensive one of them.
package struct QuestionAsker: Sendable {
  package typealias One = @Sendable (Question) async throws -> AnsweredQuestion
  /// Answers queries that count persons in the same way.
  package typealias Together = @Sendable ([QueryQuestion]) async throws -> [AnsweredQuestion]

  /// More would need the time of several questions.
  private static let maximumTogether = 24

  private let one: One
  private let together: Together?
  /// The answers to the questions that were asked together.
  package private(set) var prepared: [Question: AnsweredQuestion] = [:]

  /// - Parameter together: `nil` to ask each question alone, prepared or not.
  package init(together: Together? = nil, _ one: @escaping One) { (self.one, self.together) = (one, together) }

  /// Answers a question.
  package func callAsFunction(_ question: Question) async throws -> AnsweredQuestion {
    if let answered = prepared[question] { return answered }
    return try await one(question)
  }

  /// Asks the queries among some questions together, so that they are answered at once when they are asked.
  ///
  /// If they have no answer together, each is asked alone later: then a fault of one is shown where its figure would be.
  package func preparing(_ questions: [Question]) async -> QuestionAsker {
    guard let together else { return self }
    var (asker, groups) = (self, [PersonKey: [QueryQuestion]]())
    for case .query(let query) in questions where prepared[.query(query)] == nil {
      if !groups[query.scope.person, default: []].contains(query) {
        groups[query.scope.person, default: []].append(query)
      }
    }
    for queries in groups.values {
      for start in stride(from: 0, to: queries.count, by: Self.maximumTogether) {
        let part = Array(queries[start...].prefix(Self.maximumTogether))
        guard part.count > 1, let answered = try? await together(part) else { continue }
        for (query, answered) in zip(part, answered) { asker.prepared[.query(query)] = answered }
      }
    }
    return asker
  }
}
