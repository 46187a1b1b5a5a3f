import Foundation
import TernBase
import Warehouse

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A small pool of threads for reports, so that slow ones hold up neither Swift's cooperative threads nor commits.
///
/// Threads start on demand and run at a lower priority than ingestion. Reads of the database run on them as jobs, the
/// rest of a report as tasks that prefer this executor.
final class ReaderThreads: TaskExecutor {
  /// Half of the cores, but at least two, so that a slow report leaves room for a quick one.
  static let standardCount = max(2, min(8, ProcessInfo.processInfo.activeProcessorCount / 2))

  /// The maximum number of threads.
  let count: Int
  private let queue: ReadQueue

  init(count: Int) {
    self.count = max(1, count)
    queue = ReadQueue(maximumThreads: self.count)
  }

  deinit { queue.close() }

  /// Ends the threads once they have run all waiting jobs. Later calls of `run` throw.
  func close() { queue.close() }

  /// Runs `body` on one of the threads.
  ///
  /// - Parameter turn: Jobs that share this object run one at a time; meanwhile the threads run other jobs.
  func run<Value: Sendable>(
    takingTurnsOn turn: AnyObject? = nil, _ body: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    let turn = turn.map(ObjectIdentifier.init)
    return try await withCheckedThrowingContinuation { waiter in
      let isAccepted = queue.append(ReadQueue.Job(turn: turn) { waiter.resume(with: Result(catching: body)) })
      if !isAccepted {
        waiter.resume(throwing: WarehouseError(code: .unavailable, message: "The warehouse is closed."))
      }
    }
  }

  /// Runs `job` on one of the threads, unless the pool is closed.
  func submit(_ job: @escaping @Sendable () -> Void) { _ = queue.append(ReadQueue.Job(run: job)) }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let run: @Sendable () -> Void = { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    // Tasks that outlive the pool must still end.
    if !queue.append(ReadQueue.Job(run: run)) { DispatchQueue.global().async(execute: run) }
  }
}

/// The queue of jobs for the reader threads.
///
/// `@unchecked Sendable` because all state is accessed only while `condition` is locked.
private final class ReadQueue: @unchecked Sendable {
  struct Job {
    var turn: ObjectIdentifier?
    var run: @Sendable () -> Void
  }

  private let condition = NSCondition()
  private let maximumThreads: Int
  private var waiting: [Job] = []
  private var turnsTaken: Set<ObjectIdentifier> = []
  private var threads = 0
  private var idleThreads = 0
  private var isClosed = false

  init(maximumThreads: Int) { self.maximumThreads = maximumThreads }

  func close() {
    condition.withLock {
      isClosed = true
      condition.broadcast()
    }
  }

  /// Adds a job; returns false if the queue is closed.
  func append(_ job: Job) -> Bool {
    condition.withLock {
      guard !isClosed else { return false }
      waiting.append(job)
      if waiting.count > idleThreads, threads < maximumThreads {
        threads += 1
        startThread()
      } else {
        condition.signal()
      }
      return true
    }
  }

  private func startThread() {
    let thread = Thread { [self] in
      Self.lowerPriority()
      while let job = next() {
        job.run()
        finished(job)
      }
    }
    thread.name = "tern-reader"
    thread.stackSize = 4 << 20
    thread.qualityOfService = .utility
    thread.start()
  }

  /// Waits for a job that may run; returns `nil` if the queue is closed and empty.
  private func next() -> Job? {
    condition.withLock {
      while true {
        if let index = waiting.firstIndex(where: { $0.turn.map { !turnsTaken.contains($0) } ?? true }) {
          let job = waiting.remove(at: index)
          if let turn = job.turn { turnsTaken.insert(turn) }
          return job
        }
        if isClosed, waiting.isEmpty { return nil }
        idleThreads += 1
        condition.wait()
        idleThreads -= 1
      }
    }
  }

  private func finished(_ job: Job) {
    guard let turn = job.turn else { return }
    condition.withLock {
      turnsTaken.remove(turn)
      // The next job with this turn may be ready now, or a closed queue may have become empty.
      condition.broadcast()
    }
  }

  /// Lowers the thread's priority, so that ingestion goes first. Linux ignores `qualityOfService`, but has a nice value
  /// per thread: at 5, a thread gets a third of the share of one at 0, at 10 a tenth, and reports hardly progress.
  private static func lowerPriority() {
    #if canImport(Glibc) || canImport(Musl)
      _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 5)
    #endif
  }
}
