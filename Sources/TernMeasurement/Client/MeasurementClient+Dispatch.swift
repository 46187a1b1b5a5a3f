import Tern
import TernEvents

extension MeasurementClient {
  /// Sends all that waits.
  package func dispatch() {
    retryStorage(.asked)
    feed(.dispatch)
  }

  /// Sends one request and says what came of it; turns periodic dispatch off until the interval is assigned again.
  package func dispatch(_ handler: @escaping @Sendable (DispatchMachine.Result) -> Void) {
    let callback = configuration.callback
    call({ result in callback { handler(result) } }) { .dispatchOnce($0) }
  }

  /// Sends all that waits and says how it ended: `noData` when nothing is left or there is no network.
  ///
  /// The handler is called by the client's own task, and so also while the app's main thread is busy.
  package func dispatchAll(_ handler: @escaping @Sendable (DispatchMachine.Result) -> Void) {
    call(handler) { .dispatchAll($0) }
  }

  private func call(
    _ handler: @escaping @Sendable (DispatchMachine.Result) -> Void,
    _ input: (DispatchMachine.CallID) -> DispatchMachine.Input
  ) {
    retryStorage(.asked)
    state.withLock { state in
      state.lastCall += 1
      let id = DispatchMachine.CallID(number: state.lastCall)
      state.handlers[id] = handler
      feed(input(id), &state)
    }
  }

  /// Tells a call its result; the handler is let go of before.
  func finish(_ call: DispatchMachine.CallID, _ result: DispatchMachine.Result) {
    guard let handler = state.withLock({ $0.handlers.removeValue(forKey: call) }) else { return }
    handler(result)
  }

  /// Tells everyone who still waits, at the end of the client.
  func finishAll() {
    for call in state.withLock({ Array($0.handlers.keys) }) { finish(call, .noData) }
  }
}
