import TernBase
public import TernValues

/// A handle on one recorded event that reports its outcome.
///
/// An unused receipt costs nothing.
public struct Receipt: Sendable {
  /// The state of the event when the call returned.
  enum Entry: Sendable {
    /// The event is in the queue; `dropped` is the total number of events dropped by then.
    case stored(UniqueID, dropped: Int)
    /// The event is in memory until the disk accepts it; `dropped` excludes drops by earlier processes.
    case held(UniqueID, dropped: Int)
    case dropped(DropReason)
    case closed
  }

  let entry: Entry
  let engine: Engine
  /// The number of attachments left out because they are too large for an event, the queue or the collector.
  package var refusedAttachments = 0

  /// The event's identifier, the same as on the collector; `nil` if it was not recorded.
  public var id: UniqueID? {
    switch entry {
    case .stored(let id, _), .held(let id, _): id
    case .dropped, .closed: nil
    }
  }

  /// True if the event was on disk when the call returned, so that it survives the process.
  package var isOnDisk: Bool {
    if case .stored = entry { true } else { false }
  }

  /// The reason why the event was not recorded; `nil` if it was.
  package var refusal: DropReason? {
    if case .dropped(let reason) = entry { reason } else { nil }
  }

  /// Returns when the collector has stored the event durably.
  ///
  /// This has no time limit: if you need one, cancel the task or use ``TernClient/flush(deadline:)`` instead.
  /// If the client shuts down first, the next client delivers the event.
  ///
  /// - Throws: `ReceiptError` if the event was dropped, its outcome is unknown, the client was shut down, or the task
  ///   was cancelled.
  public func delivered() async throws(ReceiptError) {
    switch entry {
    case .dropped(let reason): throw ReceiptError(.dropped, reason)
    case .closed: throw ReceiptError(.stopped)
    case .stored(let id, let dropped):
      if let error = await engine.outcome(of: id, dropped: dropped, wasHeld: false) { throw error }
    case .held(let id, let dropped):
      if let error = await engine.outcome(of: id, dropped: dropped, wasHeld: true) { throw error }
    }
  }
}

extension Receipt {
  /// Calls `answer` with the result of ``delivered()``, on the client's own task.
  package func onOutcome(_ answer: @escaping @Sendable (ReceiptError?) -> Void) {
    switch entry {
    case .dropped(let reason): answer(ReceiptError(.dropped, reason))
    case .closed: answer(ReceiptError(.stopped))
    case .stored(let id, let dropped), .held(let id, let dropped):
      let wasHeld = if case .held = entry { true } else { false }
      let number = engine.clientState.withLock { $0.receipts.draw() }
      engine.onOutcome(of: id, number, dropped: dropped, wasHeld: wasHeld, answer)
    }
  }
}

/// A reason why a receipt could not confirm delivery.
public struct ReceiptError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kind of failure; new kinds may be added.
  public struct Code: Sendable, Hashable {
    private enum Kind { case dropped, stopped, unknown }
    private let kind: Kind
    /// The event was dropped; `reason` says why, if that is known for this event.
    public static let dropped = Code(kind: .dropped)
    /// The client was shut down or the task cancelled; the event may still be queued.
    public static let stopped = Code(kind: .stopped)
    /// The event left the queue before `delivered()` was called, while other events were being dropped.
    public static let unknown = Code(kind: .unknown)
  }

  /// The kind of failure.
  public var code: Code
  /// The reason why the event was dropped, if known.
  public var reason: DropReason?

  init(_ code: Code, _ reason: DropReason? = nil) {
    self.code = code
    self.reason = reason
  }

  /// A description of the failure.
  public var description: String {
    switch code {
    case .dropped: "The event was dropped before delivery (\(reason?.description ?? "see the ledger"))."
    case .stopped: "The client was shut down or the task cancelled before delivery; the event may still be queued."
    default: "The event left the queue while others were being dropped; its outcome is unknown."
    }
  }
}
