package import TernEvents

/// Tern's own sending machine (docs/delivery.md has its table).
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
    /// The failure generation at the start of the batch: of several batches that fail together only one counts.
    var failureGeneration: Int
    /// Its events were erased while it was in flight: it still occupies a slot, and its outcome is ignored.
    var isVoid = false
    /// It has no events: it only probes whether the server is back.
    var isHealthProbe = false
    /// The network changed while it was in flight: it may fail for that alone, and its events are resent at once.
    var isCalledBack = false
    /// Failed attempts since the network last changed.
    var attempts = 0
    /// The batch failed, holds its events, and is resent at this uptime; `nil` while it is in flight.
    var retryAt: Duration?
    /// Some of its events may have been erased since: it must not be resent unchanged.
    var isStale = false
  }

  package private(set) var policy: Policy
  var generator: FastGenerator

  var waiting = Waiting()
  package internal(set) var isEnabled = true
  package internal(set) var isPaused = false
  /// The uptime at which the oldest event that no delivery covers began to wait.
  var firstUnsentAt: Duration?
  var firstCriticalAt: Duration?
  /// A delivery is running: batches are started until nothing waits.
  var isDelivering = false
  /// The same for critical events alone; only where the policy keeps them apart.
  var isDeliveringCritical = false

  var nextBatch = 0
  var claiming: BatchID?
  /// Batches that are in flight or wait for their retry.
  var inFlight: [BatchID: Batch] = [:]
  /// Batches whose events the owner has yet to return to the log.
  var released: [BatchID] = []

  var failures = 0
  var failureGeneration = 0
  /// The end of our own pause after a failure; a flush or a new network ends it early.
  var backOffUntil: Duration?
  /// The end of the wait that the server asked for; only time ends it.
  var retryAfterDeadline: Duration?
  var retriesExhausted = false
  var rejectionsInARow = 0
  /// Events were sent and did not arrive since the last that did. A device without a network sends nothing.
  var hasFailedUploads = false
  var circuit: CircuitState
  var failedAttempts: FailedAttempts
  var splitting: Splitting?
  /// Lowered when the server finds a batch too large, and remembered.
  var bytesLimit: Int
  /// The uptime at which it was lowered, possibly before the boot.
  var limitedSince: Duration?
  /// The server has answered since the launch.
  var hasAnswered = false

  var flushes: [Flush] = []
  var timer: Duration?
  /// The memory last given to the owner.
  var remembered: DeliveryMemory

  /// Creates a machine at rest.
  ///
  /// - Parameters:
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
    // Cleared first: a timer that fires a little early must be set again, even for the same time.
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
