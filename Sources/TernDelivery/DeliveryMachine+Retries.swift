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

  private var flying: Int { inFlight.values.count { $0.sleepsUntil == nil } }

  /// A batch failed: it sleeps, or everything rests because its retries are used up.
  mutating func retry(_ id: BatchID, _ failed: Batch, _ failure: DeliveryFailure, now: Duration) {
    var batch = failed
    if let wait = failure.retryAfter {
      heldUntil = max(heldUntil ?? .zero, now + min(max(wait, .zero), policy.maximumRetryAfter))
    }
    // The failure tells of the network before, or sending was paused meanwhile.
    if batch.round != round {
      batch.attempts = 0
      batch.sleepsUntil = now
    } else {
      batch.attempts += 1
      batch.sleepsUntil = policy.retry.delay(afterFailures: batch.attempts, using: &generator).map { now + $0 }
    }
    batch.round = round
    batch.isCalledBack = false
    if batch.isStale {
      release(id)
      return deliverAgain(batch.events)
    }
    guard batch.sleepsUntil != nil, !isResting else {
      isResting = true
      round += 1
      release(id)
      flushesLost(id, batch)
      deliverAgain(batch.events)
      return releaseSleepers()
    }
    inFlight[id] = batch
  }

  /// The events of a batch go back to the log.
  mutating func release(_ id: BatchID) {
    if policy.retriesEachBatch { released.append(id) }
  }

  mutating func releaseSleepers() {
    for (id, batch) in inFlight.sorted(by: { $0.key.number < $1.key.number }) where batch.sleepsUntil != nil {
      inFlight[id] = nil
      release(id)
      flushesLost(id, batch)
      deliverAgain(batch.events)
    }
  }

  /// What failed is claimed anew, as far as it is still there.
  mutating func claimAnew() {
    guard policy.retriesEachBatch else { return }
    releaseSleepers()
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
    if policy.retriesEachBatch, !inFlight.isEmpty { round += 1 }
    for id in inFlight.keys where inFlight[id]?.sleepsUntil != nil {
      inFlight[id]?.attempts = 0
      inFlight[id]?.sleepsUntil = now
      inFlight[id]?.round = round
    }
  }

  /// The batches that sleep are due now.
  mutating func wakeSleepers(now: Duration) {
    for id in inFlight.keys where inFlight[id]?.sleepsUntil != nil { inFlight[id]?.sleepsUntil = now }
  }

  /// The batches that sleep, in the order in which they are due; those with critical events first.
  private var sleepers: [(id: BatchID, due: Duration)] {
    inFlight.compactMap { id, batch in batch.sleepsUntil.map { (id, $0, batch.events.critical > 0 ? 0 : 1) } }
      .sorted { ($0.2, $0.1, $0.0.number) < ($1.2, $1.1, $1.0.number) }
      .map { ($0.0, $0.1) }
  }

  mutating func resendDue(now: Duration, _ actions: inout [Action]) {
    guard maySend, gate <= now else { return }
    for (id, due) in sleepers where due <= now && flying < inFlightLimit {
      inFlight[id]?.sleepsUntil = nil
      actions.append(.resend(id))
    }
  }

  /// When the next batch that sleeps is due, if nothing else keeps it.
  func nextResend(now: Duration) -> Duration? {
    guard maySend, flying < inFlightLimit else { return nil }
    let next = inFlight.values.compactMap(\.sleepsUntil).min().map { max($0, gate) }
    return next.flatMap { $0 > now ? $0 : nil }
  }
}
