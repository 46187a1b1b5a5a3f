import TernEvents

extension DeliveryMachine {
  /// A batch that the server refused is sent again in smaller and smaller pieces until the event at fault stands alone.
  struct Splitting: Sendable {
    /// The size of the next piece, in events.
    var limit: Int
    /// How many events of the refused batch are still to be sent again.
    var suspects: Int
    /// The event at fault was found: pieces may grow again.
    var isIsolated = false
  }

  /// How many batches may be under way now: one while a failing server is asked or probed, or a batch is split.
  var inFlightLimit: Int {
    failures > 0 || splitting != nil || asksFirst ? 1 : policy.maximumInFlight
  }

  var eventsLimit: Int {
    // Halved with each failure: however often a server fails after it was asked, little is sent in vain.
    let probe = max(policy.probeEvents >> max(failures - 1, 0), 1)
    if isProbing { return 1 }
    let limit = failures > 0 ? min(policy.batchEvents, probe) : policy.batchEvents
    return min(limit, splitting?.limit ?? limit)
  }

  mutating func batchStarted(_ id: BatchID, events: Waiting, bytes: Int) {
    guard claiming == id else { return }
    claiming = nil
    inFlight[id] = Batch(events: events, bytes: bytes, failureGeneration: failureGeneration)
    flushDidClaim(id, events)
  }

  mutating func nothingToClaim(_ id: BatchID, now: Duration) {
    guard claiming == id else { return }
    claiming = nil
    isDelivering = false
    // Whatever the count says, the log has nothing to give now: asking again at once could go on for ever.
    if waiting.total > 0 { backOffUntil = now + (policy.flushInterval ?? .seconds(6)) }
    for index in flushes.indices { flushes[index].toTake = Waiting() }
  }

  mutating func batchSettled(_ id: BatchID, _ outcome: ResponseOutcome, now: Duration) {
    guard let batch = inFlight.removeValue(forKey: id), !batch.isVoid else { return release(id) }
    if policy.retriesEachBatch, !batch.isHealthProbe, case .failed(let failure) = outcome {
      if isProbing {
        failedAttempts = FailedAttempts(
          probes: failedAttempts.probes + 1, events: failedAttempts.events + batch.events.total)
      }
      flushDidSettle(id, batch, outcome, now: now)
      return retry(id, batch, failure, now: now)
    }
    if batch.isHealthProbe { return healthProbeAnswered(id, batch, outcome, now: now) }
    let count = batch.events.total
    if case .failed(let failure) = outcome {
      if isProbing { failedAttempts = FailedAttempts(probes: failedAttempts.probes + 1, events: failedAttempts.events) }
      if failure.kind != .offline { failedAttempts.events += count }
    } else {
      hasAnswered = true
      asksFirst = false
      sentInVain = false
      failedAttempts = FailedAttempts()
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
    if case .returns = outcome.fate(ofEvents: count) { deliverAgain(batch.events) }
    flushDidSettle(id, batch, outcome, now: now)
  }

  /// Half of what was too large; several batches that were under way together say so of one size, and halve it once.
  private mutating func lowerLimit(below batch: Batch, now: Duration) {
    let half = max(batch.bytes / 2, 1)
    guard half < bytesLimit else { return }
    bytesLimit = half
    limitedSince = now
  }

  /// A lowered limit is tried anew after a week: the server may have been set up better.
  mutating func forgetLimit(now: Duration) {
    guard let since = limitedSince, now - since >= DeliveryMemory.limitLifetime else { return }
    bytesLimit = policy.batchBytes
    limitedSince = nil
  }

  mutating func networkAvailable(now: Duration) {
    failures = 0
    failureGeneration += 1
    for id in inFlight.keys { inFlight[id]?.isCalledBack = true }
    // Another network may be no better: what was sent in vain is not sent again before the server has answered.
    if sentInVain, policy.asksAfterFailures != nil { asksFirst = true }
    backOffUntil = nil
    retriesExhausted = false
    forgetAttempts(now: now)
    if waiting.total > 0 { isDelivering = true }
  }

  mutating func disable() {
    isEnabled = false
    isDelivering = false
    isDeliveringCritical = false
    releasePendingRetries()
    for id in inFlight.keys { inFlight[id]?.isVoid = true }
    claiming = nil
    splitting = nil
    rejectionsInARow = 0
    firstUnsentAt = nil
    firstCriticalAt = nil
    asksFirst = false
    sentInVain = false
    failedAttempts = FailedAttempts()
    succeeded()
  }

  /// The server is back, or was never gone.
  mutating func noLongerAsks() {
    asksFirst = false
    sentInVain = false
    succeeded()
  }

  private mutating func succeeded() {
    failures = 0
    isAnswered = false
    backOffUntil = nil
    retriesExhausted = false
  }

  mutating func failed(_ batch: Batch, _ failure: DeliveryFailure, now: Duration) {
    if let wait = failure.retryAfter {
      retryAfterDeadline = max(retryAfterDeadline ?? .zero, now + min(max(wait, .zero), policy.maximumRetryAfter))
    }
    if failure.kind != .offline { sentInVain = true }
    guard batch.failureGeneration == failureGeneration else { return }
    backOff(now: now)
  }

  /// A server that refuses one event after the other is more likely broken than they are: each further one costs a
  /// pause, which grows up to the ceiling.
  private mutating func rejected(_ count: Int, now: Duration) {
    rejectionsInARow += count
    if rejectionsInARow > policy.rejectionsBeforePause { backOff(now: now) }
  }

  mutating func backOff(now: Duration) {
    failures += 1
    failureGeneration += 1
    isAnswered = false
    if let asking = policy.asksAfterFailures, failures >= asking, sentInVain { asksFirst = true }
    if let delay = policy.retry.delay(afterFailures: failures, using: &generator) {
      backOffUntil = now + delay
    } else {
      retriesExhausted = true
    }
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
