import TernBase

/// Runs asynchronous work a few at a time, in the order of a ``FairQueue``. Work that waits for its turn ends early when its
/// task is cancelled or when it has waited too long.
package final class FairScheduler<Owner: Hashable & Sendable>: Sendable {
  private typealias Waiter = CheckedContinuation<Void, any Error>
  private typealias Queue = FairQueue<Owner, Waiter>

  private struct State {
    var queue: Queue
    /// The timers of the waiting work.
    var timers: [Queue.Ticket: Task<Void, any Error>] = [:]

    mutating func next(at now: Duration) -> Queue.Turn? {
      let turn = queue.next(at: now)
      if let turn { timers.removeValue(forKey: turn.ticket)?.cancel() }
      return turn
    }
  }

  private let state: Locked<State>
  private let maximumWait: Duration
  private let refusal: any Error
  private let executor: (any TaskExecutor)?
  private let uptime: @Sendable () -> Duration
  private let sleep: @Sendable (Duration) async throws -> Void

  /// - Parameters:
  ///   - limits: The bounds of the queue.
  ///   - maximumWait: The maximum time for which work waits.
  ///   - refusal: The error for work that would wait behind too much work, or that has waited too long.
  ///   - executor: The threads for the work; `nil` for Swift's own.
  ///   - uptime: The time since any moment.
  ///   - sleep: Waits for a duration.
  package init(
    _ limits: FairQueueLimits, maximumWait: Duration, refusal: any Error, executor: (any TaskExecutor)? = nil,
    uptime: @escaping @Sendable () -> Duration, sleep: @escaping @Sendable (Duration) async throws -> Void
  ) {
    state = Locked(State(queue: FairQueue(limits)))
    (self.maximumWait, self.refusal, self.executor) = (maximumWait, refusal, executor)
    (self.uptime, self.sleep) = (uptime, sleep)
  }

  /// The numbers of running and of waiting pieces of work.
  package var load: (running: Int, waiting: Int) { state.withLock { ($0.queue.running, $0.queue.waiting) } }

  /// Runs work when it is its owners' turn.
  package func run<Value: Sendable>(
    for owners: [Owner], _ work: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    try await waitForTurn(owners)
    let began = uptime()
    defer { leave(owners, began: began) }
    return try await runNow(work)
  }

  /// Runs a small piece of work, such as a read for a live page, without waiting for a turn.
  package func runNow<Value: Sendable>(_ work: @escaping @Sendable () async throws -> Value) async throws -> Value {
    let task = Task(executorPreference: executor) { try await work() }
    return try await withTaskCancellationHandler(operation: { try await task.value }, onCancel: { task.cancel() })
  }

  private func waitForTurn(_ owners: [Owner]) async throws {
    let ticket = Locked<Queue.Ticket?>(nil)
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { waiter in
        let (added, turn) = state.withLock { state in
          let added = state.queue.add(waiter, owners: owners)
          let turn = state.next(at: uptime())
          if let added, added != turn?.ticket { state.timers[added] = timer(for: added) }
          return (added, turn)
        }
        turn?.job.resume()
        guard let added else { return waiter.resume(throwing: refusal) }
        ticket.withLock { $0 = added }
        // A cancellation before the ticket was known found nothing to remove.
        if Task.isCancelled { abandon(added, throwing: CancellationError()) }
      }
    } onCancel: {
      if let ticket = ticket.withLock({ $0 }) { abandon(ticket, throwing: CancellationError()) }
    }
  }

  private func timer(for ticket: Queue.Ticket) -> Task<Void, any Error> {
    Task { [self] in
      try await sleep(maximumWait)
      abandon(ticket, throwing: refusal)
    }
  }

  private func leave(_ owners: [Owner], began: Duration) {
    let turn = state.withLock { state in
      let now = uptime()
      // The time for which the work has kept others waiting, wherever it ran.
      state.queue.finished(owners, cost: now - began, at: now)
      return state.next(at: now)
    }
    turn?.job.resume()
  }

  private func abandon(_ ticket: Queue.Ticket, throwing error: any Error) {
    let waiter = state.withLock { state in
      state.timers.removeValue(forKey: ticket)?.cancel()
      return state.queue.abandon(ticket)
    }
    waiter?.resume(throwing: error)
  }
}
