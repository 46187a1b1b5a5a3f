import Dispatch
import NIOPosix

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A fixed number of threads for one kind of work, so that it cannot hold up other kinds.
final class WorkerThreads: Sendable {
  private let pool: NIOThreadPool

  init(count: Int) {
    pool = NIOThreadPool(numberOfThreads: count)
    pool.start()
  }

  deinit {
    // Joins the threads, so it must not run on one of them.
    pool.shutdownGracefully(queue: .global()) { _ in }
  }

  /// Runs `work` on one of the threads as soon as one is free.
  func submit(_ work: @escaping @Sendable () -> Void) {
    pool.submit { _ in work() }
  }

  /// The processor time used by the calling thread so far.
  static var processorTime: Duration {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return .seconds(Int64(time.tv_sec)) + .nanoseconds(Int64(time.tv_nsec))
  }
}
