import TernEvents

extension DeliveryMachine {
  /// What every input ends with: start what is due, finish what is done, and set the timer for the rest.
  mutating func schedule(now: Duration, _ actions: inout [Action]) {
    markUnsent(now: now)
    if isEnabled, !isPaused, isDue(now: now) { isDelivering = true }
    if let start = nextStart(now: now) { actions.append(start) }
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
    } else if firstUnsentAt == nil {
      firstUnsentAt = now
    }
    if waiting.critical == 0 {
      firstCriticalAt = nil
    } else if firstCriticalAt == nil {
      firstCriticalAt = now
    }
  }

  private func isDue(now: Duration) -> Bool {
    guard waiting.total > 0 else { return false }
    if let most = policy.sendAtWaiting, waiting.total >= most { return true }
    return due.map { $0 <= now } ?? false
  }

  /// When time alone starts a delivery of what waits.
  private var due: Duration? {
    let byAge = firstUnsentAt.flatMap { first in policy.sendAfter.map { first + $0 } }
    let byCritical = firstCriticalAt.flatMap { first in policy.criticalDelay.map { first + $0 } }
    return [byAge, byCritical].compactMap { $0 }.min()
  }

  var gate: Duration { max(backOffUntil ?? .zero, heldUntil ?? .zero) }

  private var mayStart: Bool {
    isEnabled && !isPaused && !isResting && claiming == nil && inFlight.count < inFlightLimit
  }

  private mutating func nextStart(now: Duration) -> Action? {
    guard isDelivering, mayStart, waiting.total > 0, gate <= now else { return nil }
    backOffUntil = nil
    let id = BatchID(number: nextBatch)
    nextBatch += 1
    if mustAsk {
      inFlight[id] = Batch(events: Waiting(), bytes: 0, round: round, isQuestion: true)
      return .ask(id)
    }
    claiming = id
    return .startBatch(id, maximumEvents: eventsLimit, maximumBytes: bytesLimit)
  }

  /// When to look again without any other input; `nil` when only another input can change something.
  private func deadline(now: Duration) -> Duration? {
    guard mayStart else { return nil }
    return [deadlineOfWaiting(now: now), waiting.blockedUntil].compactMap { $0 }.min()
  }

  private func deadlineOfWaiting(now: Duration) -> Duration? {
    if waiting.total == 0 { return nil }
    if isDelivering { return gate > now ? gate : nil }
    return due.map { max($0, gate) }
  }
}
