import Dispatch
import TernBase

/// The threads among which the chunks of one question are divided.
package struct EvaluationThreads: Sendable {
  /// The specification grants a question two cores. The number doesn't depend on the machine, so neither does the order
  /// in which floating-point values are added.
  package static let standardParts = 2

  /// The number of parts into which the chunks are divided.
  package let parts: Int
  private let submit: @Sendable (@escaping @Sendable () -> Void) -> Void

  /// Creates threads.
  ///
  /// - Parameter submit: Runs a job on another thread; it may do so late, or drop the job.
  package init(parts: Int = standardParts, submit: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void) {
    self.parts = max(parts, 1)
    self.submit = submit
  }

  /// The calling thread alone.
  package static let none = EvaluationThreads(parts: 1) { _ in }

  /// Calls `body` with each number below `count`, on several threads, and returns the results in order.
  ///
  /// The calling thread takes every number that no other thread has begun with, so it never waits for a busy thread.
  func map<Value>(_ count: Int, _ body: @escaping (Int) throws -> Value) throws -> [Value] {
    guard count > 1, parts > 1 else { return try (0..<count).map(body) }
    let work = SharedWork(count, body)
    for _ in 1..<min(count, parts) { submit { while work.runNext(isHelper: true) {} } }
    while work.runNext(isHelper: false) {}
    return try work.results()
  }
}

/// Numbered work that several threads share.
///
/// `@unchecked Sendable` because each number is handed to one thread only, the body keeps to the memory of its number,
/// and the results are read after all threads have signalled their end.
private final class SharedWork<Value>: @unchecked Sendable {
  private struct State {
    var next = 0
    /// The numbers that other threads have taken.
    var helped = 0
  }

  private let body: (Int) throws -> Value
  private let state = Locked(State())
  private let helperDidEnd = DispatchSemaphore(value: 0)
  private let values: UnsafeMutableBufferPointer<Result<Value, any Error>?>

  init(_ count: Int, _ body: @escaping (Int) throws -> Value) {
    self.body = body
    values = .allocate(capacity: count)
    values.initialize(repeating: nil)
  }

  deinit {
    values.deinitialize()
    values.deallocate()
  }

  /// Runs the next number; returns false if there is none.
  func runNext(isHelper: Bool) -> Bool {
    let number: Int? = state.withLock { state in
      guard state.next < values.count else { return nil }
      state.next += 1
      if isHelper { state.helped += 1 }
      return state.next - 1
    }
    guard let number else { return false }
    values[number] = Result { try body(number) }
    if isHelper { helperDidEnd.signal() }
    return true
  }

  /// Waits for the numbers that other threads have taken, and returns the results; throws the first error.
  func results() throws -> [Value] {
    for _ in 0..<state.withLock({ $0.helped }) { helperDidEnd.wait() }
    return try values.compactMap { try $0?.get() }
  }
}
