package import TernEvents

/// Tern's own sending machine; see docs/delivery.md for its state table.
package struct DeliveryMachine: SendingMachine {
  package typealias BatchID = TernDelivery.BatchID
  package typealias FlushID = TernDelivery.FlushID
  package typealias Waiting = WaitingEvents
  package typealias Input = MachineInput
  package typealias Action = MachineAction
  package typealias FlushResult = TernDelivery.FlushResult

  struct Batch: Sendable {
    var events: Waiting
    var bytes: Int
    /// The failure generation at the start of the batch, so that several batches failing together count as one failure.
    var failureGeneration: Int
    /// True if its events were erased while in flight: it occupies a slot, but its outcome is ignored.
    var isVoid = false
    /// True if it has no events and only checks if the server is back.
    var isHealthProbe = false
    /// True if the network changed while it was in flight: if it fails, its events are resent immediately.
    var isCalledBack = false
    /// Failed attempts since the network last changed.
    var attempts = 0
    /// The uptime at which the failed batch is resent; `nil` while it is in flight.
    var retryAt: Duration?
    /// True if some of its events may have been erased, so that it must not be resent unchanged.
    var isStale = false
  }

  package private(set) var policy: Policy
  var generator: FastGenerator

  var waiting = Waiting()
  package internal(set) var isEnabled = true
  package internal(set) var isPaused = false
  /// The uptime at which the oldest unsent event began to wait.
  var firstUnsentAt: Duration?
  var firstCriticalAt: Duration?
  /// True while a delivery is running, which starts batches until nothing waits.
  var isDelivering = false
  /// The same for critical events alone, if the policy sends them separately.
  var isDeliveringCritical = false

  var nextBatch = 0
  var claiming: BatchID?
  /// Batches in flight or waiting for their retry.
  var inFlight: [BatchID: Batch] = [:]
  /// Batches whose events the owner must still return to the log.
  var released: [BatchID] = []

  var failures = 0
  var failureGeneration = 0
  /// The end of our own backoff; a flush or a network change ends it early.
  var backOffUntil: Duration?
  /// The end of the server's `Retry-After`; nothing ends it early.
  var retryAfterDeadline: Duration?
  var retriesExhausted = false
  var rejectionsInARow = 0
  /// True if events were sent unsuccessfully since the last success. Attempts without a network do not count.
  var hasFailedUploads = false
  var circuit: CircuitState
  var failedAttempts: FailedAttempts
  var splitting: Splitting?
  /// The maximum bytes of a batch, lowered when the server finds one too large.
  var bytesLimit: Int
  /// The uptime at which it was lowered; negative if before the boot.
  var limitedSince: Duration?
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
    bytesLimit = min(max(memory.bytesLimit ?? policy.batchBytes, 1), policy.batchBytes)
    limitedSince = memory.limitedSince
    circuit = memory.isCircuitOpen && policy.sendsHealthProbes ? .open : .closed
    failedAttempts = memory.failedAttempts
    remembered = memory
  }

  package mutating func handle(_ input: Input, waiting: Waiting, now: Duration) -> [Action] {
    self.waiting = waiting
    forgetLimit(now: now)
    var actions: [Action] = []
    switch input {
    case .launched:
      if waiting.total > 0 { isDelivering = true }
    case .appended: break
    // Clear it first: a timer that fires a little early must be set again, even for the same time.
    case .timerFired: timer = nil
    case .flushRequested(let id), .batchRequested(let id):
      retryAllNow(now: now)
      requestFlush(id, now: now)
    case .flushAbandoned(let id): flushes.removeAll { $0.id == id }
    case .batchStarted(let id, let events, let bytes, _): batchStarted(id, events: events, bytes: bytes)
    case .nothingToClaim(let id): nothingToClaim(id, now: now)
    case .batchSettled(let id, let outcome, let disposition): batchSettled(id, outcome, disposition, now: now)
    case .paused:
      isPaused = true
      forgetAttempts(now: now)
    case .resumed: isPaused = false
    case .enabled: isEnabled = true
    case .disabled: disable()
    case .flushInterval(let interval): policy.flushInterval = interval.map { max($0, .zero) }
    case .erased: claimAnew()
    case .networkAvailable: networkAvailable(now: now)
    case .enteredForeground: backOffUntil = nil
    case .enteredBackground:
      if waiting.total > 0 { isDelivering = true }
    }
    schedule(now: now, &actions)
    return actions
  }
}
