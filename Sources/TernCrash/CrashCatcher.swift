import CTernCrash
import TernBase
package import TernEvents

/// Catches the crashes of this process until it is stopped. There is one at a time, because handlers are process-wide.
///
/// A thread whose stack overflows is reported only if it has a stack for signal handlers: the thread that starts
/// catching gets one.
package final class CrashCatcher: Sendable {
  private static let current = Locked<UniqueID?>(nil)

  /// The identifier of the report that this process would write; `nil` while it catches nothing.
  package static var currentReport: UniqueID? { current.withLock { $0 } }

  private let isRunning = Locked(true)
  let directory: CrashDirectory

  /// Starts catching; returns `nil` if the process does so already, on platforms without it, or if the directory can't be
  /// written.
  ///
  /// - Parameters:
  ///   - directory: The directory for the report, created if missing.
  ///   - id: The identifier of the report.
  ///   - context: One line of text that the report contains; crashes are not reported while it is empty.
  package init?(in directory: CrashDirectory, id: UniqueID, context: [UInt8]) {
    let isStarted = Self.current.withLock { current in
      guard current == nil else { return false }
      directory.create()
      Self.set(context)
      guard tern_crash_start(directory.file(id), id.description) == 0 else { return false }
      current = id
      return true
    }
    self.directory = directory
    guard isStarted else { return nil }
  }

  deinit { stop() }

  /// Replaces the context.
  package func setContext(_ context: [UInt8]) {
    isRunning.withLock { if $0 { Self.set(context) } }
  }

  /// Notes a step of the app for the next report.
  ///
  /// It takes no lock, unlike the other methods, which may wait for the report of a hang. After the end of catching, it does
  /// nothing.
  package static func addStep(_ text: String, at time: Timestamp) {
    var text = CaughtCrash.Step.text(text)
    text.withUTF8 { tern_crash_add_step(time.millisecondsSince1970, $0.baseAddress, $0.count) }
  }

  /// Forgets the steps so far.
  package func forgetSteps() {
    isRunning.withLock { if $0 { tern_crash_forget_steps() } }
  }

  /// Runs a closure during which catching doesn't stop and the context doesn't change; returns `nil` once it has stopped.
  func whileRunning<Result>(_ body: () -> Result?) -> Result? {
    isRunning.withLock { $0 ? body() : nil }
  }

  /// Stops catching and removes the file.
  package func stop() {
    isRunning.withLock { isRunning in
      guard isRunning else { return }
      isRunning = false
      Self.current.withLock { current in
        tern_crash_stop()
        current = nil
      }
    }
  }

  private static func set(_ context: [UInt8]) {
    context.withUnsafeBytes { tern_crash_set_context($0.baseAddress, $0.count) }
  }
}
