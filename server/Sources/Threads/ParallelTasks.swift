import Foundation

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
