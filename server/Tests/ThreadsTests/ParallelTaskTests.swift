import Foundation
import TernBase
import Testing

@testable import Threads

/// Work that several threads share.
@Suite struct ParallelTaskTests {
  private struct Failure: Error, Equatable {
    var number = 0
  }

  private func threads(_ count: Int) -> ParallelThreads {
    ParallelThreads(count: count) { job in Thread.detachNewThread(job) }
  }

  @Test(arguments: [1, 4]) func `all tasks run, also those that tasks add`(count: Int) throws {
    let tasks = ParallelTasks(threads(count))
    let sum = Locked(0)
    for number in 1...20 {
      tasks.add {
        sum.withLock { $0 += number }
        tasks.add { sum.withLock { $0 += 1_000 } }
      }
    }
    try tasks.run()
    #expect(sum.withLock { $0 } == 20_210)
  }

  @Test(arguments: [1, 4]) func `a failure ends the work and is thrown`(count: Int) {
    let tasks = ParallelTasks(threads(count))
    let begun = Locked(0)
    tasks.add { throw Failure() }
    for _ in 0..<count * 100 { tasks.add { begun.withLock { $0 += 1 } } }
    tasks.add {
      begun.withLock { $0 += 1 }
      tasks.add {}
    }
    #expect(throws: Failure.self) { try tasks.run() }
    if count == 1 { #expect(begun.withLock { $0 } == 0) }
  }

  @Test(arguments: [1, 2, 3, 8]) func `results come in the order of their numbers`(count: Int) throws {
    for numbers in [0, 1, 2, 7, 100] {
      #expect(try threads(count).map(numbers) { $0 * 2 } == (0..<numbers).map { $0 * 2 })
    }
  }

  @Test func `threads that never begin hold up no work`() throws {
    #expect(try ParallelThreads(count: 4) { _ in }.map(4) { $0 } == [0, 1, 2, 3])
  }

  @Test func `a job that begins after the work has ended does nothing`() throws {
    let (late, calls) = (Locked<[@Sendable () -> Void]>([]), Locked(0))
    let threads = ParallelThreads(count: 3) { job in late.withLock { $0.append(job) } }
    _ = try threads.map(3) { _ in calls.withLock { $0 += 1 } }
    let jobs = late.withLock { $0 }
    #expect(jobs.count == 2)
    for job in jobs { job() }
    #expect(calls.withLock { $0 } == 3)
  }

  @Test func `two threads work at the same time`() throws {
    // Each waits for the other.
    let (first, second) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let results = try threads(2).map(2) { number in
      (number == 0 ? second : first).signal()
      (number == 0 ? first : second).wait()
      return number
    }
    #expect(results == [0, 1])
  }

  @Test func `the first failure in the order of numbers is thrown`() {
    #expect(throws: Failure(number: 2)) {
      try threads(4).map(8) { number in
        if number >= 2 { throw Failure(number: number) }
      }
    }
  }
}
