import TernBase
import TernEvents

/// The clocks of one device: the uptime of its processes, and a wall clock that the user can set.
final class SimulatedClock: TernClock {
  private struct State {
    /// The time since the simulation began, by which everything outside the device happens.
    var now: Duration = .zero
    var bootedAt: Duration = .seconds(-40)
    /// The error of the wall clock.
    var error: Duration = .zero
  }

  /// The start of every simulation.
  static let start = Timestamp(millisecondsSince1970: 1_767_225_600_000)

  private let state = Locked(State())

  var now: Duration {
    get { state.withLock { $0.now } }
    set { state.withLock { $0.now = newValue } }
  }

  var error: Duration {
    get { state.withLock { $0.error } }
    set { state.withLock { $0.error = newValue } }
  }

  var uptime: Duration { state.withLock { $0.now - $0.bootedAt } }
  var wallTime: Timestamp { state.withLock { Self.start + $0.now + $0.error } }

  /// Returns the moment at which the uptime will have the given value.
  func moment(ofUptime uptime: Duration) -> Duration { state.withLock { $0.bootedAt + uptime } }

  /// Reboots the device; its uptime starts over.
  func boot() {
    state.withLock { $0.bootedAt = $0.now - .seconds(20) }
  }

  /// Returns at once: timers in a simulation are scheduled events.
  func sleep(until deadline: Duration) async {}
}
