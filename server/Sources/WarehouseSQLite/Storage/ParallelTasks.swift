import Foundation
import TernBase

/// Work on a few threads of its own, the calling one among them.
///
/// Tasks begin in the order in which they were added, and may add others. As many run at once as there are threads, so
/// that number, not the amount of work, bounds their memory.
///
/// `@unchecked Sendable` because the state is used only while the condition is locked.
final class ParallelTasks: @unchecked Sendable {
  typealias Task = @Sendable () throws -> Void

  /// The number of threads: one per core, up to eight.
  static let standardThreads = min(max(ProcessInfo.processInfo.activeProcessorCount, 1), 8)

  private let threads: Int
  private let condition = NSCondition()
  private var waiting: [Task] = []
  private var running = 0
  private var failure: (any Error)?

  init(threads: Int = standardThreads) { self.threads = threads }

  func add(_ task: @escaping Task) {
    condition.lock()
    waiting.append(task)
    condition.signal()
    condition.unlock()
  }

  /// Runs all tasks and waits for their end. After a failure, none begins; then throws the first error.
  func run() throws {
    let ended = DispatchSemaphore(value: 0)
    for _ in 1..<max(threads, 1) {
      let thread = Thread { [self] in
        work()
        ended.signal()
      }
      thread.stackSize = 4 << 20
      thread.start()
    }
    work()
    for _ in 1..<max(threads, 1) { ended.wait() }
    if let failure { throw failure }
  }

  private func work() {
    while let task = next() {
      let result = Result { try task() }
      condition.lock()
      running -= 1
      if case .failure(let error) = result {
        failure = failure ?? error
        waiting = []
      }
      if running == 0 { condition.broadcast() }
      condition.unlock()
    }
  }

  /// Returns the next task; waits while running ones may still add some.
  private func next() -> Task? {
    condition.lock()
    defer { condition.unlock() }
    while waiting.isEmpty, running > 0 { condition.wait() }
    guard failure == nil, !waiting.isEmpty else { return nil }
    running += 1
    return waiting.removeFirst()
  }
}
