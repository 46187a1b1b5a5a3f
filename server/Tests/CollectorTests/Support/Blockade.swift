import Foundation

/// Blocks threads at a barrier while it is closed.
final class Blockade: @unchecked Sendable {
  // The condition guards both.
  private let condition = NSCondition()
  private var isClosed = false
  private var blockedThreads = 0

  init(isClosed: Bool = false) { self.isClosed = isClosed }

  func close() { condition.withLock { isClosed = true } }

  func open() {
    condition.withLock {
      isClosed = false
      condition.broadcast()
    }
  }

  /// Blocks the calling thread until the blockade is open.
  func pass() {
    condition.withLock {
      blockedThreads += 1
      condition.broadcast()
      while isClosed { condition.wait() }
      blockedThreads -= 1
    }
  }

  /// Returns when the given number of threads are blocked.
  func blocks(_ count: Int) async {
    await withCheckedContinuation { continuation in
      // On a separate thread: Swift's own may all be needed to bring the blocked ones here.
      Thread.detachNewThread { [self] in
        condition.withLock { while blockedThreads < count { condition.wait() } }
        continuation.resume()
      }
    }
  }
}
