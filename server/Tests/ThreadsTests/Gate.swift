import Dispatch
import TernBase

/// Blocks jobs until it lets them go, and counts how many run at once.
final class Gate: Sendable {
  private let state = Locked((running: 0, most: 0, started: 0))
  private let open = DispatchSemaphore(value: 0)

  var most: Int { state.withLock { $0.most } }
  var started: Int { state.withLock { $0.started } }

  func pass() {
    state.withLock { state in
      state.running += 1
      state.started += 1
      state.most = max(state.most, state.running)
    }
    open.wait()
    state.withLock { $0.running -= 1 }
  }

  func letGo(_ count: Int) { for _ in 0..<count { open.signal() } }

  func waitUntilStarted(_ count: Int) async {
    while started < count { await Task.yield() }
  }
}

/// The owners of jobs in these tests.
enum Owner: Hashable, Sendable {
  case client(String)
  case app(Int64)
}
