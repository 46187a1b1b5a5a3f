import Dispatch
import Tern
import TernBase
import TernDelivery
import TernEvents

extension DispatchMachine {
  /// The result of a dispatch, as reported to callers.
  package enum Result: Hashable, Sendable {
    /// There was nothing to send or no network.
    case noData
    /// A request succeeded.
    case good
    /// A request failed.
    case error

    init(_ outcome: FlushOutcome) {
      switch outcome {
      case .sent: self = .good
      case .nothingToSend, .offline: self = .noData
      case .failed(let error): self = error.code == .stopped ? .noData : .error
      case .outOfTime: self = .error
      }
    }
  }
}

extension MeasurementClient {
  /// Sends all waiting hits.
  package func dispatch() { dispatchAll { _ in } }

  /// Sends one request and reports its result; turns periodic dispatch off until the interval is set again.
  package func dispatch(_ handler: @escaping @Sendable (DispatchMachine.Result) -> Void) {
    let callback = configuration.callback
    state.withLock { state in
      state.isDispatchingPeriodically = false
      let id = engine.makeFlushID()
      engine.requestFlush(id, .batchRequested(id)) { outcome in
        callback { handler(DispatchMachine.Result(outcome)) }
      }
    }
  }

  /// Sends all waiting hits and reports the result, which is `noData` if nothing was waiting or there is no network.
  ///
  /// The handler is called on the client's own task, so it runs even while the main thread is busy.
  package func dispatchAll(_ handler: @escaping @Sendable (DispatchMachine.Result) -> Void) {
    let id = engine.makeFlushID()
    engine.requestFlush(id, .flushRequested(id)) { handler(DispatchMachine.Result($0)) }
  }

  /// Sends all waiting hits in the background time that the system grants; periodic dispatch is not affected.
  ///
  /// The background activity always ends before `completion` is called, exactly once.
  package func sendInBackground(
    deadline: Duration = .seconds(25), _ completion: @escaping @Sendable (DispatchMachine.Result) -> Void
  ) {
    let callback = configuration.callback
    // Request the time before returning: the system may suspend the process right after.
    let send = engine.beginBackgroundSend(deadline: deadline)
    Task {
      let result: DispatchMachine.Result =
        switch await send().ending {
        case .finished: .noData
        case .failed(let error): DispatchMachine.Result(.failed(error))
        case .deadlinePassed, .expired, .cancelled: .error
        }
      callback { completion(result) }
    }
  }

  /// Tries to send all waiting hits, blocking the thread for at most the given time.
  package func dispatchBeforeEnd(timeout: Duration) {
    let isOver = DispatchSemaphore(value: 0)
    dispatchAll { _ in isOver.signal() }
    _ = isOver.wait(timeout: .now() + .milliseconds(Int(clamping: timeout.wholeMilliseconds)))
  }
}
