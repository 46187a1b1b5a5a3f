public import Tern
import TernBase
import TernEvents

/// A network that changes under a test's control.
public final class ScriptedReachability: Reachability {
  private struct State {
    var next = 0
    var observers: [Int: @Sendable () -> Void] = [:]
  }

  private let state = Locked(State())

  /// Creates a network without observers.
  public init() {}

  /// The number of clients that observe the network.
  public var observers: Int { state.withLock { $0.observers.count } }

  /// Reports that the network came back or changed.
  public func change() {
    for observer in state.withLock({ Array($0.observers.values) }) { observer() }
  }

  /// Calls `onChange` for each ``change()`` until the observation ends.
  public func observe(_ onChange: @escaping @Sendable () -> Void) -> ReachabilityObservation {
    let number = state.withLock { state in
      state.next += 1
      state.observers[state.next] = onChange
      return state.next
    }
    return ReachabilityObservation { [weak self] whenEnded in
      self?.state.withLock { $0.observers[number] = nil }
      whenEnded()
    }
  }
}
