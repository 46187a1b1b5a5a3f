package import TernEvents

/// A state machine that decides when a queue is sent: inputs and the time go in, actions come out.
///
/// A conforming value awaits nothing, reads no clock and draws random numbers only from its own generator, so months of
/// device life run in milliseconds in a test. Its owner performs the actions in order and reports the results.
package protocol SendingMachine: Sendable {
  /// True while recording and sending are enabled.
  var isEnabled: Bool { get }
  /// True while sending is paused.
  var isPaused: Bool { get }
  /// Handles an input and returns the actions to perform.
  ///
  /// - Parameters:
  ///   - waiting: The unclaimed events in the log right now.
  ///   - now: The uptime, which never goes back.
  mutating func handle(_ input: MachineInput, waiting: WaitingEvents, now: Duration) -> [MachineAction]
  /// The fate of a batch's events after the given outcome; the owner applies it to the log and passes it back with
  /// `batchSettled`.
  func disposition(of batch: BatchID, after outcome: ResponseOutcome) -> EventDisposition
}

/// Identifies one batch of one process.
package struct BatchID: Hashable, Sendable {
  package let number: Int
  package init(number: Int) { self.number = number }
}

/// Identifies one request to flush; its creator numbers them.
package struct FlushID: Hashable, Sendable {
  package let number: Int
  package init(number: Int) { self.number = number }
}

/// Event counts by lane.
package struct WaitingEvents: Hashable, Sendable {
  package var normal: Int
  package var critical: Int
  /// Further events that the disk does not give out at the moment.
  package var blocked: Int
  /// The uptime of the next attempt to read them; they count among the others from then on.
  package var blockedUntil: Duration?
  /// True while the batches in flight hold as much of the queue as they may: the next one starts when one is settled.
  package var isClaimLimitReached: Bool
  package var total: Int { normal + critical }

  package init(
    normal: Int = 0, critical: Int = 0, blocked: Int = 0, blockedUntil: Duration? = nil,
    isClaimLimitReached: Bool = false
  ) {
    self.isClaimLimitReached = isClaimLimitReached
    self.normal = normal
    self.critical = critical
    self.blocked = blocked
    self.blockedUntil = blockedUntil
  }
}

/// An event in the life of a client that its machine has to know about.
package enum MachineInput: Sendable, Equatable {
  /// The process started; everything in the queue was recorded before.
  case launched
  /// Events were appended. Required only for the first waiting event, when `flushAt` is reached, and for each critical
  /// event.
  case appended
  /// Send everything that waits now and report the result.
  case flushRequested(FlushID)
  /// Send one batch and report the result; ends periodic sending.
  case batchRequested(FlushID)
  /// The caller of this flush no longer waits for it.
  case flushAbandoned(FlushID)
  /// A batch was claimed from the log; `first` is its oldest event.
  case batchStarted(BatchID, events: WaitingEvents, bytes: Int, first: UniqueID? = nil)
  /// The log had nothing to claim.
  case nothingToClaim(BatchID)
  /// A batch was answered and its events were treated in the log as ``SendingMachine/disposition(of:after:)`` said.
  case batchSettled(BatchID, ResponseOutcome, EventDisposition)
  /// The deadline of the last `setTimer` was reached.
  case timerFired
  /// Nothing may be sent until `resumed`; batches in flight continue.
  case paused
  case resumed
  /// Recording and sending were enabled.
  case enabled
  /// Recording and sending were disabled, and the log was erased.
  case disabled
  /// The flush interval was set; `nil` means that time never starts a delivery.
  case flushInterval(Duration?)
  /// Some events were erased: fewer wait, a flush may be complete, and a retry must not contain them.
  case erased
  /// The network came back, or another one replaced it.
  case networkAvailable
  case enteredBackground
  case enteredForeground
}

/// A task for the owner of a machine.
package enum MachineAction: Sendable, Equatable {
  /// Claim a batch of at most this size and send it; answer at once with `batchStarted` or `nothingToClaim`.
  case startBatch(BatchID, maximumEvents: Int, maximumBytes: Int)
  /// Send a failed batch again, unchanged; its answer is another `batchSettled`.
  case resend(BatchID)
  /// Return the events of a failed batch to the log; the batch is not tried again.
  case release(BatchID)
  /// Send an empty batch to learn whether the server is back; its answer is a `batchSettled`, too.
  case sendHealthProbe(BatchID)
  /// Keep this over a relaunch; replaces the previous memory.
  case remember(DeliveryMemory)
  /// Send `timerFired` at this uptime; replaces the previous timer.
  case setTimer(Duration)
  /// Cancel the timer.
  case cancelTimer
  /// The flush is complete; sent once for each request that was not abandoned.
  case finishFlush(FlushID, FlushResult)
}

/// The result of a flush.
package enum FlushResult: Sendable, Equatable {
  /// The server stored this many events that it did not have before.
  case sent(Int)
  /// Nothing was waiting.
  case nothingToSend
  /// Some waiting events could not be delivered; they still wait, unless the server refused them for good.
  case failed(DeliveryFailure)
}
