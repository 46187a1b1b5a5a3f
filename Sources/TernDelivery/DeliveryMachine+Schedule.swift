import TernEvents

extension DeliveryMachine {
  /// What every input ends with: start what is due, finish what is done, and set the timer for the rest.
  mutating func schedule(now: Duration, _ actions: inout [Action]) {
    markUnsent(now: now)
    if isEnabled, !isPaused {
      if isDue(now: now) { isDelivering = true }
      if isCriticalDue(now: now) { isDeliveringCritical = true }
    }
    resendDue(now: now, &actions)
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

  /// Timers count from the first unsent event: an app that records one every five seconds must not put off its
  /// delivery for ever.
  private mutating func markUnsent(now: Duration) {
    if waiting.total == 0 {
      isDelivering = false
      firstUnsentAt = nil
      // Suspects can leave without being sent, by age or by size: what comes after them is innocent.
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
    if let most = policy.flushAt, waiting.total >= most { return true }
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
    firstCriticalAt.flatMap { first in policy.criticalFlushInterval.map { first + $0 } }
  }

  /// When time alone starts a delivery of what waits.
  private var due: Duration? { [dueByAge, dueByCritical].compactMap { $0 }.min() }

  /// Before this nothing is sent, whatever is due.
  var earliestSend: Duration { max(backOffUntil ?? .zero, retryAfterDeadline ?? .zero) }

  /// Whether requests may be made at all.
  var maySend: Bool { isEnabled && !isPaused && !retriesExhausted }

  private var mayStart: Bool { maySend && claiming == nil && hasSlot && !waiting.isClaimLimitReached }

  /// Whether a delivery is on for normal events too.
  private var deliversAll: Bool { isDelivering && !isFull(isCritical: false) }

  /// How many of the waiting events a delivery is on for.
  private var toDeliver: Int {
    if deliversAll { return waiting.total }
    return isDelivering || isDeliveringCritical ? waiting.critical : 0
  }

  private mutating func nextStart(now: Duration) -> Action? {
    guard mayStart, toDeliver > 0, earliestSend <= now else { return nil }
    backOffUntil = nil
    let id = BatchID(number: nextBatch)
    nextBatch += 1
    if mustAsk {
      inFlight[id] = Batch(events: Waiting(), bytes: 0, failureGeneration: failureGeneration, isHealthProbe: true)
      return .ask(id)
    }
    claiming = id
    // A claim takes critical events first: no more than there are of them leaves the normal ones behind.
    let limit = deliversAll ? eventsLimit : min(eventsLimit, waiting.critical)
    return .startBatch(id, maximumEvents: limit, maximumBytes: bytesLimit)
  }

  /// When to look again without any other input; `nil` when only another input can change something.
  private func deadline(now: Duration) -> Duration? {
    let resend = nextResend(now: now)
    guard mayStart else { return resend }
    return [resend, deadlineOfWaiting(now: now), waiting.blockedUntil].compactMap { $0 }.min()
  }

  private func deadlineOfWaiting(now: Duration) -> Duration? {
    guard waiting.total > 0 else { return nil }
    // What is due and has not been started waits for a slot of its lane, or for the earliestSend.
    if toDeliver > 0 { return earliestSend > now ? earliestSend : nil }
    return due.map { max($0, earliestSend) }.flatMap { $0 > now ? $0 : nil }
  }
}
