import NIOConcurrencyHelpers

/// Runs reports a few at a time, on the store's threads, so that they never occupy threads that ingestion needs.
final class ReportScheduler: Sendable {
  private struct Waiting {
    let continuation: CheckedContinuation<Void, any Error>
    let timer: Task<Void, any Error>
  }

  private struct State {
    var queue: ReportQueue
    var waiting: [Int: Waiting] = [:]
    var lastTicket = 0
  }

  private let state: NIOLockedValueBox<State>
  private let executor: (any TaskExecutor)?
  private let limits: CollectorLimits
  private let sleep: @Sendable (Duration) async throws -> Void

  /// - Parameters:
  ///   - executor: The threads for reports; `nil` for Swift's own.
  ///   - sleep: Waits for a duration.
  init(
    _ limits: CollectorLimits, executor: (any TaskExecutor)? = nil,
    sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
  ) {
    self.limits = limits
    self.sleep = sleep
    state = NIOLockedValueBox(State(queue: ReportQueue(maximumRunning: limits.maximumConcurrentReports)))
    self.executor = executor
  }

  /// The numbers of reports that run, and that wait for their turn.
  var load: (running: Int, waiting: Int) { state.withLockedValue { ($0.queue.running, $0.queue.waiting) } }

  /// Runs a report when it is the client's turn.
  ///
  /// Throws ``APIError`` 503 if its turn does not come within ``CollectorLimits/maximumReportWait``.
  func run<Value: Sendable>(
    for client: String, _ report: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    try await waitForTurn(client)
    defer { leave() }
    return try await runNow(report)
  }

  /// Runs a small read, such as that of a live page, without waiting for a turn.
  func runNow<Value: Sendable>(_ reading: @escaping @Sendable () async throws -> Value) async throws -> Value {
    let task = Task(executorPreference: executor) { try await reading() }
    return try await withTaskCancellationHandler(operation: { try await task.value }, onCancel: { task.cancel() })
  }

  private func waitForTurn(_ client: String) async throws {
    let ticket = state.withLockedValue { state in
      state.lastTicket += 1
      return state.lastTicket
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let runs = state.withLockedValue { state in
          if state.queue.enter(ticket, client: client) { return true }
          state.waiting[ticket] = Waiting(continuation: continuation, timer: timer(for: ticket))
          return false
        }
        if runs { return continuation.resume() }
        // A cancellation before the ticket was in the queue found nothing to remove.
        if Task.isCancelled { abandon(ticket, throwing: CancellationError()) }
      }
    } onCancel: {
      abandon(ticket, throwing: CancellationError())
    }
  }

  private func timer(for ticket: Int) -> Task<Void, any Error> {
    Task { [self] in
      try await sleep(limits.maximumReportWait)
      abandon(ticket, throwing: APIError.tooManyReports(retryAfterSeconds: limits.retryAfterSeconds))
    }
  }

  private func leave() {
    let next = state.withLockedValue { state in
      state.queue.leave().flatMap { state.waiting.removeValue(forKey: $0) }
    }
    next?.timer.cancel()
    next?.continuation.resume()
  }

  private func abandon(_ ticket: Int, throwing error: any Error) {
    let waiting = state.withLockedValue { state in
      state.queue.abandon(ticket) ? state.waiting.removeValue(forKey: ticket) : nil
    }
    waiting?.timer.cancel()
    waiting?.continuation.resume(throwing: error)
  }
}
