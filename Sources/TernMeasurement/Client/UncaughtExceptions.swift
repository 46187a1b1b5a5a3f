import TernBase
import TernEvents

/// A platform's handler for uncaught exceptions.
package protocol ExceptionSystem: Sendable {
  /// The handler's type.
  associatedtype Handler
  /// The exception's type.
  associatedtype Exception

  /// The current handler, if any.
  var handler: Handler? { get nonmutating set }
  /// Creates a handler that calls `body`; only the last one created works.
  func makeHandler(_ body: @escaping @Sendable (Exception) -> Void) -> Handler
  /// Calls a handler.
  func call(_ handler: Handler, _ exception: Exception)
  /// Describes the exception for a report.
  func describe(_ exception: Exception) -> String
}

/// A switch for exception tracking, independent of the platform.
package protocol ExceptionTracking: AnyObject, Sendable {
  /// True if uncaught exceptions are recorded.
  var isTracking: Bool { get set }
}

/// Installs a handler that also calls the previous one, and restores that when tracking is turned off.
package final class UncaughtExceptions<System: ExceptionSystem>: ExceptionTracking {
  private struct State {
    var isTracking = false
    var previous: System.Handler?
  }

  private let system: System
  private let state = Locked(State())
  private let record: @Sendable (String) -> Void

  /// Creates the tracking, initially off; `record` is called on the thread of the exception, before the process ends.
  package init(_ system: System, record: @escaping @Sendable (String) -> Void) {
    self.system = system
    self.record = record
  }

  /// True if uncaught exceptions are recorded.
  package var isTracking: Bool {
    get { state.withLock { $0.isTracking } }
    set {
      state.withLock { state in
        guard state.isTracking != newValue else { return }
        state.isTracking = newValue
        if newValue {
          state.previous = system.handler
          system.handler = system.makeHandler { [weak self] in self?.caught($0) }
        } else {
          system.handler = state.previous
          state.previous = nil
        }
      }
    }
  }

  private func caught(_ exception: System.Exception) {
    record(system.describe(exception))
    if let previous = state.withLock({ $0.previous }) { system.call(previous, exception) }
  }
}
