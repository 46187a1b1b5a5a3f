import Foundation
import TernBase
import Testing

@testable import Columns

/// Parts of a question on several threads.
struct EvaluationThreadsTests {
  private struct Failure: Error, Equatable {
    var number: Int
  }

  @Test(arguments: [1, 2, 3, 8]) func `results come in the order of their numbers`(parts: Int) throws {
    for count in [0, 1, 2, 7, 100] {
      #expect(try EvaluationThreads.test(parts: parts).map(count) { $0 * 2 } == (0..<count).map { $0 * 2 })
    }
  }

  @Test func `threads that never begin hold up no question`() throws {
    #expect(try EvaluationThreads(parts: 4) { _ in }.map(4) { $0 } == [0, 1, 2, 3])
  }

  @Test func `a job that begins after the answer does nothing`() throws {
    let late = Locked<[@Sendable () -> Void]>([])
    let calls = Locked(0)
    let threads = EvaluationThreads(parts: 3) { job in late.withLock { $0.append(job) } }
    _ = try threads.map(3) { _ in calls.withLock { $0 += 1 } }
    let jobs = late.withLock { $0 }
    #expect(jobs.count == 2)
    for job in jobs { job() }
    #expect(calls.withLock { $0 } == 3)
  }

  @Test func `two threads work at the same time`() throws {
    // Each waits for the other.
    let (first, second) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let threads = EvaluationThreads(parts: 2) { job in Thread.detachNewThread(job) }
    let results = try threads.map(2) { number in
      (number == 0 ? second : first).signal()
      (number == 0 ? first : second).wait()
      return number
    }
    #expect(results == [0, 1])
  }

  @Test func `the first failure in the order of numbers is thrown`() {
    #expect(throws: Failure(number: 2)) {
      try EvaluationThreads.test(parts: 4).map(8) { number in
        if number >= 2 { throw Failure(number: number) }
      }
    }
  }
}
