public import Tern
import TernBase
import TernEvents

/// A system that grants background time and takes it back under a test's control.
public final class ScriptedBackgroundActivity: BackgroundActivity {
  private struct State {
    var begun = 0
    var ended: [Int] = []
    var waiting: [Int: @Sendable () -> Void] = [:]
    var isGranting: Bool
  }

  private let state: Locked<State>

  /// Creates a system that grants or refuses background time.
  public init(isGranting: Bool = true) {
    state = Locked(State(isGranting: isGranting))
  }

  /// The number of requests for background time.
  public var begun: Int { state.withLock { $0.begun } }

  /// The numbers of the requests that have ended, from 1, in the order in which they ended.
  public var ended: [Int] { state.withLock { $0.ended } }

  /// Expires all background time that has not ended yet.
  public func expire() {
    for onExpiry in state.withLock({ Array($0.waiting.values) }) { onExpiry() }
  }

  /// Grants background time, or refuses it by calling `onExpiry` at once.
  public func begin(_ reason: String, onExpiry: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
    let (number, isGranting) = state.withLock { state in
      state.begun += 1
      state.waiting[state.begun] = onExpiry
      return (state.begun, state.isGranting)
    }
    if !isGranting { onExpiry() }
    return { [self] in
      state.withLock { state in
        state.waiting[number] = nil
        state.ended.append(number)
      }
    }
  }
}
