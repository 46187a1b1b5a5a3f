import Dispatch
import Foundation
import TernBase

/// Work on a thread of its own, in parallel with the thread that will wait for its result.
final class ParallelWork: Sendable {
  private let result = Locked<Result<Void, any Error>?>(nil)
  private let done = DispatchSemaphore(value: 0)

  /// Starts the thread.
  init(_ body: @escaping @Sendable () throws -> Void) {
    let thread = Thread { [result, done] in
      let outcome = Result { try body() }
      result.withLock { $0 = outcome }
      done.signal()
    }
    thread.stackSize = 4 << 20
    thread.start()
  }

  /// Waits for the end of the work, once, and throws its error.
  func wait() throws {
    done.wait()
    try result.withLock { $0 }?.get()
  }
}
