import TernBase
import TernEvents

/// A system's registration of its handler for uncaught exceptions.
package protocol ExceptionSystem: Sendable {
  /// The handler's type.
  associatedtype Handler
  /// The exception's type.
  associatedtype Exception

  /// The present handler, if any.
  var handler: Handler? { get nonmutating set }
  /// Makes a handler that calls `body`; only the last one made works.
  func makeHandler(_ body: @escaping @Sendable (Exception) -> Void) -> Handler
  /// Calls a handler.
  func call(_ handler: Handler, _ exception: Exception)
  /// Says what the exception is, for a report.
  func describe(_ exception: Exception) -> String
}

/// Enables the tracking of exceptions on any system.
package protocol ExceptionTracking: AnyObject, Sendable {
  /// True if uncaught exceptions are recorded.
  var isTracking: Bool { get set }
}

/// Takes a place in front of the handler that is there, and gives it back.
package final class UncaughtExceptions<System: ExceptionSystem>: ExceptionTracking {
  private struct State {
    var isTracking = false
    var previous: System.Handler?
  }

  private let system: System
  private let state = Locked(State())
  private let record: @Sendable (String) -> Void

  /// Tracks nothing yet; `record` is called on the thread of the exception, which ends the process afterwards.
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
