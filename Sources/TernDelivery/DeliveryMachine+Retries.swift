import TernEvents

/// Support for policies with per-batch retries: each failed batch keeps its events and has its own retry time.
extension DeliveryMachine {
  /// True if another batch may be started.
  var hasSlot: Bool {
    guard policy.retriesEachBatch else { return batches.count < inFlightLimit }
    return inFlightCount < inFlightLimit && !isFull(isCritical: true)
  }

  /// True if a lane has its maximum number of batches, including those waiting for a retry: they hold events in memory.
  ///
  /// Each lane has its own slots, so that waiting retries of normal events do not delay critical ones.
  func isFull(isCritical: Bool) -> Bool {
    guard policy.retriesEachBatch else { return false }
    return batches.values.count { ($0.events.critical > 0) == isCritical } >= policy.maximumInFlight
  }

  private var inFlightCount: Int { batches.values.count { $0.retryAt == nil } }

  mutating func releasePendingRetries() {
    for (id, batch) in batches.sorted(by: { $0.key.number < $1.key.number }) where batch.retryAt != nil {
      batches[id] = nil
      released.append(id)
      flushDidRelease(id, batch)
      deliverAgain(batch.events)
    }
  }

  /// Returns the events of failed batches to the log, so that those not erased are claimed again.
  mutating func claimAnew() {
    guard policy.retriesEachBatch else { return }
    releasePendingRetries()
    for id in batches.keys { batches[id]?.becomeStale() }
  }

  /// Restarts the delivery of events that were in flight, which were already due.
  mutating func deliverAgain(_ events: Waiting) {
    delivery = max(delivery, policy.sendsCriticalAlone && events.normal == 0 ? .deliveringCritical : .delivering)
  }

  /// Makes pending retries due now and resets their attempt counts.
  mutating func forgetAttempts(now: Duration) {
    if policy.retriesEachBatch, !batches.isEmpty { failureGeneration += 1 }
    for id in batches.keys where batches[id]?.retryAt != nil {
      batches[id]?.attempts = 0
      batches[id]?.state = .waitingForRetry(at: now)
      batches[id]?.failureGeneration = failureGeneration
    }
  }

  /// Makes pending retries due now.
  mutating func retryAllNow(now: Duration) {
    for id in batches.keys where batches[id]?.retryAt != nil { batches[id]?.state = .waitingForRetry(at: now) }
  }

  /// The batches waiting for a retry: those with critical events first, then by deadline.
  private var pendingRetries: [(id: BatchID, due: Duration)] {
    batches.compactMap { id, batch in batch.retryAt.map { (id, $0, batch.events.critical > 0 ? 0 : 1) } }
      .sorted { ($0.2, $0.1, $0.0.number) < ($1.2, $1.1, $1.0.number) }
      .map { ($0.0, $0.1) }
  }

  mutating func resendDueBatches(now: Duration, _ actions: inout [Action]) {
    guard maySend, earliestSend <= now else { return }
    for (id, due) in pendingRetries where due <= now && inFlightCount < inFlightLimit {
      batches[id]?.state = .inFlight()
      actions.append(.resend(id))
    }
  }

  /// The uptime of the next retry, if one is possible.
  func nextRetry(now: Duration) -> Duration? {
    guard maySend, inFlightCount < inFlightLimit else { return nil }
    let next = batches.values.compactMap(\.retryAt).min().map { max($0, earliestSend) }
    return next.flatMap { $0 > now ? $0 : nil }
  }
}
