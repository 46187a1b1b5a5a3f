import TernBase

/// A flag that is set once, to end work on another thread.
package final class CancellationFlag: Sendable {
  private let flag = Locked(false)

  package var isSet: Bool { flag.withLock { $0 } }
  func set() { flag.withLock { $0 = true } }
}

/// Runs `body` with a flag that is set when the task is cancelled.
package func withCancellationFlag<Value: Sendable>(
  isolation: isolated (any Actor)? = #isolation, _ body: (CancellationFlag) async throws -> Value
) async rethrows -> Value {
  let flag = CancellationFlag()
  return try await withTaskCancellationHandler {
    try await body(flag)
  } onCancel: {
    flag.set()
  }
}
