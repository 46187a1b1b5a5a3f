package import TernDelivery
import TernEvents

/// What the run loop is told.
package enum Message: Sendable {
  /// Events were appended, and the machine should know.
  case appended(isCritical: Bool)
  /// Someone watches the status, and it changed.
  case refresh
  /// The system says that files can be read that could not.
  case filesAvailable
  /// The machine should know.
  case input(DeliveryMachine.Input)
  /// A request was answered.
  case answered(DeliveryMachine.BatchID, TransportResult)
}

/// Where any thread leaves messages for the run loop.
///
/// Nothing runs while it is empty: the loop is suspended, and has no thread.
package final class Mailbox: Sendable {
  fileprivate struct State {
    var messages: [Message] = []
    /// `appended` and `refresh` say only "look again": one of each waiting is enough.
    var hasAppended = false
    var hasRefresh = false
    var isClosed = false
    var reader: CheckedContinuation<[Message]?, Never>?
  }

  private let state = Locked(State())

  /// Leaves a message; it is lost once the mailbox is closed.
  func post(_ message: Message) {
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

  /// Takes the messages that are there, without waiting; for a run loop that nobody awaits.
  package func takeAll() -> [Message] {
    state.withLock { $0.take() }
  }

  /// Ends the run loop.
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
