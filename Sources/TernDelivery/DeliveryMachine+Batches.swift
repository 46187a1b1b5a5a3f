import TernEvents

extension DeliveryMachine {
  mutating func batchStarted(_ id: BatchID, events: Waiting, bytes: Int) {
    guard claiming == id else { return }
    claiming = nil
    batches[id] = Batch(events: events, bytes: bytes, failureGeneration: failureGeneration)
    flushDidClaim(id, events)
  }

  mutating func nothingToClaim(_ id: BatchID, now: Duration) {
    guard claiming == id else { return }
    claiming = nil
    // The delivery continues when one of the batches in flight is settled.
    if waiting.isClaimLimitReached { return }
    delivery = .idle
    // The log has nothing to claim now, whatever its counts say: claiming again immediately could loop forever.
    if waiting.total > 0 { backoff = .backingOff(until: now + (policy.flushInterval ?? .seconds(6))) }
    for index in flushes.indices { flushes[index].toTake = Waiting() }
  }

  /// Records the outcome of a batch and decides what happens to its events.
  mutating func requestEnded(_ id: BatchID, _ outcome: ResponseOutcome, now: Duration) -> EventDisposition {
    guard let batch = batches.removeValue(forKey: id) else { return .requeue(rejecting: []) }
    let count = batch.events.total
    let disposition = outcome.disposition(ofEvents: count)
    if batch.state == .void { return disposition }
    if batch.isHealthProbe {
      healthProbeEnded(batch, outcome, now: now)
      return disposition
    }
    if case .failed(let failure) = outcome {
      countFailedAttempt(batch, failure)
      if policy.retriesEachBatch { return retry(id, batch, failure, now: now) }
    } else {
      serverAnswered()
    }
    switch outcome {
    case .acknowledged(let rejected):
      if batch.failureGeneration == failureGeneration { succeeded() }
      if rejected.count < count { rejectionsInARow = 0 }
      narrowed(by: count, isolated: false)
    case .refused(let indexes, _):
      if count == 1 || !indexes.isEmpty {
        narrowed(by: max(indexes.count, 1), isolated: true)
        rejected(max(indexes.count, 1), now: now)
      } else {
        split(count)
      }
    case .tooLarge:
      if count == 1 {
        narrowed(by: 1, isolated: true)
        rejected(1, now: now)
      } else {
        lowerLimit(below: batch, now: now)
        split(count)
      }
    case .failed(let failure):
      failed(batch, failure, now: now)
    }
    if case .requeue = disposition { deliverAgain(batch.events) }
    flushDidSettle(id, batch, outcome, disposition, now: now)
    return disposition
  }

  /// Halves the limit, but only once if several batches in flight together are too large.
  private mutating func lowerLimit(below batch: Batch, now: Duration) {
    let half = max(batch.bytes / 2, 1)
    guard half < bytesLimit else { return }
    loweredLimit = LoweredLimit(bytes: half, since: now)
  }

  /// Drops a lowered limit after a week: the server may have been reconfigured.
  mutating func forgetLimit(now: Duration) {
    if let loweredLimit, now - loweredLimit.since >= DeliveryMemory.limitLifetime { self.loweredLimit = nil }
  }

  mutating func disable() {
    isEnabled = false
    delivery = .idle
    releasePendingRetries()
    for id in batches.keys { batches[id]?.state = .void }
    claiming = nil
    splitting = nil
    rejectionsInARow = 0
    firstUnsentAt = nil
    firstCriticalAt = nil
    circuit = .closed(hasFailedUploads: false)
    failedAttempts = FailedAttempts()
    succeeded()
  }

  private mutating func split(_ count: Int) {
    splitting = Splitting(limit: max(count / 2, 1), suspects: max(splitting?.suspects ?? 0, count))
  }

  private mutating func narrowed(by count: Int, isolated: Bool) {
    guard var state = splitting else { return }
    state.suspects -= count
    state.isIsolated = state.isIsolated || isolated
    if state.isIsolated { state.limit = min(state.limit * 2, policy.batchEvents) }
    splitting = state.suspects > 0 ? state : nil
  }
}
