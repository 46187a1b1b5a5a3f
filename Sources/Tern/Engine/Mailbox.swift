import TernBase
package import TernDelivery
import TernEvents

/// A message to a delivery loop.
package enum Message: Sendable {
  /// Events were appended that matter to the machine's schedule.
  case appended(isCritical: Bool)
  /// The status changed or drop counts must be saved.
  case refresh
  /// Calls its argument once the loop has handled all earlier messages.
  case barrier(@Sendable () -> Void)
  /// The system made protected files readable.
  case filesAvailable
  /// An input for the machine.
  case input(MachineInput)
  /// A request ended.
  case answered(BatchID, TransportResult)
}

/// The queue of messages to the delivery loop, from any thread.
///
/// While it is empty, the loop is suspended and occupies no thread.
package final class Mailbox: Sendable {
  fileprivate struct State {
    var messages: [Message] = []
    /// Coalesces `appended` and `refresh`, which carry no data of their own.
    var hasAppended = false
    var hasRefresh = false
    var isClosed = false
    var reader: CheckedContinuation<[Message]?, Never>?
  }

  private let state = Locked(State())

  /// Posts a message; a closed mailbox ignores it.
  package func post(_ message: Message) {
    let wake = state.withLock { state -> (CheckedContinuation<[Message]?, Never>, [Message])? in
      if state.isClosed { return nil }
      switch message {
      case .appended(isCritical: false):
        if state.hasAppended { return nil }
        state.hasAppended = true
      case .refresh:
        if state.hasRefresh { return nil }
        state.hasRefresh = true
      default: break
      }
      state.messages.append(message)
      guard let reader = state.reader else { return nil }
      state.reader = nil
      return (reader, state.take())
    }
    wake?.0.resume(returning: wake?.1)
  }

  /// Waits for messages; returns `nil` once the mailbox is closed. Only one reader may wait.
  func next() async -> [Message]? {
    await withCheckedContinuation { continuation in
      let ready = state.withLock { state -> [Message]?? in
        if state.isClosed { return .some(nil) }
        if !state.messages.isEmpty { return state.take() }
        state.reader = continuation
        return nil
      }
      if let ready { continuation.resume(returning: ready) }
    }
  }

  /// Returns the messages without waiting, for a loop that runs in no task.
  package func takeAll() -> [Message] {
    state.withLock { $0.take() }
  }

  /// Closes the mailbox, which ends the delivery loop.
  func close() {
    let reader = state.withLock { state in
      state.isClosed = true
      state.messages = []
      defer { state.reader = nil }
      return state.reader
    }
    reader?.resume(returning: nil)
  }
}

extension Mailbox.State {
  fileprivate mutating func take() -> [Message] {
    hasAppended = false
    hasRefresh = false
    defer { messages = [] }
    return messages
  }
}
