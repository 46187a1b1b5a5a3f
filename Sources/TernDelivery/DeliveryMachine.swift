package import TernEvents

/// Tern's own sending machine; see docs/delivery.md for its state table.
package struct DeliveryMachine: SendingMachine {
  package typealias BatchID = TernDelivery.BatchID
  package typealias FlushID = TernDelivery.FlushID
  package typealias Waiting = WaitingEvents
  package typealias Input = MachineInput
  package typealias Action = MachineAction
  package typealias FlushResult = TernDelivery.FlushResult

  package private(set) var policy: Policy
  var generator: FastGenerator

  var waiting = Waiting()
  // Two flags, because an app pauses and disables independently: a client that is enabled again may still be paused.
  package internal(set) var isEnabled = true
  package internal(set) var isPaused = false
  /// The uptime at which the oldest unsent event began to wait.
  var firstUnsentAt: Duration?
  var firstCriticalAt: Duration?
  // Kept apart from `backoff`, because a delivery continues after a pause, and a pause may outlast the waiting events.
  var delivery = Delivery.idle

  var nextBatch = 0
  /// The batch whose events the owner is claiming.
  var claiming: BatchID?
  var batches: [BatchID: Batch] = [:]
  /// Batches whose events the owner must still return to the log.
  var released: [BatchID] = []

  var backoff = Backoff.none
  /// Consecutive failures; they still count when a flush ends the backoff.
  var failures = 0
  var failureGeneration = 0
  /// The end of the server's `Retry-After`; nothing ends it early.
  var retryAfterDeadline: Duration?
  var rejectionsInARow = 0
  var circuit: CircuitState
  // Kept apart from `circuit`, because the failures that open it count too.
  var failedAttempts: FailedAttempts
  var splitting: Splitting?
  var loweredLimit: LoweredLimit?
  /// True if the server has responded since launch.
  var hasAnswered = false

  var flushes: [Flush] = []
  var timer: Duration?
  /// The last memory given to the owner.
  var remembered: DeliveryMemory

  /// Creates an idle machine.
  ///
  /// - Parameters:
  ///   - policy: The settings.
  ///   - generator: The source of jitter.
  ///   - memory: The last memory of the previous process.
  package init(policy: Policy, generator: FastGenerator, memory: DeliveryMemory = DeliveryMemory()) {
    self.policy = policy
    self.generator = generator
    retryAfterDeadline = memory.retryAfterDeadline
    if let bytes = memory.bytesLimit, bytes < policy.batchBytes {
      loweredLimit = LoweredLimit(bytes: max(bytes, 1), since: memory.limitedSince ?? .zero)
    }
    circuit = memory.isCircuitOpen && policy.sendsHealthProbes ? .open : .closed(hasFailedUploads: false)
    failedAttempts = memory.failedAttempts
    remembered = memory
  }

  package mutating func handle(_ input: Input, waiting: Waiting, now: Duration) -> [Action] {
    self.waiting = waiting
    forgetLimit(now: now)
    var actions: [Action] = []
    switch input {
    case .launched:
      if waiting.total > 0 { delivery = .delivering }
    case .appended: break
    // Clear it first: a timer that fires a little early must be set again, even for the same time.
    case .timerFired: timer = nil
    case .flushRequested(let id), .batchRequested(let id):
      retryAllNow(now: now)
      requestFlush(id, now: now)
    case .flushAbandoned(let id): flushes.removeAll { $0.id == id }
    case .batchStarted(let id, let events, let bytes, _): batchStarted(id, events: events, bytes: bytes)
    case .nothingToClaim(let id): nothingToClaim(id, now: now)
    // Schedule only after the owner has settled the events: the counts may include them then.
    case .requestEnded(let id, let outcome): return [.settle(id, requestEnded(id, outcome, now: now))]
    case .batchSettled: break
    case .paused:
      isPaused = true
      forgetAttempts(now: now)
    case .resumed: isPaused = false
    case .enabled: isEnabled = true
    case .disabled: disable()
    case .flushInterval(let interval): policy.flushInterval = interval.map { max($0, .zero) }
    case .erased: claimAnew()
    case .networkAvailable: networkAvailable(now: now)
    case .enteredForeground:
      if backoff != .retriesExhausted { backoff = .none }
    case .enteredBackground:
      if waiting.total > 0 { delivery = .delivering }
    }
    schedule(now: now, &actions)
    return actions
  }
}
