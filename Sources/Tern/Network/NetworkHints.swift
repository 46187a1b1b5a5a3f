import TernBase
import TernDelivery
package import TernValues

/// Notifies a client's delivery loop when the network comes back.
///
/// Nothing runs between changes of the network.
package final class NetworkHints: Sendable {
  private struct State {
    var pacer = NetworkHintThrottle()
    /// The task that waits until the next hint is due.
    var pending: Task<Void, Never>?
    var observation: ReachabilityObservation?
    var isStopped = false
  }

  private let state = Locked(State())
  private let clock: any TernClock
  private let hint: @Sendable () -> Void

  /// Starts observing.
  ///
  /// - Parameter hint: Called for each hint.
  package init(_ reachability: any Reachability, clock: any TernClock, _ hint: @escaping @Sendable () -> Void) {
    self.clock = clock
    self.hint = hint
    let observation = reachability.observe { [weak self] in self?.changed() }
    state.withLock { $0.observation = observation }
  }

  /// Starts observing for a client; `nil` if the environment has no reachability.
  package convenience init?(for engine: Engine) {
    guard let reachability = engine.environment.reachability else { return nil }
    let mailbox = engine.mailbox
    self.init(reachability, clock: engine.environment.clock) { mailbox.post(.input(.networkAvailable)) }
  }

  deinit {
    state.withLock { $0.pending?.cancel() }
  }

  /// Stops observing and waits for pending work to end.
  package func stop() async {
    let (observation, pending) = state.withLock { state in
      state.isStopped = true
      defer {
        state.observation = nil
        state.pending = nil
      }
      return (state.observation, state.pending)
    }
    pending?.cancel()
    await observation?.stop()
    await pending?.value
  }

  private func changed() {
    let now = clock.uptime
    state.withLock { state in
      guard !state.isStopped, let deadline = state.pacer.changed(at: now) else { return }
      state.pending = Task { [clock, weak self] in
        await clock.sleep(until: deadline)
        if !Task.isCancelled { self?.isDue() }
      }
    }
  }

  private func isDue() {
    let now = clock.uptime
    let isStopped = state.withLock { state in
      state.pacer.hinted(at: now)
      state.pending = nil
      return state.isStopped
    }
    if !isStopped { hint() }
  }
}
