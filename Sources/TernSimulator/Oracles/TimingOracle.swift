import TernEvents

/// Knows the promises of time (docs/delivery.md) and watches that one process keeps them; written from the rules, not
/// from the machine.
struct TimingOracle {
  struct Rules {
    var flushInterval: Duration
    var flushAt: Int
    var maximumInFlight: Int
    var firstRetryDelay: Duration = .seconds(2)
    var maximumRetryDelay: Duration
    var longestWait: Duration = .seconds(86_400)
  }

  /// What can be seen from outside at one moment.
  struct View {
    var now: Duration
    var waiting: Int
    var waitingCritical: Int
    var inFlight: Int
    /// Nothing has arrived since something failed: the collector may be asked first, and one at a time.
    var isFailing: Bool
    /// The batches under way hold as much of the queue as they may.
    var isClaimLimitReached: Bool
    /// Enabled, not paused, not suspended.
    var mayRun: Bool
  }

  /// Messages may be read and timers may fire a little late.
  static let slack = Duration.seconds(1)

  /// Single refusals in a row from which on each costs a pause.
  private static let refusalsBeforePause = 8

  let rules: Rules
  /// Failures in a row; several batches that fail together count once.
  private(set) var failures = 0
  /// Counts what makes earlier batches say nothing about now: failures and new networks.
  private(set) var round = 0
  private var firstFailureAt: Duration = .zero
  /// When the last failure began a pause that nothing has ended since.
  private var pausedSince: Duration?
  private(set) var heldUntil: Duration?
  private var excusedUntil: Duration = .zero
  private var isSplitting = false
  private var refusals = 0
  private var unsentSince: Duration?
  private var runnableSince: Duration?
  /// Since when there is a reason to send at once, whatever the timers say.
  private var deliveringSince: Duration?
  private var deadline: Duration?

  init(_ rules: Rules) { self.rules = rules }

  // MARK: What happens

  /// Something says: send what waits now.
  mutating func deliver(now: Duration) {
    if deliveringSince == nil { deliveringSince = now }
  }

  /// Going to the background starts a delivery of what waits, yet ends no pause.
  mutating func background(waiting: Int, now: Duration) {
    if waiting > 0 { deliver(now: now) }
  }

  /// The collector asked an earlier process to wait; one that may not have been written down is no more than an excuse.
  mutating func hold(until uptime: Duration, isKept: Bool) {
    excusedUntil = uptime
    if isKept { heldUntil = uptime }
  }

  /// Our own pause is over.
  mutating func endPause() { pausedSince = nil }

  /// The network is new: what failed before says nothing any more.
  mutating func networkAvailable(waiting: Int, now: Duration) {
    if waiting > 0 { deliver(now: now) }
    endPause()
    failures = 0
    round += 1
  }

  /// - Parameter started: The round in which the batch was started.
  mutating func acknowledged(started: Int, isProgress: Bool) {
    if isProgress { refusals = 0 }
    guard started == round else { return }
    failures = 0
    endPause()
  }

  /// The collector answered the question whether it is back: events may go at once.
  mutating func answeredQuestion(now: Duration) {
    deliver(now: now)
    endPause()
  }

  /// - Parameter returns: Events of the batch are to be sent again, at once.
  mutating func refused(singly count: Int, returns: Bool, now: Duration) {
    isSplitting = true
    if returns { deliver(now: now) }
    refusals += count
    if count > 0, refusals > Self.refusalsBeforePause { pause(now: now) }
  }

  mutating func failed(wait: Duration?, returns: Bool, started: Int, now: Duration) {
    if returns { deliver(now: now) }
    if let wait { heldUntil = max(heldUntil ?? .zero, now + min(wait, rules.longestWait)) }
    if started == round { pause(now: now) }
  }

  private mutating func pause(now: Duration) {
    if failures == 0 { firstFailureAt = now }
    failures += 1
    round += 1
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

  // MARK: What must be so

  /// Looks before the run loop does: what waits now may be a reason to send.
  mutating func notice(waiting: Int, critical: Int, now: Duration) {
    if waiting > 0, unsentSince == nil { unsentSince = now }
    if waiting >= rules.flushAt || critical > 0 { deliver(now: now) }
  }

  /// A batch starts; says what is wrong with that.
  mutating func started(now: Duration, inFlight: Int) -> String? {
    defer {
      deliveringSince = now
      unsentSince = now
    }
    // Uptimes are written down in whole milliseconds.
    if let heldUntil, now < heldUntil - .milliseconds(2) {
      return "a batch starts \(heldUntil - now) before the wait that the collector asked for is over"
    }
    if inFlight > rules.maximumInFlight {
      return "\(inFlight) batches are under way; \(rules.maximumInFlight) are allowed"
    }
    guard deliveringSince == nil, let unsentSince else { return nil }
    let due = unsentSince + rules.flushInterval
    return now < due - .milliseconds(1) ? "a batch starts \(due - now) too early" : nil
  }

  /// Looks before something happens: nothing that was due may have been left undone.
  func check(now: Duration) -> String? {
    guard let deadline, now > deadline + Self.slack else { return nil }
    return "events wait and nothing was sent for \(now - deadline) more than allowed (failures \(failures))"
  }

  /// Looks after something has happened.
  mutating func look(_ view: View) {
    if view.waiting == 0 {
      unsentSince = nil
      deliveringSince = nil
      if view.inFlight == 0 { isSplitting = false }
    } else if unsentSince == nil {
      unsentSince = view.now
    }
    let isClean = failures == 0 && !isSplitting && !view.isFailing
    let hasSlot = isClean ? view.inFlight < rules.maximumInFlight : view.inFlight == 0
    guard view.mayRun, view.waiting > 0, hasSlot, !view.isClaimLimitReached, let unsentSince else {
      runnableSince = nil
      deadline = nil
      return
    }
    let since = runnableSince ?? view.now
    runnableSince = since
    var due = unsentSince + rules.flushInterval
    if let deliveringSince { due = min(due, deliveringSince) }
    if let pausedSince { due = max(due, pausedSince + longestPause) }
    deadline = max(due, since, heldUntil ?? .zero, excusedUntil)
  }

  private var longestPause: Duration {
    min(rules.maximumRetryDelay, rules.firstRetryDelay * (1 << min(max(failures - 1, 0), 20)))
  }

  /// The fault that lies in twelve failures within seconds: full jitter makes that less likely than one in 10^10.
  var hammering: String? {
    guard failures >= 12, rules.maximumRetryDelay >= .seconds(1000), let pausedSince else { return nil }
    let span = pausedSince - firstFailureAt
    return span < .seconds(20) ? "\(failures) failures in a row within \(span)" : nil
  }
}
