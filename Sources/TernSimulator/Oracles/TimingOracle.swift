import TernEvents

/// Checks that one process follows the timing rules of docs/delivery.md. Written from the rules, not from the machine.
struct TimingOracle {
  struct Rules {
    var flushInterval: Duration
    var flushAt: Int
    var maximumInFlight: Int
    var firstRetryDelay: Duration = .seconds(2)
    var maximumRetryDelay: Duration
    var longestWait: Duration = .seconds(86_400)
  }

  /// The observable state at one moment.
  struct View {
    var now: Duration
    var waiting: Int
    var waitingCritical: Int
    var inFlight: Int
    /// True if nothing has been acknowledged since a failure: a health probe may come first, and batches go one at a
    /// time.
    var isFailing: Bool
    /// True if the batches in flight hold their maximum share of the queue.
    var isClaimLimitReached: Bool
    /// True if enabled, not paused and not suspended.
    var mayRun: Bool
  }

  /// The tolerance for late messages and timers.
  static let slack = Duration.seconds(1)

  /// The number of consecutive single refusals after which each further one causes a pause.
  private static let refusalsBeforePause = 8

  let rules: Rules
  /// Consecutive failures; several batches that fail together count once.
  private(set) var failures = 0
  /// Incremented by failures and new networks, after which the results of earlier batches do not count.
  private(set) var failureGeneration = 0
  private var firstFailureAt: Duration = .zero
  /// The start of the current pause after a failure.
  private var pausedSince: Duration?
  private(set) var retryAfterDeadline: Duration?
  private var excusedUntil: Duration = .zero
  private var isSplitting = false
  private var refusals = 0
  private var unsentSince: Duration?
  private var runnableSince: Duration?
  /// The time since which there has been a reason to send at once, independent of timers.
  private var deliveringSince: Duration?
  private var deadline: Duration?
  /// The number of batches in flight when they reached their maximum share of the queue. The client need not check
  /// again until one of them ends: an append that evicts a large event in the meantime makes room unnoticed.
  private var inFlightAtClaimLimit: Int?

  init(_ rules: Rules) { self.rules = rules }

  // MARK: Inputs

  /// Starts a delivery of the waiting events.
  mutating func deliver(now: Duration) {
    if deliveringSince == nil { deliveringSince = now }
  }

  /// Starts a delivery on entering the background, which doesn't end a pause.
  mutating func background(waiting: Int, now: Duration) {
    if waiting > 0 { deliver(now: now) }
  }

  /// Applies a wait that the collector requested of an earlier process; one that may not have been saved is only
  /// tolerated.
  mutating func hold(until uptime: Duration, isKept: Bool) {
    excusedUntil = uptime
    if isKept { retryAfterDeadline = uptime }
  }

  /// Ends the client's own pause.
  mutating func endPause() { pausedSince = nil }

  /// Applies a new network, which cancels earlier failures.
  mutating func networkAvailable(waiting: Int, now: Duration) {
    if waiting > 0 { deliver(now: now) }
    endPause()
    failures = 0
    failureGeneration += 1
  }

  /// - Parameter started: The failure generation in which the batch was started.
  mutating func acknowledged(started: Int, isProgress: Bool) {
    if isProgress { refusals = 0 }
    guard started == failureGeneration else { return }
    failures = 0
    endPause()
  }

  /// Applies the answer to a health probe: events may be sent at once.
  mutating func answeredHealthProbe(now: Duration) {
    deliver(now: now)
    endPause()
  }

  /// - Parameter returns: True if events of the batch are resent at once.
  mutating func refused(singly count: Int, returns: Bool, now: Duration) {
    isSplitting = true
    if returns { deliver(now: now) }
    refusals += count
    if count > 0, refusals > Self.refusalsBeforePause { pause(now: now) }
  }

  mutating func failed(wait: Duration?, returns: Bool, started: Int, now: Duration) {
    if returns { deliver(now: now) }
    if let wait { retryAfterDeadline = max(retryAfterDeadline ?? .zero, now + min(wait, rules.longestWait)) }
    if started == failureGeneration { pause(now: now) }
  }

  private mutating func pause(now: Duration) {
    if failures == 0 { firstFailureAt = now }
    failures += 1
    failureGeneration += 1
    pausedSince = now
  }

  mutating func disabled() {
    failures = 0
    refusals = 0
    isSplitting = false
    pausedSince = nil
    deliveringSince = nil
    unsentSince = nil
  }

  // MARK: Checks

  /// Checks for reasons to send, before the delivery loop does.
  mutating func notice(waiting: Int, critical: Int, now: Duration) {
    if waiting > 0, unsentSince == nil { unsentSince = now }
    if waiting >= rules.flushAt || critical > 0 { deliver(now: now) }
  }

  /// Records the start of a batch; returns the broken rule, if any.
  mutating func started(now: Duration, inFlight: Int) -> String? {
    defer {
      deliveringSince = now
      unsentSince = now
    }
    // Uptimes are saved in whole milliseconds.
    if let retryAfterDeadline, now < retryAfterDeadline - .milliseconds(2) {
      return "a batch starts \(retryAfterDeadline - now) before the end of the wait that the collector requested"
    }
    if inFlight > rules.maximumInFlight {
      return "\(inFlight) batches are in flight, but only \(rules.maximumInFlight) are allowed"
    }
    guard deliveringSince == nil, let unsentSince else { return nil }
    let due = unsentSince + rules.flushInterval
    return now < due - .milliseconds(1) ? "a batch starts \(due - now) too early" : nil
  }

  /// Checks before a step that nothing is overdue; returns the broken rule, if any.
  func check(now: Duration) -> String? {
    guard let deadline, now > deadline + Self.slack else { return nil }
    return "events are waiting, but nothing was sent for \(now - deadline) more than allowed (failures: \(failures))"
  }

  /// Updates the deadline after a step.
  mutating func look(_ view: View) {
    if view.waiting == 0 {
      unsentSince = nil
      deliveringSince = nil
      if view.inFlight == 0 { isSplitting = false }
    } else if unsentSince == nil {
      unsentSince = view.now
    }
    if view.isClaimLimitReached {
      inFlightAtClaimLimit = view.inFlight
    } else if view.inFlight != inFlightAtClaimLimit {
      inFlightAtClaimLimit = nil
    }
    let isClean = failures == 0 && !isSplitting && !view.isFailing
    let hasSlot = isClean ? view.inFlight < rules.maximumInFlight : view.inFlight == 0
    guard view.mayRun, view.waiting > 0, hasSlot, inFlightAtClaimLimit == nil, let unsentSince else {
      runnableSince = nil
      deadline = nil
      return
    }
    let since = runnableSince ?? view.now
    runnableSince = since
    var due = unsentSince + rules.flushInterval
    if let deliveringSince { due = min(due, deliveringSince) }
    if let pausedSince { due = max(due, pausedSince + longestPause) }
    deadline = max(due, since, retryAfterDeadline ?? .zero, excusedUntil)
  }

  private var longestPause: Duration {
    min(rules.maximumRetryDelay, rules.firstRetryDelay * (1 << min(max(failures - 1, 0), 20)))
  }

  /// A description of twelve failures within seconds, which have a probability below 10^-10 with full jitter.
  var rapidFailures: String? {
    guard failures >= 12, rules.maximumRetryDelay >= .seconds(1000), let pausedSince else { return nil }
    let span = pausedSince - firstFailureAt
    return span < .seconds(20) ? "\(failures) failures in a row within \(span)" : nil
  }
}
