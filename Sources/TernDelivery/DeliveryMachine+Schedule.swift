import TernEvents

extension DeliveryMachine {
  /// Runs after every input: starts due batches, finishes completed flushes and sets the timer.
  mutating func schedule(now: Duration, _ actions: inout [Action]) {
    markUnsent(now: now)
    if isEnabled, !isPaused {
      if isDue(now: now) { delivery = .delivering }
      if isCriticalDue(now: now) { delivery = max(delivery, .deliveringCritical) }
    }
    resendDueBatches(now: now, &actions)
    if let start = nextStart(now: now) { actions.append(start) }
    actions += released.map(Action.release)
    released = []
    finishFlushes(&actions)
    let memory = memory(now: now)
    if memory != remembered {
      remembered = memory
      actions.append(.remember(memory))
    }
    let deadline = deadline(now: now)
    guard deadline != timer else { return }
    timer = deadline
    actions.append(deadline.map(Action.setTimer) ?? .cancelTimer)
  }

  /// Updates the times from which timers count. They count from the first unsent event, so that an app that records one
  /// every five seconds does not postpone delivery forever.
  private mutating func markUnsent(now: Duration) {
    if waiting.total == 0 {
      delivery = .idle
      firstUnsentAt = nil
      // Suspects can leave unsent, by expiry or eviction: the events after them are not suspect.
      if batches.isEmpty { splitting = nil }
    } else if policy.sendsCriticalAlone, waiting.normal == 0 {
      firstUnsentAt = nil
    } else if firstUnsentAt == nil {
      firstUnsentAt = now
    }
    if waiting.critical == 0 {
      firstCriticalAt = nil
      if delivery == .deliveringCritical { delivery = .idle }
    } else if firstCriticalAt == nil {
      firstCriticalAt = now
    }
  }

  private func isDue(now: Duration) -> Bool {
    guard waiting.total > 0 else { return false }
    if waiting.total >= policy.flushAt { return true }
    if let dueByAge, dueByAge <= now { return true }
    guard !policy.sendsCriticalAlone, let dueByCritical else { return false }
    return dueByCritical <= now
  }

  private func isCriticalDue(now: Duration) -> Bool {
    guard policy.sendsCriticalAlone, let dueByCritical else { return false }
    return dueByCritical <= now
  }

  private var dueByAge: Duration? {
    firstUnsentAt.flatMap { first in policy.flushInterval.map { first + $0 } }
  }

  private var dueByCritical: Duration? {
    firstCriticalAt.map { $0 + policy.criticalFlushInterval }
  }

  /// The uptime at which the flush intervals start a delivery.
  private var due: Duration? { [dueByAge, dueByCritical].compactMap { $0 }.min() }

  /// True if requests are possible at all.
  var maySend: Bool { isEnabled && !isPaused && backoff != .retriesExhausted }

  private var mayStart: Bool { maySend && claiming == nil && hasSlot && !waiting.isClaimLimitReached }

  /// True if the running delivery includes normal events.
  private var deliversAll: Bool { delivery == .delivering && !isFull(isCritical: false) }

  /// The number of waiting events that the running delivery includes.
  private var toDeliver: Int {
    if deliversAll { return waiting.total }
    return delivery == .idle ? 0 : waiting.critical
  }

  private mutating func nextStart(now: Duration) -> Action? {
    guard mayStart, toDeliver > 0, earliestSend <= now else { return nil }
    backoff = .none
    let id = BatchID(number: nextBatch)
    nextBatch += 1
    if needsHealthProbe {
      batches[id] = Batch(events: Waiting(), bytes: 0, failureGeneration: failureGeneration)
      return .sendHealthProbe(id)
    }
    claiming = id
    // A claim takes critical events first, so limiting it to their number excludes normal ones.
    let limit = deliversAll ? eventsLimit : min(eventsLimit, waiting.critical)
    return .startBatch(id, maximumEvents: limit, maximumBytes: bytesLimit)
  }

  /// The uptime at which something becomes due without other input; `nil` if nothing does.
  private func deadline(now: Duration) -> Duration? {
    let resend = nextRetry(now: now)
    guard mayStart else { return resend }
    return [resend, deadlineOfWaiting(now: now), waiting.blockedUntil].compactMap { $0 }.min()
  }

  private func deadlineOfWaiting(now: Duration) -> Duration? {
    guard waiting.total > 0 else { return nil }
    // Due events that were not started wait for a slot in their lane or for `earliestSend`.
    if toDeliver > 0 { return earliestSend > now ? earliestSend : nil }
    return due.map { max($0, earliestSend) }.flatMap { $0 > now ? $0 : nil }
  }
}
