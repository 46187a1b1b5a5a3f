import TernEvents

extension DeliveryMachine {
  /// Ends the handling of every input: starts what is due, finishes what is done, and sets the timer for the rest.
  mutating func schedule(now: Duration, _ actions: inout [Action]) {
    markUnsent(now: now)
    if isEnabled, !isPaused {
      if isDue(now: now) { isDelivering = true }
      if isCriticalDue(now: now) { isDeliveringCritical = true }
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

  /// Timers count from the first unsent event: an app that records one every five seconds must not postpone its
  /// delivery for ever.
  private mutating func markUnsent(now: Duration) {
    if waiting.total == 0 {
      isDelivering = false
      firstUnsentAt = nil
      // Suspects can leave unsent, by age or by size: the events after them are not at fault.
      if inFlight.isEmpty { splitting = nil }
    } else if policy.sendsCriticalAlone, waiting.normal == 0 {
      firstUnsentAt = nil
    } else if firstUnsentAt == nil {
      firstUnsentAt = now
    }
    if waiting.critical == 0 {
      firstCriticalAt = nil
      isDeliveringCritical = false
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

  /// The uptime at which time alone starts a delivery.
  private var due: Duration? { [dueByAge, dueByCritical].compactMap { $0 }.min() }

  /// True if requests may be made at all.
  var maySend: Bool { isEnabled && !isPaused && !retriesExhausted }

  private var mayStart: Bool { maySend && claiming == nil && hasSlot && !waiting.isClaimLimitReached }

  /// True if the running delivery includes normal events.
  private var deliversAll: Bool { isDelivering && !isFull(isCritical: false) }

  /// The waiting events that the running delivery includes.
  private var toDeliver: Int {
    if deliversAll { return waiting.total }
    return isDelivering || isDeliveringCritical ? waiting.critical : 0
  }

  private mutating func nextStart(now: Duration) -> Action? {
    guard mayStart, toDeliver > 0, earliestSend <= now else { return nil }
    backOffUntil = nil
    let id = BatchID(number: nextBatch)
    nextBatch += 1
    if needsHealthProbe {
      inFlight[id] = Batch(events: Waiting(), bytes: 0, failureGeneration: failureGeneration, isHealthProbe: true)
      return .sendHealthProbe(id)
    }
    claiming = id
    // A claim takes critical events first: limited to their number it leaves the normal ones behind.
    let limit = deliversAll ? eventsLimit : min(eventsLimit, waiting.critical)
    return .startBatch(id, maximumEvents: limit, maximumBytes: bytesLimit)
  }

  /// The uptime of the next change without any other input; `nil` if there is none.
  private func deadline(now: Duration) -> Duration? {
    let resend = nextRetry(now: now)
    guard mayStart else { return resend }
    return [resend, deadlineOfWaiting(now: now), waiting.blockedUntil].compactMap { $0 }.min()
  }

  private func deadlineOfWaiting(now: Duration) -> Duration? {
    guard waiting.total > 0 else { return nil }
    // Events that are due and not started wait for a slot of their lane, or for `earliestSend`.
    if toDeliver > 0 { return earliestSend > now ? earliestSend : nil }
    return due.map { max($0, earliestSend) }.flatMap { $0 > now ? $0 : nil }
  }
}
