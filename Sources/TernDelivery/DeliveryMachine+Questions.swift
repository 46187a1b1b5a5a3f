import TernEvents

/// Asking whether a failing server is back, without events: in a long outage the queue would otherwise be sent again
/// and again in vain.
extension DeliveryMachine {
  /// Whether the next attempt is a question and not a batch.
  var mustAsk: Bool { asksFirst && !isAnswered && policy.asksAfterFailures != nil }

  mutating func questionAnswered(_ id: BatchID, _ batch: Batch, _ verdict: Verdict, now: Duration) {
    switch verdict {
    case .failed(let failure): failed(batch, failure, now: now)
    // A server that refuses the question has at least answered: one that does not know it takes events all the same.
    case .acknowledged, .refused, .tooLarge:
      isAnswered = true
      isDelivering = true
    }
    if case .failed(let failure) = verdict {
      for index in flushes.indices where flushes[index].toTake.total > 0 { flushes[index].result = .failed(failure) }
    }
  }
}

/// What a machine wants to know again after a relaunch.
package struct DeliveryMemory: Sendable, Equatable {
  /// The uptime until which the server asked to wait.
  package var heldUntil: Duration?
  /// The most bytes of events that the server takes in one batch, where it found one too large.
  package var bytesLimit: Int?
  /// Attempts failed and none has succeeded since: the server is asked before events are sent.
  package var asksFirst: Bool

  /// Creates a memory; without arguments that of a machine to which nothing has happened.
  package init(heldUntil: Duration? = nil, bytesLimit: Int? = nil, asksFirst: Bool = false) {
    self.heldUntil = heldUntil
    self.bytesLimit = bytesLimit
    self.asksFirst = asksFirst
  }
}

extension DeliveryMachine {
  /// What is worth remembering now.
  func memory(now: Duration) -> DeliveryMemory {
    DeliveryMemory(
      heldUntil: heldUntil.flatMap { $0 > now ? $0 : nil },
      bytesLimit: bytesLimit < policy.batchBytes ? bytesLimit : nil,
      // The next process knows nothing of one failure: it would send all of it again.
      asksFirst: asksFirst || (sentInVain && policy.asksAfterFailures != nil))
  }
}
