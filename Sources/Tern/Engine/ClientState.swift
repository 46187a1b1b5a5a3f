import TernBase
import TernDelivery
import TernEvents

/// A reason why sending is paused; sending resumes when all are removed.
package enum PauseReason: Hashable, Sendable {
  /// The app called `pause()`.
  case app
  /// There is no collector.
  case noCollector
  /// The app does not allow requests.
  case notAllowed
  /// The settings cannot be read, so sending may be forbidden.
  case unknownSettings
}

/// The shared state of a client: its pauses, errors, listeners and pending callbacks.
final class ClientState: Sendable {
  struct State {
    var lastError: DeliveryError?
    /// The reasons why sending is paused.
    var pauses: Set<PauseReason>
    var isPaused: Bool { !pauses.isEmpty }
    /// The error while the disk refuses events.
    var storageError: TernError?
    /// Receives storage failures, and `nil` on recovery.
    var storageListener: (@Sendable (TernError?) -> Void)?
    /// True if the queue held events of earlier processes at launch; they are sent without waiting for the timer.
    var hadBacklog = false
    /// Limits to apply once the queue is open, unless it is larger.
    var limits: [QueueLimit] = []
    var isClosed = false
    var nextWatcher = 0
    var watchers: [Int: AsyncStream<TernClient.Status>.Continuation] = [:]
    var lastPublished: TernClient.Status?
    var nextFlush = 0
    var receipts = ReceiptRegistry()
    /// Receives the outcome of the first attempt and each later change.
    var attemptListener: (@Sendable (DeliveryError?) -> Void)?
    /// The last outcome reported to the listener.
    var reportedError: DeliveryError.Code??
    var flushes: [FlushID: @Sendable (FlushOutcome) -> Void] = [:]
  }

  private let state: Locked<State>

  init(pauses: Set<PauseReason>) {
    state = Locked(State(pauses: pauses))
  }

  func withLock<Result>(_ body: (inout State) throws -> Result) rethrows -> Result { try state.withLock(body) }

  /// Records the outcome of a delivery attempt.
  func recordAttempt(_ error: DeliveryError?) {
    let listener = state.withLock { state -> (@Sendable (DeliveryError?) -> Void)? in
      state.lastError = error
      guard let listener = state.attemptListener, state.reportedError != .some(error?.code) else { return nil }
      state.reportedError = .some(error?.code)
      return listener
    }
    listener?(error)
  }

  /// Records the state of the storage and notifies the listener of a change.
  func recordStorage(_ error: TernError?) {
    let listener = state.withLock { state -> (@Sendable (TernError?) -> Void)? in
      let isNew = (state.storageError == nil) != (error == nil)
      state.storageError = error
      return isNew ? state.storageListener : nil
    }
    listener?(error)
  }

  /// Adds a watcher, which receives `current` first.
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

  /// Removes a watcher; returns true if it was the last one.
  func unwatch(_ number: Int) -> Bool {
    state.withLock { state in
      state.watchers[number] = nil
      return state.watchers.isEmpty
    }
  }

  /// Publishes the status to the watchers if it has changed.
  func publish(_ status: @autoclosure () -> TernClient.Status) {
    guard state.withLock({ !$0.watchers.isEmpty }) else { return }
    let status = status()
    let watchers = state.withLock { state in
      guard state.lastPublished != status else { return [AsyncStream<TernClient.Status>.Continuation]() }
      state.lastPublished = status
      return Array(state.watchers.values)
    }
    // Not under the lock: a watcher may call back into the client.
    for watcher in watchers { watcher.yield(status) }
  }

  /// Ends all streams and completes all flushes.
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
    for flush in flushes { flush(Self.closed) }
    for receipt in receipts { receipt(ReceiptError(.stopped)) }
  }

  static let closed = FlushOutcome.failed(
    DeliveryError(.stopped, "The client was shut down; the next one sends the waiting events."))
}
