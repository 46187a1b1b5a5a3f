import Questions
import ReportsTestSupport
import ServerBase
import TernBase
import Warehouse

/// Answers every question with the sample of its kind; can fail or wait on request.
final class StubQuestions: QuestionSource, TrailSource {
  private struct State {
    var asked: [Question] = []
    /// The numbers of queries that were asked together.
    var together: [Int] = []
    var error: QuestionError?
    var waits = false
    var running = 0
    var mostRunning = 0
    var cancelled = 0
    var watchers: [(isMet: @Sendable (Int, Int) -> Bool, continuation: CheckedContinuation<Void, Never>)] = []
  }

  private let state = Locked(State())

  var asked: [Question] { state.withLock { $0.asked } }
  var together: [Int] { state.withLock { $0.together } }
  var mostRunning: Int { state.withLock { $0.mostRunning } }

  func fail(with error: QuestionError?) { state.withLock { $0.error = error } }

  /// Makes every question wait until it is cancelled.
  func wait() { state.withLock { $0.waits = true } }

  /// Returns once as many questions run, and as many were cancelled.
  func reaches(running: Int, cancelled: Int) async {
    await withCheckedContinuation { continuation in
      state.withLock { state in
        state.watchers.append(({ $0 == running && $1 == cancelled }, continuation))
        Self.notify(&state)
      }
    }
  }

  func properties(app: AppID) async throws -> [PropertyUse] {
    [PropertyUse(name: "Length", rows: 12), PropertyUse(name: "Genre", rows: 3)]
  }

  /// Only these values are unknown.
  func unknownValues(among values: Set<NamedValue>, app: AppID) async throws -> [NamedValue: [String]] {
    let unknown = [NamedValue(.event, "Purchse"): ["Purchase"], NamedValue(.version, "9.9"): []]
    return unknown.filter { values.contains($0.key) }
  }

  func answer(
    _ question: Question, app: AppID, calendar: sending QuestionCalendar, today: Day
  ) async throws -> QuestionResult {
    let (error, waits) = state.withLock { state in
      state.asked.append(question)
      state.running += 1
      state.mostRunning = max(state.mostRunning, state.running)
      Self.notify(&state)
      return (state.error, state.waits)
    }
    defer {
      state.withLock { state in
        state.running -= 1
        if Task.isCancelled { state.cancelled += 1 }
        Self.notify(&state)
      }
    }
    if let error { throw error }
    // Longer than any test; it ends by its cancellation.
    if waits { try await Task.sleep(for: .seconds(3_600)) }
    return SampleAnswers.result(question)
  }

  /// Answers each alone.
  func answers(
    _ questions: [QueryQuestion], app: AppID, calendar: sending QuestionCalendar, today: Day
  ) async throws -> [QuestionResult] {
    state.withLock { $0.together.append(questions.count) }
    var results: [QuestionResult] = []
    for question in questions {
      results.append(
        try await answer(.query(question), app: app, calendar: QuestionCalendar(ZoneRules.utc), today: today))
    }
    return results
  }

  func errors(
    in scope: QuestionScope, app: AppID, calendar: sending QuestionCalendar, today: Day
  ) async throws -> [Int64] { [1] }

  /// Returns rows for one install and one user.
  func installName(number: Int, app: AppID) async throws -> String? { number == 1 ? "known id" : nil }

  func trail(of person: Person, app: AppID, _ page: TrailPage, limit: Int) async throws -> [TrailRow]? {
    guard person == .install("known id") || person == .user("a/b") else { return nil }
    if case .before = page { return [] }
    return Array(SampleAnswers.trail.prefix(limit))
  }

  func summary(of person: Person, app: AppID) async throws -> PersonSummary? {
    person == .install("known id") || person == .user("a/b") ? SampleAnswers.summary(SampleAnswers.hostile) : nil
  }

  private static func notify(_ state: inout State) {
    let (running, cancelled) = (state.running, state.cancelled)
    for watcher in state.watchers where watcher.isMet(running, cancelled) { watcher.continuation.resume() }
    state.watchers.removeAll { $0.isMet(running, cancelled) }
  }
}
