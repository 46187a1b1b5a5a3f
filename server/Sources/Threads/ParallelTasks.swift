import Foundation
import TernBase

/// The threads among which one piece of work is divided: the calling one, and others that help if they have time.
package struct ParallelThreads: Sendable {
  /// The number of threads, the calling one included.
  package let count: Int
  private let submit: @Sendable (@escaping @Sendable () -> Void) -> Void

  /// Creates threads.
  ///
  /// - Parameter submit: Runs a job on another thread; it may do so late, or drop the job.
  package init(count: Int, submit: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void) {
    self.count = max(count, 1)
    self.submit = submit
  }

  /// The calling thread, with others of a pool.
  package init<Owner>(count: Int, _ pool: ThreadPool<Owner>) { self.init(count: count) { pool.submit($0) } }

  /// The calling thread alone.
  package static let none = ParallelThreads(count: 1) { _ in }

  /// Calls `body` with each number below `count`, and returns the results in order; throws the first error in that order.
  package func map<Value>(_ count: Int, _ body: @escaping (Int) throws -> Value) throws -> [Value] {
    guard count > 1, self.count > 1 else { return try (0..<count).map(body) }
    let (results, tasks) = (NumberedResults(count, body), ParallelTasks(self))
    for number in 0..<count { tasks.add { results.make(number) } }
    try tasks.run(helpers: count - 1)
    return try results.all.compactMap { try $0?.get() }
  }

  fileprivate func help(atMost helpers: Int, _ job: @escaping @Sendable () -> Void) {
    for _ in 0..<min(count - 1, helpers) { submit(job) }
  }
}

/// The results of numbered work.
///
/// `@unchecked Sendable` because each number is made by one thread only, the body keeps to the memory of its number, and the
/// results are read after all have been made.
private final class NumberedResults<Value>: @unchecked Sendable {
  private let body: (Int) throws -> Value
  let all: UnsafeMutableBufferPointer<Result<Value, any Error>?>

  init(_ count: Int, _ body: @escaping (Int) throws -> Value) {
    self.body = body
    all = .allocate(capacity: count)
    all.initialize(repeating: nil)
  }

  deinit {
    all.deinitialize()
    all.deallocate()
  }

  func make(_ number: Int) { all[number] = Result { try body(number) } }
}

/// Tasks that several threads share, the calling one among them.
///
/// Tasks begin in the order in which they were added, and may add others. As many run at once as there are threads, so
/// that number, not the amount of work, bounds their memory. The calling thread takes every task that no other thread has
/// begun, so it never waits for a busy thread.
///
/// `@unchecked Sendable` because the state is used only while the condition is locked.
package final class ParallelTasks: @unchecked Sendable {
  package typealias Task = @Sendable () throws -> Void

  private let threads: ParallelThreads
  private let condition = NSCondition()
  private var waiting: [Task] = []
  private var running = 0
  private var failure: (any Error)?

  package init(_ threads: ParallelThreads) { self.threads = threads }

  /// Adds a task, unless one has failed.
  package func add(_ task: @escaping Task) {
    condition.withLock {
      guard failure == nil else { return }
      waiting.append(task)
      condition.signal()
    }
  }

  /// Runs all tasks and waits for their end. After a failure, none begins; then throws the first error.
  ///
  /// - Parameter helpers: The number of other threads that could have something to do.
  package func run(helpers: Int = .max) throws {
    threads.help(atMost: helpers) { self.work() }
    work()
    if let failure = condition.withLock({ failure }) { throw failure }
  }

  /// Runs tasks until none is waiting or running.
  private func work() {
    while let result = runNext() {
      condition.withLock {
        running -= 1
        if case .failure(let error) = result {
          failure = failure ?? error
          waiting = []
        }
        if running == 0 { condition.broadcast() }
      }
    }
  }

  /// Runs the next task, if there is one. What it captures is released before it counts as ended.
  private func runNext() -> Result<Void, any Error>? {
    guard let task = next() else { return nil }
    return Result { try task() }
  }

  /// Returns the next task; waits while running ones may still add some.
  private func next() -> Task? {
    condition.withLock {
      while waiting.isEmpty, running > 0 { condition.wait() }
      guard !waiting.isEmpty else { return nil }
      running += 1
      return waiting.removeFirst()
    }
  }
}
