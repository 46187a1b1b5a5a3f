import TernBase

/// A flag that is set once, to end work on another thread.
final class CancellationFlag: Sendable {
  private let flag = Locked(false)

  var isSet: Bool { flag.withLock { $0 } }
  func set() { flag.withLock { $0 = true } }
}
