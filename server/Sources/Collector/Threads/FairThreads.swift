import NIOConcurrencyHelpers

/// Threads for one kind of costly work, shared fairly among clients and apps.
///
/// One owner never occupies all threads, so a costly body of one app does not hold up those of others.
final class FairThreads: Sendable {
  private struct State {
    var queue: FairQueue<@Sendable () -> Void>
    /// The number of threads that are processing jobs.
    var workers = 0
  }

  private let state: NIOLockedValueBox<State>
  private let threads: WorkerThreads
  private let threadCount: Int
  private let started = ContinuousClock.now

  private let maximumWaiting: Int
  private let maximumTotal: Int

  /// - Parameters:
  ///   - threads: The number of threads; at least 2, so that one is left for another owner.
  ///   - maximumWaiting: The number of jobs of one owner that may wait for a thread.
  ///   - maximumTotal: The number of jobs of all owners that may wait.
  init(threads count: Int, maximumWaiting: Int = .max, maximumTotal: Int = .max) {
    self.maximumWaiting = maximumWaiting
    self.maximumTotal = maximumTotal
    threadCount = max(count, 2)
    threads = WorkerThreads(count: threadCount)
    state = NIOLockedValueBox(State(queue: FairQueue(maximumRunning: threadCount - 1)))
  }

  /// The error for work that would wait behind too much work.
  struct QueueFull: Error {}

  /// Runs `work` on one of the threads, in fair order; throws ``QueueFull`` if too much is waiting.
  func run<Value: Sendable>(
    for owners: [RequestOwner], _ work: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      let needsWorker = state.withLockedValue { state -> Bool? in
        guard state.queue.mostWaiting(of: owners) < maximumWaiting, state.queue.count < maximumTotal else { return nil }
        state.queue.add({ continuation.resume(with: Result { try work() }) }, owners: owners)
        guard state.workers < threadCount else { return false }
        state.workers += 1
        return true
      }
      guard let needsWorker else { return continuation.resume(throwing: QueueFull()) }
      if needsWorker { threads.submit { self.work() } }
    }
  }

  /// The number of waiting jobs.
  var waiting: Int { state.withLockedValue { $0.queue.count } }

  /// Returns the number of waiting jobs of the owner that has most.
  func waiting(of owners: [RequestOwner]) -> Int { state.withLockedValue { $0.queue.mostWaiting(of: owners) } }

  /// Processes jobs until none is ready to run.
  private func work() {
    while true {
      let next = state.withLockedValue { state in
        let next = state.queue.next(at: .now - started)
        if next == nil { state.workers -= 1 }
        return next
      }
      guard let (job, owners) = next else { return }
      let before = WorkerThreads.processorTime
      job()
      let cost = WorkerThreads.processorTime - before
      state.withLockedValue { $0.queue.finished(owners, cost: cost, at: .now - started) }
    }
  }
}
