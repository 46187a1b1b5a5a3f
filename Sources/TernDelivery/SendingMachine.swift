package import TernEvents

/// A state machine that decides when to send a queue: inputs and the time go in, actions come out.
///
/// It awaits nothing, reads no clock and uses only its own random generator, so tests cover months of device life in
/// milliseconds. Its owner performs the actions in order and reports the results.
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
}

/// Identifies a batch within a process.
package struct BatchID: Hashable, Sendable {
  package let number: Int
  package init(number: Int) { self.number = number }
}

/// Identifies a flush request, numbered by its creator.
package struct FlushID: Hashable, Sendable {
  package let number: Int
  package init(number: Int) { self.number = number }
}

/// The counts of unclaimed events by lane.
package struct WaitingEvents: Hashable, Sendable {
  package var normal: Int
  package var critical: Int
  /// Further events that are not accessible on disk at the moment.
  package var blocked: Int
  /// The uptime of the next attempt to read them.
  package var blockedUntil: Duration?
  /// True while the batches in flight hold their maximum share of the queue; the next starts when one is settled.
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

/// An input to a machine.
package enum MachineInput: Sendable, Equatable {
  /// The process started; all queued events are from earlier processes.
  case launched
  /// Events were appended. Required only for the first waiting event, when `flushAt` is reached, and for each critical
  /// event.
  case appended
  /// Send all waiting events and report the result.
  case flushRequested(FlushID)
  /// Send one batch and report the result; ends periodic sending.
  case batchRequested(FlushID)
  /// The caller of this flush no longer waits for it.
  case flushAbandoned(FlushID)
  /// A batch was claimed from the log; `first` is its oldest event.
  case batchStarted(BatchID, events: WaitingEvents, bytes: Int, first: UniqueID? = nil)
  /// The log had nothing to claim.
  case nothingToClaim(BatchID)
  /// The request of a batch ended; the only action is `settle`.
  case requestEnded(BatchID, ResponseOutcome)
  /// The events of a batch were settled, so the counts of waiting events may have changed.
  case batchSettled
  /// The deadline of the last `setTimer` was reached.
  case timerFired
  /// Sending was paused until `resumed`; batches in flight continue.
  case paused
  case resumed
  /// Recording and sending were enabled.
  case enabled
  /// Recording and sending were disabled, and the log was erased.
  case disabled
  /// The flush interval was set; `nil` means that time never triggers a delivery.
  case flushInterval(Duration?)
  /// Some events were erased; a flush may be complete, and retries must not contain erased events.
  case erased
  /// The network came back or changed.
  case networkAvailable
  case enteredBackground
  case enteredForeground
}

/// An action for the owner of a machine to perform.
package enum MachineAction: Sendable, Equatable {
  /// Claim a batch of at most this size and send it; respond immediately with `batchStarted` or `nothingToClaim`.
  case startBatch(BatchID, maximumEvents: Int, maximumBytes: Int)
  /// Do this with the events of a batch whose request ended; respond immediately with `batchSettled`.
  case settle(BatchID, EventDisposition)
  /// Resend a failed batch unchanged; another `requestEnded` follows.
  case resend(BatchID)
  /// Return the events of a failed batch to the log; the batch is abandoned.
  case release(BatchID)
  /// Send an empty batch to check if the server is back; `requestEnded` follows.
  case sendHealthProbe(BatchID)
  /// Save this memory for the next process, replacing the previous one.
  case remember(DeliveryMemory)
  /// Schedule `timerFired` for this uptime, replacing the previous timer.
  case setTimer(Duration)
  /// Cancel the timer.
  case cancelTimer
  /// Complete the flush; sent once for each request that was not abandoned.
  case finishFlush(FlushID, FlushResult)
}

/// The result of a flush.
package enum FlushResult: Sendable, Equatable {
  /// All were sent; the server stored this many.
  case sent(Int)
  /// Nothing was waiting.
  case nothingToSend
  /// Some waiting events were not delivered; they stay queued unless the server permanently refused them.
  case failed(DeliveryError)
}
