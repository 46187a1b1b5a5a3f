package import TernEvents

// This file has all retry rules of Tern's machine: the meaning of each HTTP status, the backoff, the circuit breaker
// and the size of trial batches. docs/delivery.md describes them.

/// The constants of the retry rules.
package enum RetryRules {
  /// The maximum wait that a server can ask for.
  package static let maximumRetryAfter: Duration = .seconds(86_400)
  /// The maximum number of events of the first batch after a failure; halved with each further failure.
  static let trialEvents = 50
  /// The number of health probes answered by something other than a collector before one event is sent without a probe.
  static let healthProbesBeforeTrial = 3
  /// The number of consecutive refused events before each further one triggers backoff: a server that refuses
  /// everything is broken and must not empty the queue.
  static let rejectionsBeforePause = 8
}

/// The meaning of an HTTP status for the events of a request, common to all protocols.
package enum ResponseClass: Sendable, Equatable {
  /// The server accepted the request; the response body may say more.
  case success
  /// The server does not accept the key.
  case unauthorized
  /// The URL is wrong, or an intermediary responded: the events are not at fault, so none is dropped.
  case wrongAddress
  /// The server asks the client to try again later.
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
  /// The backoff after failures.
  package enum Retry: Sendable, Equatable {
    /// Exponential backoff with full jitter: a random wait up to `first`, which doubles with each further failure up to
    /// `ceiling`; never gives up.
    case unlimited(first: Duration, ceiling: Duration)
    /// A random wait from one range per retry; then nothing is sent until the network changes or the app restarts.
    case limited([ClosedRange<Duration>])

    /// The wait after the given number of consecutive failures; `nil` if the retries are exhausted.
    package func delay(afterFailures failures: Int, using generator: inout FastGenerator) -> Duration? {
      switch self {
      case .unlimited(let first, let ceiling):
        // Stop doubling before the product can overflow: 2^20 times any sensible `first` exceeds any ceiling.
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
enum CircuitState: Sendable, Equatable {
  /// Events are sent. The flag is true if some were sent unsuccessfully since the last response; attempts without a
  /// network do not count.
  case closed(hasFailedUploads: Bool)
  /// The server is failing: the next request is a health probe without events.
  case open
  /// The health probe was answered: one small batch may be sent and closes the circuit if it succeeds.
  case halfOpen

  var isClosed: Bool { if case .closed = self { true } else { false } }
}

/// The counts of failed requests and events since the server last responded.
package struct FailedAttempts: Sendable, Equatable {
  /// Health probes since the last trial event that something other than a collector, such as a gateway, answered.
  package var healthProbes: Int
  /// Trial events that failed.
  package var trials: Int
  /// Failed events, counted once per attempt.
  package var events: Int

  /// A bound for numbers read from a file; larger ones would make no difference.
  private static let most = 1 << 20

  package init(healthProbes: Int = 0, trials: Int = 0, events: Int = 0) {
    self.healthProbes = min(max(healthProbes, 0), Self.most)
    self.trials = min(max(trials, 0), Self.most)
    self.events = min(max(events, 0), Self.most)
  }

  /// Returns true if one event should be tried, because an intermediary may be blocking only the health probes.
  ///
  /// Each of the first two failed trials doubles the number of health probes before the next one. Once twice as many
  /// events have failed as are waiting, it is sixteen times the initial number.
  func suggestTrial(waiting: Int) -> Bool {
    healthProbes >= RetryRules.healthProbesBeforeTrial << (events < 2 * waiting ? min(trials, 2) : 4)
  }
}

extension DeliveryMachine {
  // MARK: Permission to send

  /// True if the next request must be a health probe.
  var needsHealthProbe: Bool { circuit == .open && !sendsTrialEvent }

  /// True if the next batch must be a single event, because an intermediary may be answering the health probes.
  var sendsTrialEvent: Bool { circuit == .open && failedAttempts.suggestTrial(waiting: waiting.total) }

  /// The maximum number of batches in flight: one while the server is failing or a batch is being split.
  var inFlightLimit: Int {
    failures > 0 || splitting != nil || !circuit.isClosed ? 1 : policy.maximumInFlight
  }

  /// The maximum number of events of the next batch.
  var eventsLimit: Int {
    if sendsTrialEvent { return 1 }
    // Halve it with each failure, to waste little traffic on a server that answers probes but fails on events.
    let trial = max(RetryRules.trialEvents >> max(failures - 1, 0), 1)
    let limit = failures > 0 ? min(policy.batchEvents, trial) : policy.batchEvents
    return min(limit, splitting?.limit ?? limit)
  }

  /// The maximum bytes of the next batch.
  var bytesLimit: Int { loweredLimit?.bytes ?? policy.batchBytes }

  /// The uptime before which nothing is sent, even if it is due.
  var earliestSend: Duration {
    guard case .backingOff(let until) = backoff else { return retryAfterDeadline ?? .zero }
    return max(until, retryAfterDeadline ?? .zero)
  }

  // MARK: After a response

  /// Resets the failure state: the server has responded to a batch, with any status.
  mutating func serverAnswered() {
    hasAnswered = true
    circuit = .closed(hasFailedUploads: false)
    failedAttempts = FailedAttempts()
  }

  mutating func succeeded() {
    failures = 0
    backoff = .none
  }

  /// Counts the events of a failed batch.
  mutating func countFailedAttempt(_ batch: Batch, _ failure: DeliveryError) {
    // The batch's own events wait again, unless it keeps them.
    let waiting = waiting.total + (policy.retriesEachBatch ? 0 : batch.events.total)
    let isTrial = circuit == .open && failedAttempts.suggestTrial(waiting: waiting)
    if isTrial { failedAttempts = FailedAttempts(trials: failedAttempts.trials + 1, events: failedAttempts.events) }
    // Without a network, nothing was sent. With per-batch retries, only trials count.
    if policy.retriesEachBatch ? isTrial : failure.code != .offline { failedAttempts.events += batch.events.total }
  }

  mutating func failed(_ batch: Batch, _ failure: DeliveryError, now: Duration) {
    obeyRetryAfter(failure, now: now)
    if failure.code != .offline, circuit.isClosed { circuit = .closed(hasFailedUploads: true) }
    guard batch.failureGeneration == failureGeneration else { return }
    backOff(now: now)
  }

  /// `Retry-After` applies to all lanes.
  mutating func obeyRetryAfter(_ failure: DeliveryError, now: Duration) {
    guard let wait = failure.retryAfter else { return }
    retryAfterDeadline = max(
      retryAfterDeadline ?? .zero, now + min(max(wait, .zero), RetryRules.maximumRetryAfter))
  }

  mutating func backOff(now: Duration) {
    failures += 1
    failureGeneration += 1
    let isOverThreshold = policy.circuitBreakerThreshold.map { failures >= $0 } ?? false
    if circuit == .halfOpen || circuit == .closed(hasFailedUploads: true) && isOverThreshold { circuit = .open }
    let delay = policy.retry.delay(afterFailures: failures, using: &generator)
    if let delay, backoff != .retriesExhausted {
      backoff = .backingOff(until: now + delay)
    } else {
      backoff = .retriesExhausted
    }
  }

  /// Backs off after many consecutive rejections: the server is more likely to be at fault than all of the events.
  mutating func rejected(_ count: Int, now: Duration) {
    rejectionsInARow += count
    if rejectionsInARow > RetryRules.rejectionsBeforePause { backOff(now: now) }
  }

  mutating func healthProbeEnded(_ batch: Batch, _ outcome: ResponseOutcome, now: Duration) {
    switch outcome {
    case .failed(let failure):
      // No response means that the server is down, and `Retry-After` may come from a collector. Any other failure may
      // mean that an intermediary blocks the probes.
      if failure.status != nil, failure.retryAfter == nil { failedAttempts.healthProbes += 1 }
      failed(batch, failure, now: now)
      guard !isRetriedAtOnce(batch, now: now) else { return }
      for index in flushes.indices where flushes[index].toTake.total > 0 { flushes[index].result = .failed(failure) }
    // A refusal is a response too: a server without support for probes may still accept events.
    case .acknowledged, .refused, .tooLarge:
      if circuit == .open { circuit = .halfOpen }
      hasAnswered = true
      failedAttempts = FailedAttempts()
      delivery = .delivering
      // With per-batch retries, an answered probe is enough.
      guard policy.circuitBreakerThreshold == nil else { return }
      circuit = .closed(hasFailedUploads: false)
      succeeded()
    }
  }

  // MARK: Per-batch retries

  /// Schedules the next attempt of a failed batch, which keeps its events; if its retries are exhausted, stops all
  /// retries.
  mutating func retry(_ id: BatchID, _ failed: Batch, _ failure: DeliveryError, now: Duration) -> EventDisposition {
    var batch = failed
    let disposition = batch.isStale ? EventDisposition.requeue(rejecting: []) : .keep
    flushDidSettle(id, batch, .failed(failure), disposition, now: now)
    obeyRetryAfter(failure, now: now)
    let wait: Duration?
    // The failure belongs to the previous network, or sending was paused in the meantime.
    if batch.failureGeneration != failureGeneration {
      batch.attempts = 0
      wait = .zero
    } else {
      batch.attempts += 1
      wait = policy.retry.delay(afterFailures: batch.attempts, using: &generator)
    }
    batch.failureGeneration = failureGeneration
    if batch.isStale {
      deliverAgain(batch.events)
      return disposition
    }
    guard let wait, backoff != .retriesExhausted else {
      backoff = .retriesExhausted
      failureGeneration += 1
      deliverAgain(batch.events)
      releasePendingRetries()
      return .requeue(rejecting: [])
    }
    batch.state = .waitingForRetry(at: now + wait)
    batches[id] = batch
    return .keep
  }

  // MARK: Network and relaunch

  mutating func networkAvailable(now: Duration) {
    failures = 0
    failureGeneration += 1
    for id in batches.keys { batches[id]?.callBack() }
    // The new network may be no better: probe before resending failed events.
    if policy.circuitBreakerThreshold != nil, circuit == .closed(hasFailedUploads: true) { circuit = .open }
    backoff = .none
    forgetAttempts(now: now)
    if waiting.total > 0 { delivery = .delivering }
  }

  /// True if the next process must start with a health probe. Otherwise a series of short-lived processes could send
  /// the whole queue again and again.
  var opensCircuitAtNextLaunch: Bool {
    let unanswered = hasAnswered ? [] : batches.values.filter { !$0.isHealthProbe && $0.state != .void }
    if policy.opensCircuitAtLaunch {
      return !circuit.isClosed || !hasAnswered && backoff == .retriesExhausted || !unanswered.isEmpty
    }
    guard policy.circuitBreakerThreshold != nil else { return !circuit.isClosed }
    return circuit != .closed(hasFailedUploads: false) || unanswered.contains { $0.retryAt == nil }
  }
}
