import TernEvents

/// Retries by the batch, for policies that want them: each one that failed keeps its events and has a time of its own.
extension DeliveryMachine {
  /// Whether another batch may be under way now.
  var hasSlot: Bool {
    guard policy.retriesEachBatch else { return inFlight.count < inFlightLimit }
    return flying < inFlightLimit && !isFull(isCritical: true)
  }

  /// Whether as many batches of a lane are open as may be, sleeping ones included: they hold events in memory.
  ///
  /// Each lane has slots of its own: critical events are not kept back because normal ones sleep.
  func isFull(isCritical: Bool) -> Bool {
    guard policy.retriesEachBatch else { return false }
    return inFlight.values.count { ($0.events.critical > 0) == isCritical } >= policy.maximumInFlight
  }

  private var flying: Int { inFlight.values.count { $0.retryAt == nil } }

  /// A batch failed: it sleeps, or everything rests because its retries are used up.
  mutating func retry(_ id: BatchID, _ failed: Batch, _ failure: DeliveryFailure, now: Duration) {
    var batch = failed
    if let wait = failure.retryAfter {
      retryAfterDeadline = max(retryAfterDeadline ?? .zero, now + min(max(wait, .zero), policy.maximumRetryAfter))
    }
    // The failure tells of the network before, or sending was paused meanwhile.
    if batch.failureGeneration != failureGeneration {
      batch.attempts = 0
      batch.retryAt = now
    } else {
      batch.attempts += 1
      batch.retryAt = policy.retry.delay(afterFailures: batch.attempts, using: &generator).map { now + $0 }
    }
    batch.failureGeneration = failureGeneration
    batch.isCalledBack = false
    if batch.isStale {
      release(id)
      return deliverAgain(batch.events)
    }
    guard batch.retryAt != nil, !retriesExhausted else {
      retriesExhausted = true
      failureGeneration += 1
      release(id)
      flushDidRelease(id, batch)
      deliverAgain(batch.events)
      return releasePendingRetries()
    }
    inFlight[id] = batch
  }

  /// The events of a batch go back to the log.
  mutating func release(_ id: BatchID) {
    if policy.retriesEachBatch { released.append(id) }
  }

  mutating func releasePendingRetries() {
    for (id, batch) in inFlight.sorted(by: { $0.key.number < $1.key.number }) where batch.retryAt != nil {
      inFlight[id] = nil
      release(id)
      flushDidRelease(id, batch)
      deliverAgain(batch.events)
    }
  }

  /// What failed is claimed anew, as far as it is still there.
  mutating func claimAnew() {
    guard policy.retriesEachBatch else { return }
    releasePendingRetries()
    for id in inFlight.keys { inFlight[id]?.isStale = true }
  }

  /// Events that were under way wait again: they were due before.
  mutating func deliverAgain(_ events: Waiting) {
    if policy.sendsCriticalAlone, events.normal == 0 {
      isDeliveringCritical = true
    } else {
      isDelivering = true
    }
  }

  /// The batches that sleep are due now, and have all their retries again.
  mutating func forgetAttempts(now: Duration) {
    if policy.retriesEachBatch, !inFlight.isEmpty { failureGeneration += 1 }
    for id in inFlight.keys where inFlight[id]?.retryAt != nil {
      inFlight[id]?.attempts = 0
      inFlight[id]?.retryAt = now
      inFlight[id]?.failureGeneration = failureGeneration
    }
  }

  /// The batches that sleep are due now.
  mutating func retryAllNow(now: Duration) {
    for id in inFlight.keys where inFlight[id]?.retryAt != nil { inFlight[id]?.retryAt = now }
  }

  /// The batches that sleep, in the order in which they are due; those with critical events first.
  private var pendingRetries: [(id: BatchID, due: Duration)] {
    inFlight.compactMap { id, batch in batch.retryAt.map { (id, $0, batch.events.critical > 0 ? 0 : 1) } }
      .sorted { ($0.2, $0.1, $0.0.number) < ($1.2, $1.1, $1.0.number) }
      .map { ($0.0, $0.1) }
  }

  mutating func resendDue(now: Duration, _ actions: inout [Action]) {
    guard maySend, earliestSend <= now else { return }
    for (id, due) in pendingRetries where due <= now && flying < inFlightLimit {
      inFlight[id]?.retryAt = nil
      actions.append(.resend(id))
    }
  }

  /// When the next batch that sleeps is due, if nothing else keeps it.
  func nextResend(now: Duration) -> Duration? {
    guard maySend, flying < inFlightLimit else { return nil }
    let next = inFlight.values.compactMap(\.retryAt).min().map { max($0, earliestSend) }
    return next.flatMap { $0 > now ? $0 : nil }
  }
}
