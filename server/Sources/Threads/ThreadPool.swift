import Dispatch
import Foundation

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The share of a processor that threads get beside busy threads of normal priority.
package enum ThreadPriority: Sendable {
  case normal
  /// About a third as much.
  case low
}

/// The error for a job that a ``ThreadPool`` did not run.
package enum ThreadPoolRefusal: Error {
  /// Too many jobs are waiting.
  case full
  case closed
}

/// A few threads for one kind of work, so that it holds up no other kind: neither Swift's cooperative threads nor the event
/// loops.
///
/// Threads start on demand. Work runs on them as jobs, in the order of a ``FairQueue``, or as tasks that prefer this executor.
package final class ThreadPool<Owner: Hashable & Sendable>: TaskExecutor {
  /// The maximum number of threads.
  package let count: Int
  private let jobs: PoolJobs<Owner>

  /// - Parameters:
  ///   - count: The maximum number of threads; by default that of the kind.
  ///   - limits: The bounds of the queue of jobs.
  package init(_ kind: ThreadKind, count: Int? = nil, limits: FairQueueLimits = FairQueueLimits()) {
    self.count = max(1, count ?? kind.count)
    jobs = PoolJobs(kind, maximumThreads: self.count, limits: limits)
  }

  deinit { jobs.close() }

  /// Ends the threads once they have run all waiting jobs. Later jobs are refused.
  package func close() { jobs.close() }

  /// The number of waiting jobs.
  package var waiting: Int { jobs.waiting }

  /// Runs `body` on one of the threads; throws ``ThreadPoolRefusal`` if it can't.
  package func run<Value: Sendable>(
    for owners: [Owner] = [], _ body: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    try await withCheckedThrowingContinuation { waiter in
      do throws(ThreadPoolRefusal) {
        try jobs.append({ waiter.resume(with: Result(catching: body)) }, owners: owners)
      } catch {
        waiter.resume(throwing: error)
      }
    }
  }

  /// Runs `job` on one of the threads, unless the pool is closed.
  package func submit(_ job: @escaping @Sendable () -> Void) { try? jobs.append(job, owners: []) }

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let run: @Sendable () -> Void = { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    // Tasks that outlive the pool must still end.
    do { try jobs.append(run, owners: []) } catch { DispatchQueue.global().async(execute: run) }
  }
}

/// The jobs of a pool, and the threads that run them.
///
/// `@unchecked Sendable` because all state is accessed only while `condition` is locked.
private final class PoolJobs<Owner: Hashable & Sendable>: @unchecked Sendable {
  typealias Job = @Sendable () -> Void

  private let condition = NSCondition()
  private let kind: ThreadKind
  private let maximumThreads: Int
  private let started = ContinuousClock.now
  private var queue: FairQueue<Owner, Job>
  private var threads = 0
  private var idleThreads = 0
  private var isClosed = false

  init(_ kind: ThreadKind, maximumThreads: Int, limits: FairQueueLimits) {
    (self.kind, self.maximumThreads) = (kind, maximumThreads)
    queue = FairQueue(limits)
  }

  var waiting: Int { condition.withLock { queue.waiting } }

  func close() {
    condition.withLock {
      isClosed = true
      condition.broadcast()
    }
  }

  func append(_ job: @escaping Job, owners: [Owner]) throws(ThreadPoolRefusal) {
    condition.lock()
    defer { condition.unlock() }
    guard !isClosed else { throw .closed }
    guard queue.add(job, owners: owners) != nil else { throw .full }
    if queue.waiting > idleThreads, threads < maximumThreads {
      threads += 1
      startThread()
    } else {
      condition.signal()
    }
  }

  private func startThread() {
    kind.start { [self] in
      if kind.priority == .low { Self.lowerPriority() }
      while let turn = next() {
        // Only owners are charged, so the time of other jobs need not be measured.
        let before = turn.owners.isEmpty ? .zero : Self.processorTime
        turn.job()
        finished(turn.owners, cost: turn.owners.isEmpty ? .zero : Self.processorTime - before)
      }
    }
  }

  /// Waits for a job that may run; returns `nil` if the pool is closed and has no more jobs.
  private func next() -> FairQueue<Owner, Job>.Turn? {
    condition.withLock {
      while true {
        if let next = queue.next(at: .now - started) { return next }
        if isClosed, queue.waiting == 0 { return nil }
        idleThreads += 1
        condition.wait()
        idleThreads -= 1
      }
    }
  }

  private func finished(_ owners: [Owner], cost: Duration) {
    condition.withLock {
      queue.finished(owners, cost: cost, at: .now - started)
      // Jobs of these owners may be ready now, and the last one of a closed pool ends all threads.
      if !owners.isEmpty || isClosed { condition.broadcast() }
    }
  }

  /// The processor time used by the calling thread so far.
  private static var processorTime: Duration {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return .seconds(Int64(time.tv_sec)) + .nanoseconds(Int64(time.tv_nsec))
  }

  /// Lowers the thread's priority. Linux ignores `qualityOfService`, but has a nice value per thread: at 5, a thread gets a
  /// third of the share of one at 0, at 10 a tenth, and reports hardly progress.
  private static func lowerPriority() {
    #if canImport(Glibc) || canImport(Musl)
      _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 5)
    #endif
  }
}
