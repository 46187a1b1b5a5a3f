import TernBase
package import TernDelivery
import TernEvents

/// A message to a delivery loop.
package enum Message: Sendable {
  /// Events were appended, and the machine has to know.
  case appended(isCritical: Bool)
  /// The status changed, or drops have to be saved.
  case refresh
  /// Calls its argument when the loop has handled all earlier messages.
  case barrier(@Sendable () -> Void)
  /// The system made protected files readable.
  case filesAvailable
  /// An input for the machine.
  case input(MachineInput)
  /// A request was answered.
  case answered(BatchID, TransportResult)
}

/// The queue through which any thread sends messages to the delivery loop.
///
/// While it is empty the loop is suspended and occupies no thread.
package final class Mailbox: Sendable {
  fileprivate struct State {
    var messages: [Message] = []
    /// `appended` and `refresh` only mean "look again": one of each is enough.
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

  /// Waits for messages; `nil` once the mailbox is closed. For one reader only.
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

  /// Returns the messages without waiting; for a loop that no task runs.
  package func takeAll() -> [Message] {
    state.withLock { $0.take() }
  }

  /// Ends the delivery loop.
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
