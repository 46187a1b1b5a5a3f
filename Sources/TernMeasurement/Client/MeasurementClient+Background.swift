import Tern
import TernEvents

extension MeasurementClient {
  /// Sends all that waits while the system lets the process run; periodic dispatch stays as it is.
  ///
  /// The time that it asks the system for is given back in every case: when all is sent, when a request fails, when the
  /// system wants it back or grants none, and at the deadline. `completion` is called once, after that.
  package func sendInBackground(
    deadline: Duration = .seconds(25), _ completion: @escaping @Sendable (DispatchMachine.Result) -> Void
  ) {
    let sending = BackgroundSending { [self] result in configuration.callback { completion(result) } }
    if let activity = environment.backgroundActivity {
      sending.keep(activity.begin("Sending analytics") { sending.finish(.error) })
    }
    dispatchAll { sending.finish($0) }
    let clock = environment.clock
    let timeout = clock.uptime + deadline
    sending.keep(
      Task {
        await clock.sleep(until: timeout)
        sending.finish(.error)
      })
  }
}

/// One sending in the background, which ends once, however it ends.
private final class BackgroundSending: Sendable {
  private struct State {
    var isOver = false
    var giveBack: (@Sendable () -> Void)?
    var timer: Task<Void, Never>?
  }

  private let state = Locked(State())
  private let completion: @Sendable (DispatchMachine.Result) -> Void

  init(_ completion: @escaping @Sendable (DispatchMachine.Result) -> Void) { self.completion = completion }

  /// Takes what gives the system's time back; at once when it is over already.
  func keep(_ giveBack: @escaping @Sendable () -> Void) {
    let isOver = state.withLock { state in
      if !state.isOver { state.giveBack = giveBack }
      return state.isOver
    }
    if isOver { giveBack() }
  }

  func keep(_ timer: Task<Void, Never>) {
    let isOver = state.withLock { state in
      if !state.isOver { state.timer = timer }
      return state.isOver
    }
    if isOver { timer.cancel() }
  }

  func finish(_ result: DispatchMachine.Result) {
    let last = state.withLock { state -> State? in
      guard !state.isOver else { return nil }
      defer { state = State(isOver: true) }
      return state
    }
    guard let last else { return }
    last.timer?.cancel()
    last.giveBack?()
    completion(result)
  }
}
