import Dispatch
import TernBase
import Threads

/// Writes or merges runs in parallel with the writer thread, one at a time.
final class KeyRunBuilder {
  private struct State {
    var isRunning = false
    var result: Result<KeyRun?, any Error>?
  }

  private let queue = DispatchQueue(label: ThreadKind.keys.name, qos: .utility)
  private let state = Locked(State())

  /// True if no work is in progress and its result has been taken.
  var isIdle: Bool { state.withLock { !$0.isRunning && $0.result == nil } }

  /// Starts work. If it fails, the caller tries again later.
  func start(_ work: @escaping @Sendable () throws -> KeyRun?) {
    state.withLock { $0.isRunning = true }
    queue.async { [state] in
      let result = Result { try work() }
      state.withLock { $0 = State(result: result) }
    }
  }

  /// Returns the result of work that has finished, once.
  func takeResult() -> Result<KeyRun?, any Error>? {
    state.withLock { state in
      defer { state.result = nil }
      return state.result
    }
  }

  /// Waits until no work is in progress.
  func wait() { queue.sync {} }
}
