import TernBase
public import TernEvents

/// Names one recorded event, to ask later what became of it.
///
/// It costs nothing to be left unused.
public struct Receipt: Sendable {
  /// The knowledge at the return of the call.
  enum Entry: Sendable {
    /// It is in the queue; `dropped` events had left without being delivered by then.
    case stored(UniqueID, dropped: Int)
    /// It is in memory until the disk takes it; otherwise the same, without what earlier processes dropped.
    case held(UniqueID, dropped: Int)
    case dropped(DropReason)
    case closed
  }

  let entry: Entry
  let engine: Engine
  /// The number of attachments left out because they are too large for an event, the queue or any collector.
  package var refusedAttachments = 0

  /// The event's identifier, as the collector knows it; `nil` when it was not recorded.
  public var id: UniqueID? {
    switch entry {
    case .stored(let id, _), .held(let id, _): id
    case .dropped, .closed: nil
    }
  }

  /// True if the event was on disk when the call returned, and so survives the process.
  package var isOnDisk: Bool {
    if case .stored = entry { true } else { false }
  }

  /// Why the event was not recorded; `nil` when it was.
  package var refusal: DropReason? {
    if case .dropped(let reason) = entry { reason } else { nil }
  }

  /// Returns when the collector has the event durably.
  ///
  /// However long that takes: use a task that can be cancelled, or ``TernClient/flush(deadline:)``, where it matters.
  /// An event that is still queued when the client is shut down is delivered by the next one.
  ///
  /// - Throws: `ReceiptError` if the event left without being delivered, if its outcome is unknown, or if the
  ///   client or the task ended first.
  public func delivered() async throws(ReceiptError) {
    switch entry {
    case .dropped(let reason): throw ReceiptError(.dropped(reason))
    case .closed: throw ReceiptError(.stopped)
    case .stored(let id, let dropped):
      if let error = await engine.fate(of: id, dropped: dropped, wasHeld: false) { throw error }
    case .held(let id, let dropped):
      if let error = await engine.fate(of: id, dropped: dropped, wasHeld: true) { throw error }
    }
  }
}

extension Receipt {
  /// Calls `answer` with the result of ``delivered()``, on the client's own task.
  package func onOutcome(_ answer: @escaping @Sendable (ReceiptError?) -> Void) {
    switch entry {
    case .dropped(let reason): answer(ReceiptError(.dropped(reason)))
    case .closed: answer(ReceiptError(.stopped))
    case .stored(let id, let dropped), .held(let id, let dropped):
      let wasHeld = if case .held = entry { true } else { false }
      let number = engine.clientState.withLock { $0.receipts.draw() }
      engine.onOutcome(of: id, number, dropped: dropped, wasHeld: wasHeld, answer)
    }
  }
}

/// Why a receipt cannot say that its event was delivered.
public struct ReceiptError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kinds of answer; new kinds may be added.
  public struct Code: Sendable, Hashable {
    private enum Kind { case dropped, stopped, unknown }
    private let kind: Kind
    /// The event left without being delivered; `reason` says why, when that is known of the single event.
    public static let dropped = Code(kind: .dropped)
    /// The client was shut down or the task cancelled; the event may still be queued.
    public static let stopped = Code(kind: .stopped)
    /// The event left the queue before it was asked about, at a time when others were dropped.
    public static let unknown = Code(kind: .unknown)
  }

  /// The kind of answer.
  public var code: Code
  /// Why the event was dropped, when it was and that is known.
  public var reason: DropReason?

  init(_ fate: Fate) {
    switch fate {
    case .dropped(let reason):
      code = .dropped
      self.reason = reason
    case .stopped: code = .stopped
    case .unknown: code = .unknown
    }
  }

  /// The ends of an event that did not arrive.
  enum Fate: Sendable {
    case dropped(DropReason?)
    case stopped
    case unknown
  }

  /// The answer in words.
  public var description: String {
    switch code {
    case .dropped: "The event was dropped before it could be delivered (\(reason?.description ?? "see the ledger"))."
    case .stopped: "The client or the task ended before the event was delivered; it may still be queued."
    default: "The event left the queue while others were dropped; its outcome is unknown."
    }
  }
}
