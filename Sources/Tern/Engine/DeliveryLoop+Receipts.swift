import TernBase
import TernDelivery
import TernEvents
import TernLog

/// The callbacks waiting for the outcomes of single events.
struct ReceiptRegistry {
  typealias Waiter = @Sendable (ReceiptError?) -> Void

  /// A callback waiting for the outcome of an event.
  struct Callback {
    let number: Int
    /// The number of events dropped when this one was recorded.
    let dropped: Int
    /// True if that count excludes the drops of earlier processes.
    let wasHeld: Bool
    let waiter: Waiter
  }

  private(set) var callbacks: [UniqueID: [Callback]] = [:]
  private var nextNumber = 0

  var isEmpty: Bool { callbacks.isEmpty }
  var ids: Set<UniqueID> { Set(callbacks.keys) }

  mutating func draw() -> Int {
    nextNumber += 1
    return nextNumber
  }

  mutating func add(_ callback: Callback, _ id: UniqueID) {
    callbacks[id, default: []].append(callback)
  }

  /// Removes and returns all callbacks for an event.
  mutating func take(_ id: UniqueID) -> [Callback] { callbacks.removeValue(forKey: id) ?? [] }

  /// Removes and returns an abandoned callback.
  mutating func take(_ id: UniqueID, number: Int) -> Waiter? {
    guard let index = callbacks[id]?.firstIndex(where: { $0.number == number }) else { return nil }
    let waiter = callbacks[id]?.remove(at: index).waiter
    if callbacks[id]?.isEmpty == true { callbacks[id] = nil }
    return waiter
  }

  mutating func takeAll() -> [Waiter] {
    defer { callbacks = [:] }
    return callbacks.values.joined().map(\.waiter)
  }
}

extension DeliveryLoop {
  /// Answers the callbacks for the events of a settled batch.
  mutating func answerReceipts(delivered: [LogRecord], rejected: [LogRecord]) {
    // Even if no callback is waiting: one registered later must not mistake the event for a waiting one.
    if !knownReceipts.isEmpty { for record in rejected + delivered { knownReceipts.remove(record.id) } }
    guard engine.clientState.withLock({ !$0.receipts.isEmpty }) else { return }
    for record in rejected { engine.answer(record.id, ReceiptError(.dropped, .rejected)) }
    for record in delivered { engine.answer(record.id, nil) }
  }

  /// Finds awaited events that left the log without being reported: evicted, expired, damaged or erased.
  ///
  /// Delivered and rejected events are reported by identifier, so any other event that is gone was dropped. An event
  /// that left before its callback was registered was delivered if nothing has been dropped since it was recorded.
  mutating func lookForReceipts() {
    let asked = engine.clientState.withLock { $0.receipts.ids }
    knownReceipts.formIntersection(asked)
    doubtfulReceipts.formIntersection(asked)
    guard !asked.isEmpty else { return }
    let before = droppedWhenLooked
    let counts = engine.log.counts
    let dropped = counts.dropped
    // Search unreadable parts again after the next attempt to read them.
    let isTriedAgain = !doubtfulReceipts.isEmpty && counts.unreadableUntil != doubtfulUntil
    let isSettled = asked.isSubset(of: knownReceipts.union(doubtfulReceipts))
    guard !isSettled || isTriedAgain || dropped != before else { return }
    droppedWhenLooked = dropped
    var remaining = engine.log.remaining(of: asked)
    remaining.found.formUnion(engine.held(of: asked))
    remaining.uncertain.subtract(remaining.found)
    let earlierDrops = engine.recorder.withLock { $0.earlierDrops }
    let lost = asked.subtracting(remaining.found).subtracting(remaining.uncertain)
    if !lost.isEmpty {
      // Read the counts again: these events may have been counted as dropped only after the first read.
      let counts = engine.log.counts
      let reasons = counts.dropped.filter { $0.value > before[$0.key, default: 0] && $0.key.isOfStored }.map(\.key)
      for id in lost {
        let wasThere = knownReceipts.contains(id)
        engine.answer(id) { callback in
          if wasThere { return ReceiptError(.dropped, reasons.count == 1 ? reasons.first : nil) }
          let dropped = callback.dropped + (callback.wasHeld ? earlierDrops : 0)
          return dropped == counts.droppedTotal ? nil : ReceiptError(.unknown)
        }
      }
    }
    // An event that was not found may be in the unreadable part: it counts as known only if it was before.
    knownReceipts.formIntersection(remaining.uncertain)
    doubtfulReceipts = remaining.uncertain.subtracting(knownReceipts)
    knownReceipts.formUnion(remaining.found)
    guard !remaining.uncertain.isEmpty else { return }
    // Sets the timer for the next try.
    feed(.appended)
    doubtfulUntil = engine.log.counts.unreadableUntil
  }
}

extension DropReason {
  /// True if a queued event may leave for this reason without being reported by identifier.
  fileprivate var isOfStored: Bool { ![.rejected, .disabled, .tooLarge].contains(self) }
}

extension Engine {
  /// Waits for the outcome of an event; returns `nil` if it was delivered.
  func outcome(of id: UniqueID, dropped: Int, wasHeld: Bool) async -> ReceiptError? {
    let number = clientState.withLock { $0.receipts.draw() }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        onOutcome(of: id, number, dropped: dropped, wasHeld: wasHeld) { continuation.resume(returning: $0) }
        if Task.isCancelled { abandonReceipt(id, number) }
      }
    } onCancel: {
      abandonReceipt(id, number)
    }
  }

  /// Registers a callback for the outcome of an event; `number` identifies it.
  func onOutcome(
    of id: UniqueID, _ number: Int, dropped: Int, wasHeld: Bool, _ waiter: @escaping ReceiptRegistry.Waiter
  ) {
    let isOpen = clientState.withLock { state in
      if !state.isClosed {
        state.receipts.add(.init(number: number, dropped: dropped, wasHeld: wasHeld, waiter: waiter), id)
      }
      return !state.isClosed
    }
    guard isOpen else { return waiter(ReceiptError(.stopped)) }
    mailbox.post(.refresh)
  }

  private func abandonReceipt(_ id: UniqueID, _ number: Int) {
    clientState.withLock { $0.receipts.take(id, number: number) }?(ReceiptError(.stopped))
  }

  func answer(_ id: UniqueID, _ error: ReceiptError?) {
    answer(id) { _ in error }
  }

  fileprivate func answer(_ id: UniqueID, _ answer: (ReceiptRegistry.Callback) -> ReceiptError?) {
    for callback in clientState.withLock({ $0.receipts.take(id) }) {
      callback.waiter(answer(callback))
    }
  }
}
