import Tern

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The part of `UIApplication` that the documentation's listing needs, on top of Tern's background time.
///
/// On systems that suspend nothing, such as Linux, all time is granted.
final class Application: @unchecked Sendable {
  // `@unchecked`, as UIKit's would be: the main thread begins tasks, the thread of the callbacks ends them,
  // never concurrently.
  static let shared = Application()
  static let invalidTask = 0

  private let activity = TernClient.Environment.live.backgroundActivity
  private var tasks: [Int: @Sendable () -> Void] = [:]
  private var lastTask = 0

  func beginBackgroundTask(expirationHandler: @escaping @Sendable () -> Void) -> Int {
    lastTask += 1
    tasks[lastTask] = activity.map { $0.begin("Sending hits", onExpiry: expirationHandler) } ?? {}
    return lastTask
  }

  func endBackgroundTask(_ task: Int) {
    tasks.removeValue(forKey: task)?()
    Journal.note("task \(task) ended")
  }

  /// Terminates the process cleanly.
  func terminate() -> Never { exit(0) }
}
