package import HTTP
import HTTPTypes
package import Hummingbird
package import JSON
import NIOCore
package import Questions
package import Reports
import TernBase
import TernEvents
import Threads
package import Warehouse

/// Answers questions a few at a time, within a time limit, for as long as their clients wait.
package struct QuestionAnswering: Sendable {
  private let source: any QuestionSource
  private let scheduler: ReportScheduler
  private let limits: CollectorLimits
  private let clocks: Clocks
  private let recent = RecentAnswers()

  package init(_ source: any QuestionSource, limits: CollectorLimits, clocks: Clocks) {
    (self.source, self.limits, self.clocks) = (source, limits, clocks)
    // The source has threads of its own.
    scheduler = ReportScheduler(
      FairQueueLimits(running: ThreadKind.questions.count, waiting: limits.maximumWaitingQuestions), limits,
      clocks)
  }

  /// The numbers of questions that run, and that wait for their turn.
  package var load: (running: Int, waiting: Int) { scheduler.load }

  /// The number of answers that are kept for a while.
  package var recentAnswers: Int { recent.count }

  /// Answers a question about an app; ends early if the client disconnects.
  ///
  /// Throws `QuestionError` beyond the limits of time and memory, and ``APIError``: 403 for personal data that the visitor
  /// may not read, 503 if too many questions are waiting.
  ///
  /// - Parameter allowsRecent: True if an answer of the last minute will do.
  package func answer(
    _ question: Question, _ context: CollectorContext, allowsRecent: Bool = false
  ) async throws -> AnsweredQuestion {
    let (app, client) = (try context.app, context.clientShare)
    if question.showsPersonalData, !(try context.visitor.rights.allows(.readPersonalData, app: app.id)) {
      throw APIError.notAllowed
    }
    guard allowsRecent else { return try await answerInTurn(question, app, client, context) }
    let today = today(app)
    let key = RecentAnswers.Key(app: app.id, question: question.resolved(today: today))
    if let recent = recent.answer(key, now: clocks.uptime()) { return recent }
    let answer = try await answerInTurn(question, app, client, context)
    recent.keep(answer, key, now: clocks.uptime())
    return answer
  }

  /// Answers queries that count persons in the same way together, in one turn; throws the same errors as
  /// ``answer(_:_:allowsRecent:)``. The limits of time and memory are those of one question.
  package func answers(
    _ questions: [QueryQuestion], _ context: CollectorContext, allowsRecent: Bool = false
  ) async throws -> [AnsweredQuestion] {
    let (app, client) = (try context.app, context.clientShare)
    if questions.contains(where: { Question.query($0).showsPersonalData }),
      !(try context.visitor.rights.allows(.readPersonalData, app: app.id))
    {
      throw APIError.notAllowed
    }
    let today = today(app)
    let resolved = questions.map { Question.query($0).resolved(today: today) }
    var answers = resolved.map { question in
      allowsRecent
        ? recent.answer(RecentAnswers.Key(app: app.id, question: question), now: clocks.uptime()) : nil
    }
    let missing = answers.indices.filter { answers[$0] == nil }
    let asked = missing.map { resolved[$0] }
    let found = try await answersInTurn(asked, app, client, context) { [source] in
      let queries = asked.compactMap { if case .query(let query) = $0 { query } else { nil } }
      return try await source.answers(queries, app: app.id, calendar: QuestionCalendar(app.zone), today: today)
    }
    for (index, answer) in zip(missing, found) {
      answers[index] = answer
      if allowsRecent {
        recent.keep(answer, RecentAnswers.Key(app: app.id, question: resolved[index]), now: clocks.uptime())
      }
    }
    return answers.compactMap(\.self)
  }

  /// The current day in an app's time zone.
  private func today(_ app: App) -> Day {
    QuestionCalendar(app.zone).day(of: clocks.wallTime().millisecondsSince1970)
  }

  /// Throws ``APIError`` 403 for filters that tell persons apart if the visitor may not read personal data.
  package func checkAllowed(_ filters: [QuestionFilter], _ context: CollectorContext) throws(APIError) {
    guard filters.contains(where: \.showsPersonalData),
      !(try context.visitor.rights.allows(.readPersonalData, app: try context.app.id))
    else { return }
    throw APIError.notAllowed
  }

  /// Returns the numbers of the errors whose rows pass; throws the same errors as ``answer(_:_:allowsRecent:)``.
  package func errors(in scope: QuestionScope, _ context: CollectorContext) async throws -> [Int64] {
    let app = try context.app
    try checkAllowed(scope.filters, context)
    let today = today(app)
    return try await inTurn(context.clientShare, context) { [source] in
      try await source.errors(in: scope, app: app.id, calendar: QuestionCalendar(app.zone), today: today)
    }
  }

  /// Returns the properties of an app, the most frequent first.
  package func properties(_ context: CollectorContext) async throws -> [PropertyUse] {
    let app = try context.app.id
    return try await scheduler.run(for: context.clientShare) { [source] in try await source.properties(app: app) }
  }

  /// Returns the given values that no row of the app has ever had; see
  /// ``QuestionSource/unknownValues(among:app:)``. Looking names up is quick, so it waits for no turn.
  package func unknownValues(among values: Set<NamedValue>, _ context: CollectorContext) async throws -> [NamedValue:
    [String]]
  {
    values.isEmpty ? [:] : try await source.unknownValues(among: values, app: try context.app.id)
  }

  /// Throws ``APIError`` 400 if JSON names a value that no row of the app has ever had: a misspelt one would give plausible
  /// zeros. `unknown=allow` allows them, for programs that wait for a value.
  package func checkKnown(_ json: JSONTree, _ request: Request, _ context: CollectorContext) async throws {
    switch request.parameters["unknown"] {
    case "allow": return
    case nil, "": break
    case _?:
      throw APIError(
        status: .badRequest, code: "invalid_parameter", message: "The parameter unknown is allow, or left out.")
    }
    let values = json.namedValues
    let unknown = try await unknownValues(among: Set(values.map(\.value)), context)
    if let error = QuestionError.unknown(values, unknown) { throw APIError(error) }
  }

  private func answerInTurn(
    _ question: Question, _ app: App, _ client: String, _ context: CollectorContext
  ) async throws -> AnsweredQuestion {
    let today = today(app)
    let resolved = question.resolved(today: today)
    return try await answersInTurn([resolved], app, client, context) { [source] in
      [try await source.answer(resolved, app: app.id, calendar: QuestionCalendar(app.zone), today: today)]
    }[0]
  }

  /// - Parameter ask: Asks the source; returns as many results as there are questions.
  private func answersInTurn(
    _ questions: [Question], _ app: App, _ client: String, _ context: CollectorContext,
    _ ask: @escaping @Sendable () async throws -> [QuestionResult]
  ) async throws -> [AnsweredQuestion] {
    guard !questions.isEmpty else { return [] }
    let (results, milliseconds) = try await inTurn(client, context) { [clocks] in
      let started = clocks.uptime()
      let results = try await ask()
      return (results, Int(clamping: (clocks.uptime() - started) / .milliseconds(1)))
    }
    let answers = zip(questions, results).compactMap { AnsweredQuestion($0, $1, milliseconds: milliseconds) }
    guard answers.count == questions.count else {
      throw WarehouseError(.damaged, "The answer is of another kind than the question.")
    }
    return answers
  }

  /// Asks the source when it is the client's turn, within the time limit and for as long as the client waits.
  private func inTurn<Value: Sendable>(
    _ client: String, _ context: CollectorContext, _ ask: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    let task = Task { try await scheduler.run(for: client) { try await withDeadline(ask) } }
    context.channel.triggerUserOutboundEvent(ConnectionGuard.Departure { task.cancel() }, promise: nil)
    do {
      return try await withTaskCancellationHandler {
        try await task.value
      } onCancel: {
        task.cancel()
      }
    } catch is CancellationError {
      throw APIError.questionEnded
    }
  }

  private func withDeadline<Value: Sendable>(_ ask: @escaping @Sendable () async throws -> Value) async throws -> Value
  {
    try await withThrowingTaskGroup(of: Value.self) { group in
      defer { group.cancelAll() }
      group.addTask { try await ask() }
      group.addTask { [clocks, limits] in
        try await clocks.sleep(limits.questionDeadline)
        throw QuestionError(
          "The answer takes longer than \(limits.questionDeadline.components.seconds) seconds. Ask for fewer days or "
            + "fewer dimensions.", at: "$", code: .tooSlow)
      }
      guard let first = try await group.next() else { throw CancellationError() }
      return first
    }
  }
}

extension APIError {
  /// Creates the error for a question without an answer.
  package init(_ error: QuestionError) {
    self.init(
      status: [.invalid, .unknownValue].contains(error.code) ? .badRequest : .unprocessableContent,
      code: error.code.rawValue,
      message: error.message, path: error.path)
  }

  /// The error for a client that has gone, and for a server that stops.
  static let questionEnded = APIError(
    status: .serviceUnavailable, code: "question_ended", message: "The question ended before its answer. Ask again.")
}
