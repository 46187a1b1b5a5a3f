import TernBase
public import TernValues

/// A clock that stands still until a test moves it.
public final class TestClock: TernClock {
  private struct Sleeper {
    var deadline: Duration
    var continuation: CheckedContinuation<Void, Never>
  }

  private struct State {
    var wallTime: Timestamp
    var uptime: Duration
    var sleepers: [Int: Sleeper] = [:]
    var nextSleeper = 0
    var observers: [(isSatisfied: @Sendable (Duration?) -> Bool, continuation: CheckedContinuation<Duration?, Never>)] =
      []

    var earliest: Duration? { sleepers.values.map(\.deadline).min() }

    /// Removes and returns the observers whose condition is met.
    mutating func satisfied() -> [() -> Void] {
      let earliest = earliest
      let ready = observers.filter { $0.isSatisfied(earliest) }
      observers.removeAll { $0.isSatisfied(earliest) }
      return ready.map { observer in { observer.continuation.resume(returning: earliest) } }
    }
  }

  private let state: Locked<State>

  /// Creates a clock; by default it shows 2026-01-01 00:00:00 UTC and 1,000 s of uptime.
  public init(
    wallTime: Timestamp = Timestamp(millisecondsSince1970: 1_767_225_600_000), uptime: Duration = .seconds(1000)
  ) {
    state = Locked(State(wallTime: wallTime, uptime: uptime))
  }

  /// The wall time.
  public var wallTime: Timestamp { state.withLock { $0.wallTime } }

  /// The uptime of the device.
  public var uptime: Duration { state.withLock { $0.uptime } }

  /// Advances the clock; sleepers whose time has come are woken in the order of their deadlines.
  public func advance(by step: Duration) {
    let woken = state.withLock { state in
      state.uptime += step
      state.wallTime = state.wallTime + step
      let due = state.sleepers.filter { $0.value.deadline <= state.uptime }
      for key in due.keys { state.sleepers[key] = nil }
      return due.sorted { ($0.value.deadline, $0.key) < ($1.value.deadline, $1.key) }.map(\.value.continuation)
    }
    for continuation in woken { continuation.resume() }
  }

  /// Sets the wall clock, as a user would; the uptime is not affected.
  public func setWallTime(_ time: Timestamp) {
    state.withLock { $0.wallTime = time }
  }

  /// Waits until a test has advanced the clock to the deadline, or the task is cancelled.
  public func sleep(until deadline: Duration) async {
    let number = state.withLock { state in
      state.nextSleeper += 1
      return state.nextSleeper
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let observers = state.withLock { state -> [() -> Void]? in
          // Checked under the lock: a cancellation after this finds the sleeper.
          if Task.isCancelled || deadline <= state.uptime { return nil }
          state.sleepers[number] = Sleeper(deadline: deadline, continuation: continuation)
          return state.satisfied()
        }
        guard let observers else { return continuation.resume() }
        for observer in observers { observer() }
      }
    } onCancel: {
      let (sleeper, observers) = state.withLock { state in
        (state.sleepers.removeValue(forKey: number), state.satisfied())
      }
      sleeper?.continuation.resume()
      for observer in observers { observer() }
    }
  }

  /// Waits until a task sleeps, and returns the earliest deadline.
  @discardableResult
  public func sleeping() async -> Duration {
    await wait { $0 != nil } ?? .zero
  }

  /// Waits until the earliest deadline is the given uptime.
  public func sleeping(until deadline: Duration) async {
    _ = await wait { $0 == deadline }
  }

  /// Waits until no task sleeps.
  public func noTaskSleeping() async {
    _ = await wait { $0 == nil }
  }

  private func wait(for isSatisfied: @escaping @Sendable (Duration?) -> Bool) async -> Duration? {
    await withCheckedContinuation { continuation in
      let now = state.withLock { state -> Duration?? in
        if isSatisfied(state.earliest) { return .some(state.earliest) }
        state.observers.append((isSatisfied, continuation))
        return nil
      }
      if let now { continuation.resume(returning: now) }
    }
  }
}
