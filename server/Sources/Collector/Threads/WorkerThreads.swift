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

  /// Lowers the priority of the calling thread below that of normal threads.
  static func lowerPriority() {
    #if canImport(Darwin)
      pthread_set_qos_class_self_np(QOS_CLASS_UTILITY, 0)
    #elseif canImport(Glibc)
      // On Linux, a nice value belongs to a thread. At 5, a thread gets a third of the share of one at 0.
      setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 5)
    #else
      setpriority(PRIO_PROCESS, 0, 5)
    #endif
  }

  /// The processor time used by the calling thread so far.
  static var processorTime: Duration {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return .seconds(Int64(time.tv_sec)) + .nanoseconds(Int64(time.tv_nsec))
  }
}
