package import TernEvents

/// Decides when to send what: inputs and the time go in, actions come out (docs/delivery.md has the table).
///
/// It awaits nothing, reads no clock and draws no chance but from the generator it was given, so that months of device
/// life run in milliseconds in a test. The owner performs the actions in order, and reports what came of them.
package struct DeliveryMachine: Sendable {
  /// Names one batch of one process.
  package struct BatchID: Hashable, Sendable {
    package let number: Int
  }

  /// Names one request to flush; its maker draws the numbers.
  package struct FlushID: Hashable, Sendable {
    package let number: Int
    package init(number: Int) { self.number = number }
  }

  /// A number of events, by lane.
  package struct Waiting: Hashable, Sendable {
    package var normal: Int
    package var critical: Int
    /// Further events that cannot be had now, since the disk does not give them out.
    package var blocked: Int
    /// When to ask for them again; they count among the others from then on.
    package var blockedUntil: Duration?
    /// True while the batches under way hold as much of the queue as they may: no other one can start before one of them
    /// is settled.
    package var isClaimLimitReached: Bool
    package var total: Int { normal + critical }

    package init(
      normal: Int = 0, critical: Int = 0, blocked: Int = 0, blockedUntil: Duration? = nil,
      isClaimLimitReached: Bool = false
    ) {
      self.normal = normal
      self.critical = critical
      self.blocked = blocked
      self.blockedUntil = blockedUntil
      self.isClaimLimitReached = isClaimLimitReached
    }
  }

  /// What can happen.
  package enum Input: Sendable, Equatable {
    /// The process started; what waits now waited before it.
    case launched
    /// Events were appended. It need not be told each time: only when the first event comes to wait, when
    /// `flushAt` is reached, and for each critical event.
    case appended
    /// Everything that waits shall go out now, and someone wants to know what came of it.
    case flushRequested(FlushID)
    /// Nobody waits for this flush any more.
    case flushAbandoned(FlushID)
    /// The batch was claimed from the log.
    case batchStarted(BatchID, events: Waiting, bytes: Int)
    /// There was nothing to claim.
    case nothingToClaim(BatchID)
    /// The batch was answered, and settled in the log as ``ResponseOutcome/fate(ofEvents:)`` says.
    case batchSettled(BatchID, ResponseOutcome)
    /// The time of the last `setTimer` has come.
    case timerFired
    /// Nothing is to be sent until `resumed`; batches under way are let through.
    case paused
    case resumed
    /// Recording and sending are on.
    case enabled
    /// Recording and sending are off, and the log was erased.
    case disabled
    /// From now on a delivery starts so long after the first unsent event.
    case flushInterval(Duration)
    /// Some events were erased: fewer wait, a flush may be over, and what is sent again must not hold them.
    case erased
    /// The network came back, or another one took its place.
    case networkAvailable
    case enteredBackground
    case enteredForeground
  }

  /// What the owner shall do.
  package enum Action: Sendable, Equatable {
    /// Claim up to so much and send it; answer with `batchStarted` or `nothingToClaim` at once.
    case startBatch(BatchID, maximumEvents: Int, maximumBytes: Int)
    /// Send a batch that failed once more, as it is; it is answered with `batchSettled` like the first time.
    case resend(BatchID)
    /// Give the events of a batch that failed back to the log: it is not tried again.
    case release(BatchID)
    /// Send an empty batch, to learn whether the server is back; its answer is a `batchSettled` like any other.
    case ask(BatchID)
    /// Keep this over a relaunch; it replaces what was kept before.
    case remember(DeliveryMemory)
    /// Send `timerFired` when the uptime has reached this; replaces the timer before.
    case setTimer(Duration)
    /// Forget the timer.
    case cancelTimer
    /// The flush is over; sent once for each `flushRequested` that was not abandoned.
    case finishFlush(FlushID, FlushResult)
  }

  /// How a flush ended.
  package enum FlushResult: Sendable, Equatable {
    /// The server has so many events durably that it had not before.
    case sent(Int)
    /// Nothing was waiting.
    case nothingToSend
    /// Something that was waiting could not be delivered; it still waits, unless the server refused it for good.
    case failed(DeliveryFailure)
  }

  struct Batch: Sendable {
    var events: Waiting
    var bytes: Int
    /// The number of failures known when it was started: only one of several batches that fail together counts.
    var failureGeneration: Int
    /// Its events were erased while it was under way: it still counts as under way, and means nothing otherwise.
    var isVoid = false
    /// It has no events: it only asks whether the server is back.
    var isHealthProbe = false
    /// The network changed while it was under way: it may fail for that alone, and its events go again at once.
    var isCalledBack = false
    /// How often it was sent in vain, since the network changed.
    var attempts = 0
    /// It failed, holds its events, and is due again then; `nil` while it is under way.
    var retryAt: Duration?
    /// Events of it may have been erased since: it is not sent again as it is.
    var isStale = false
  }

  package private(set) var policy: Policy
  var generator: FastGenerator

  var waiting = Waiting()
  package internal(set) var isEnabled = true
  package internal(set) var isPaused = false
  /// Since when something waits that no delivery has been started for.
  var firstUnsentAt: Duration?
  var firstCriticalAt: Duration?
  /// A delivery is on: batches are started until nothing waits.
  var isDelivering = false
  /// The same for critical events alone; only where the policy keeps them apart.
  var isDeliveringCritical = false

  var nextBatch = 0
  var claiming: BatchID?
  /// Batches that are under way, or sleep between two attempts.
  var inFlight: [BatchID: Batch] = [:]
  /// Batches of which the owner has yet to be told that their events go back.
  var released: [BatchID] = []

  var failures = 0
  var failureGeneration = 0
  /// Our own pause after a failure; a flush or a new network ends it.
  var backOffUntil: Duration?
  /// The server's wish; nothing but time ends it.
  var retryAfterDeadline: Duration?
  /// Retries are used up.
  var retriesExhausted = false
  var rejectionsInARow = 0
  /// Events were sent and did not arrive, since the last that did. A device without a network sends nothing.
  var sentInVain = false
  /// A failing server is asked before events are sent to it.
  var asksFirst = false
  /// The server has answered the question: a batch may go.
  var isAnswered = false
  var failedAttempts = FailedAttempts()
  var splitting: Splitting?
  /// Lowered when the server finds a batch too large, and remembered.
  var bytesLimit: Int
  /// When it was, by uptime; before the boot, maybe.
  var limitedSince: Duration?
  /// The server answered something since the launch.
  var hasAnswered = false

  var flushes: [Flush] = []
  var timer: Duration?
  /// What the owner was last told to remember.
  var remembered: DeliveryMemory

  /// Creates a machine at rest.
  ///
  /// - Parameters:
  ///   - generator: The source of jitter.
  ///   - memory: What an earlier machine asked to remember.
  package init(policy: Policy, generator: FastGenerator, memory: DeliveryMemory = DeliveryMemory()) {
    self.policy = policy
    self.generator = generator
    retryAfterDeadline = memory.retryAfterDeadline
    bytesLimit = min(max(memory.bytesLimit ?? policy.batchBytes, 1), policy.batchBytes)
    limitedSince = memory.limitedSince
    asksFirst = memory.asksFirst
    failedAttempts = memory.failedAttempts
    remembered = memory
  }

  /// Takes in what happened and says what to do.
  ///
  /// - Parameters:
  ///   - waiting: What the log holds unclaimed at this moment.
  ///   - now: The uptime, which never goes back.
  package mutating func handle(_ input: Input, waiting: Waiting, now: Duration) -> [Action] {
    self.waiting = waiting
    forgetLimit(now: now)
    var actions: [Action] = []
    switch input {
    case .launched:
      if waiting.total > 0 { isDelivering = true }
    case .appended: break
    // Forgotten first: a timer that fires a little early must be set again, even for the same time.
    case .timerFired: timer = nil
    case .flushRequested(let id):
      retryAllNow(now: now)
      requestFlush(id, now: now)
    case .flushAbandoned(let id): flushes.removeAll { $0.id == id }
    case .batchStarted(let id, let events, let bytes): batchStarted(id, events: events, bytes: bytes)
    case .nothingToClaim(let id): nothingToClaim(id, now: now)
    case .batchSettled(let id, let outcome): batchSettled(id, outcome, now: now)
    case .paused:
      isPaused = true
      forgetAttempts(now: now)
    case .resumed: isPaused = false
    case .enabled: isEnabled = true
    case .disabled: disable()
    case .flushInterval(let interval): policy.flushInterval = max(interval, .zero)
    case .erased: claimAnew()
    case .networkAvailable: networkAvailable(now: now)
    case .enteredForeground: backOffUntil = nil
    case .enteredBackground:
      if policy.sendsOnBackground, waiting.total > 0 { isDelivering = true }
    }
    schedule(now: now, &actions)
    return actions
  }
}
