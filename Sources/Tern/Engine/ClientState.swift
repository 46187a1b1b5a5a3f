import TernDelivery
import TernEvents

/// Why nothing is sent; each is lifted by itself.
enum PauseReason: Hashable, Sendable {
  /// The app paused.
  case app
  /// There is no collector.
  case noCollector
  /// The app forbade requests.
  case notAllowed
  /// The switches cannot be read, so nobody knows whether anything may be sent.
  case unknownSettings
}

/// Counts what was delivered, and tells those who watch.
final class ClientState: Sendable {
  struct State {
    var lastError: DeliveryError?
    /// Why nothing is sent, if so.
    var pauses: Set<PauseReason>
    var isPaused: Bool { !pauses.isEmpty }
    /// Why the disk takes nothing, if so.
    var storageError: TernError?
    /// Told when the disk begins to refuse events, and when it takes them again.
    var storageListener: (@Sendable (TernError?) -> Void)?
    /// Events of earlier processes: they need not wait for the timer.
    var hadBacklog = false
    /// Limits that hold once the queue can be looked at, if it is not larger then.
    var limits: [QueueLimit] = []
    var isClosed = false
    var nextWatcher = 0
    var watchers: [Int: AsyncStream<TernClient.Status>.Continuation] = [:]
    var lastPublished: TernClient.Status?
    var nextFlush = 0
    var receipts = ReceiptRegistry()
    /// Told when attempts begin to fail, fail for another reason, or succeed; `nil`: nobody is.
    var attemptListener: (@Sendable (DeliveryError?) -> Void)?
    /// Whether the listener knows of an attempt that succeeded, or why the last one failed.
    var toldError: DeliveryError.Code??
    var flushes: [DeliveryMachine.FlushID: CheckedContinuation<FlushOutcome, Never>] = [:]
  }

  private let state: Locked<State>

  init(pauses: Set<PauseReason>) {
    state = Locked(State(pauses: pauses))
  }

  func withLock<Result>(_ body: (inout State) throws -> Result) rethrows -> Result { try state.withLock(body) }

  /// Takes in how an attempt ended.
  func take(_ error: DeliveryError?) {
    let listener = state.withLock { state -> (@Sendable (DeliveryError?) -> Void)? in
      state.lastError = error
      guard let listener = state.attemptListener, state.toldError != .some(error?.code) else { return nil }
      state.toldError = .some(error?.code)
      return listener
    }
    listener?(error)
  }

  /// Takes in whether the disk takes events; tells each change once.
  func take(storage error: TernError?) {
    let listener = state.withLock { state -> (@Sendable (TernError?) -> Void)? in
      let isNew = (state.storageError == nil) != (error == nil)
      state.storageError = error
      return isNew ? state.storageListener : nil
    }
    listener?(error)
  }

  /// Adds a watcher, who sees `current` first; says whether it is the only one.
  func watch(
    _ continuation: AsyncStream<TernClient.Status>.Continuation, current: TernClient.Status
  ) -> (number: Int, isOpen: Bool) {
    continuation.yield(current)
    return state.withLock { state in
      let number = state.nextWatcher
      state.nextWatcher += 1
      if !state.isClosed { state.watchers[number] = continuation }
      return (number, !state.isClosed)
    }
  }

  /// Removes a watcher; says whether it was the last.
  func unwatch(_ number: Int) -> Bool {
    state.withLock { state in
      state.watchers[number] = nil
      return state.watchers.isEmpty
    }
  }

  /// Tells the watchers, if there is something new.
  func publish(_ status: @autoclosure () -> TernClient.Status) {
    guard state.withLock({ !$0.watchers.isEmpty }) else { return }
    let status = status()
    let watchers = state.withLock { state in
      guard state.lastPublished != status else { return [AsyncStream<TernClient.Status>.Continuation]() }
      state.lastPublished = status
      return Array(state.watchers.values)
    }
    // Outside the lock: resuming a watcher is none of its business.
    for watcher in watchers { watcher.yield(status) }
  }

  /// Ends all streams and answers all flushes.
  func close() {
    let (watchers, flushes, receipts) = state.withLock { state in
      state.isClosed = true
      defer {
        state.watchers = [:]
        state.flushes = [:]
      }
      return (Array(state.watchers.values), Array(state.flushes.values), state.receipts.takeAll())
    }
    for watcher in watchers { watcher.finish() }
    for flush in flushes { flush.resume(returning: Self.closed) }
    for receipt in receipts { receipt(ReceiptError(.stopped)) }
  }

  static let closed = FlushOutcome.failed(
    DeliveryError(DeliveryFailure(.stopped, "The client was shut down; what waits is sent by the next one.")))
}
