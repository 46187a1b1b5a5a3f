package import TernEvents

// Every retry rule of Tern's machine is in this file: what an HTTP status means, how long to wait, when the circuit
// breaker opens, and how much is sent while a server fails. docs/delivery.md describes them.

/// The numbers of the retry rules.
package enum RetryRules {
  /// The longest wait that a server can ask for.
  package static let maximumRetryAfter: Duration = .seconds(86_400)
  /// The events of the first batch after a failure; halved with each further failure.
  static let trialEvents = 50
  /// Health probes answered by something other than a collector before one event is tried without a probe.
  static let healthProbesBeforeTrial = 3
  /// Events that a server may refuse in a row before each further one costs a pause: a server that refuses everything
  /// is broken and must not empty the queue.
  static let rejectionsBeforePause = 8
}

/// The meaning of an HTTP status for the events of a request, in every protocol.
package enum ResponseClass: Sendable, Equatable {
  /// The request arrived; its body may say more.
  case success
  /// The server does not accept the key.
  case unauthorized
  /// The address is wrong, or something sits in between: no event is at fault, so none is dropped.
  case wrongAddress
  /// The server asks to try again later.
  case tryAgainLater
  /// The body is too large.
  case tooLarge
  /// The server refuses the events.
  case refused

  package init(status: Int) {
    self =
      switch status {
      case 200..<300: .success
      case 401, 403: .unauthorized
      case 408, 425, 429, 500...: .tryAgainLater
      case 413: .tooLarge
      case 404, 405, 407, 410, 421, 426, 451, ..<400: .wrongAddress
      default: .refused
      }
  }
}

extension Policy {
  /// The waits after failures.
  package enum Retry: Sendable, Equatable {
    /// Full jitter: a random wait between zero and `first`, doubled after each further failure up to `ceiling`; never
    /// gives up.
    case unlimited(first: Duration, ceiling: Duration)
    /// A random wait from one range for each retry; then nothing is sent until the network changes or the app restarts.
    case limited([ClosedRange<Duration>])

    /// The wait after the given number of failures in a row; `nil` when the retries are exhausted.
    package func delay(afterFailures failures: Int, using generator: inout FastGenerator) -> Duration? {
      switch self {
      case .unlimited(let first, let ceiling):
        // 2^20 times any sensible `first` is beyond any ceiling: stop doubling before the product can overflow.
        let longest = min(max(ceiling, .zero), max(first, .zero) * (1 << min(max(failures - 1, 0), 20)))
        return longest * Double.random(in: 0...1, using: &generator)
      case .limited(let ranges):
        guard failures >= 1, failures <= ranges.count else { return nil }
        let range = ranges[failures - 1]
        return range.lowerBound
          + (range.upperBound - range.lowerBound) * Double.random(in: 0...1, using: &generator)
      }
    }
  }
}

/// The state of the circuit breaker between a client and its server.
package enum CircuitState: Sendable, Equatable {
  /// Events are sent.
  case closed
  /// The server fails: the next request is a health probe without events.
  case open
  /// The health probe was answered: one small batch may go, and closes the circuit when it arrives.
  case halfOpen
}

/// The requests and events that failed since the server last answered.
package struct FailedAttempts: Sendable, Equatable {
  /// Health probes answered by something other than a collector, such as a gateway, since the last trial event.
  package var healthProbes: Int
  /// Trial events that did not arrive.
  package var trials: Int
  /// Events that did not arrive, each counted as often as it was sent.
  package var events: Int

  /// Beyond this nothing changes any more; a file may contain any number.
  private static let most = 1 << 20

  package init(healthProbes: Int = 0, trials: Int = 0, events: Int = 0) {
    self.healthProbes = min(max(healthProbes, 0), Self.most)
    self.trials = min(max(trials, 0), Self.most)
    self.events = min(max(events, 0), Self.most)
  }

  /// True if one event is to be tried, because the health probes themselves may be what is blocked.
  ///
  /// Each failed trial doubles the number of health probes before the next, up to four times the first; up to sixteen
  /// times once twice as many events failed as are waiting.
  func suggestTrial(waiting: Int) -> Bool {
    healthProbes >= RetryRules.healthProbesBeforeTrial << (events < 2 * waiting ? min(trials, 2) : 4)
  }
}

extension DeliveryMachine {
  // MARK: What may be sent

  /// True if the next request is a health probe and not a batch.
  var needsHealthProbe: Bool { circuit == .open && !sendsTrialEvent }

  /// True if the next batch is a single event, because something in between answered the health probes.
  var sendsTrialEvent: Bool { circuit == .open && failedAttempts.suggestTrial(waiting: waiting.total) }

  /// The number of batches that may be in flight: one while the server fails or a batch is split.
  var inFlightLimit: Int {
    failures > 0 || splitting != nil || circuit != .closed ? 1 : policy.maximumInFlight
  }

  /// The most events of the next batch.
  var eventsLimit: Int {
    if sendsTrialEvent { return 1 }
    // Halved with each failure, so that a server that answers probes but fails on events wastes little traffic.
    let trial = max(RetryRules.trialEvents >> max(failures - 1, 0), 1)
    let limit = failures > 0 ? min(policy.batchEvents, trial) : policy.batchEvents
    return min(limit, splitting?.limit ?? limit)
  }

  /// Nothing is sent before this uptime, whatever is due.
  var earliestSend: Duration { max(backOffUntil ?? .zero, retryAfterDeadline ?? .zero) }

  // MARK: After an answer

  /// The server answered a batch, whatever the answer: it is back.
  mutating func serverAnswered() {
    hasAnswered = true
    circuit = .closed
    hasFailedUploads = false
    failedAttempts = FailedAttempts()
  }

  mutating func succeeded() {
    failures = 0
    backOffUntil = nil
    retriesExhausted = false
  }

  /// Counts the events of a batch that did not arrive.
  mutating func countFailedAttempt(_ batch: Batch, _ failure: DeliveryFailure) {
    let isTrial = sendsTrialEvent
    if isTrial { failedAttempts = FailedAttempts(trials: failedAttempts.trials + 1, events: failedAttempts.events) }
    // Without a network nothing was sent; batches with their own retries count only trials.
    if policy.retriesEachBatch ? isTrial : failure.kind != .offline { failedAttempts.events += batch.events.total }
  }

  mutating func failed(_ batch: Batch, _ failure: DeliveryFailure, now: Duration) {
    obeyRetryAfter(failure, now: now)
    if failure.kind != .offline { hasFailedUploads = true }
    guard batch.failureGeneration == failureGeneration else { return }
    backOff(now: now)
  }

  /// `Retry-After` applies to all lanes.
  mutating func obeyRetryAfter(_ failure: DeliveryFailure, now: Duration) {
    guard let wait = failure.retryAfter else { return }
    retryAfterDeadline = max(
      retryAfterDeadline ?? .zero, now + min(max(wait, .zero), RetryRules.maximumRetryAfter))
  }

  mutating func backOff(now: Duration) {
    failures += 1
    failureGeneration += 1
    let isOverThreshold = policy.circuitBreakerThreshold.map { failures >= $0 && hasFailedUploads } ?? false
    if circuit == .halfOpen || isOverThreshold { circuit = .open }
    if let delay = policy.retry.delay(afterFailures: failures, using: &generator) {
      backOffUntil = now + delay
    } else {
      retriesExhausted = true
    }
  }

  /// A server that refuses one event after the other is more likely broken than they are: each further refusal costs a
  /// pause, which grows up to the ceiling.
  mutating func rejected(_ count: Int, now: Duration) {
    rejectionsInARow += count
    if rejectionsInARow > RetryRules.rejectionsBeforePause { backOff(now: now) }
  }

  mutating func healthProbeSettled(_ batch: Batch, _ outcome: ResponseOutcome, now: Duration) {
    switch outcome {
    case .failed(let failure):
      // Silence means that no server is there, and a collector may ask for a wait: only other answers raise doubts.
      if failure.status != nil, failure.retryAfter == nil { failedAttempts.healthProbes += 1 }
      failed(batch, failure, now: now)
      guard !isRetriedAtOnce(batch, now: now) else { return }
      for index in flushes.indices where flushes[index].toTake.total > 0 { flushes[index].result = .failed(failure) }
    // A server that refuses the probe has answered: one that does not know probes takes events all the same.
    case .acknowledged, .refused, .tooLarge:
      if circuit == .open { circuit = .halfOpen }
      hasAnswered = true
      failedAttempts = FailedAttempts()
      isDelivering = true
      // Where each batch has its own retries, an answered probe is all that is needed.
      guard policy.circuitBreakerThreshold == nil else { return }
      circuit = .closed
      hasFailedUploads = false
      succeeded()
    }
  }

  // MARK: Retries by the batch

  /// Schedules the next attempt of a failed batch, or gives up all retries because its own are exhausted.
  mutating func retry(_ id: BatchID, _ failed: Batch, _ failure: DeliveryFailure, now: Duration) {
    var batch = failed
    obeyRetryAfter(failure, now: now)
    // The failure belongs to the previous network, or sending was paused meanwhile.
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

  // MARK: When the world changes

  mutating func networkAvailable(now: Duration) {
    failures = 0
    failureGeneration += 1
    for id in inFlight.keys { inFlight[id]?.isCalledBack = true }
    // The new network may be no better: events that failed are not resent before the server has answered.
    if hasFailedUploads, policy.circuitBreakerThreshold != nil, circuit == .closed { circuit = .open }
    backOffUntil = nil
    retriesExhausted = false
    forgetAttempts(now: now)
    if waiting.total > 0 { isDelivering = true }
  }

  /// True if the next process has to begin with a health probe: it knows nothing of this one's failures, and several
  /// short processes would otherwise send the whole queue again and again.
  var opensCircuitAtNextLaunch: Bool {
    let unanswered = hasAnswered ? [] : inFlight.values.filter { !$0.isHealthProbe && !$0.isVoid }
    if policy.opensCircuitAtLaunch {
      return circuit != .closed || !hasAnswered && retriesExhausted || !unanswered.isEmpty
    }
    guard policy.circuitBreakerThreshold != nil else { return circuit != .closed }
    return circuit != .closed || hasFailedUploads || unanswered.contains { $0.retryAt == nil }
  }
}
