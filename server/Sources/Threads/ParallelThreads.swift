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

  /// Runs a job on the other threads, but on no more than there is something to do for.
  func help(atMost helpers: Int, _ job: @escaping @Sendable () -> Void) {
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
