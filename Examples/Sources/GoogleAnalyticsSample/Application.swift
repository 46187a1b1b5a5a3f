import Tern

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// What the documentation's listing needs of UIKit's application, over Tern's own source of time in the background.
///
/// Where the system suspends nothing, such as on Linux, time is granted without asking anybody.
final class Application: @unchecked Sendable {
  // Unchecked as UIKit's would be: tasks are begun by the main thread and ended by the one that calls handlers back,
  // never both at a time.
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

  /// Ends the process as a system does that wants it gone in good order.
  func terminate() -> Never { exit(0) }
}
