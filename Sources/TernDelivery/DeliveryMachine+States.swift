import TernEvents

extension DeliveryMachine {
  /// The extent of the running delivery, which starts batches until nothing waits; a later case includes the earlier.
  enum Delivery: Comparable, Sendable {
    /// Nothing is due.
    case idle
    /// Critical events alone, if the policy sends them separately.
    case deliveringCritical
    /// All waiting events.
    case delivering
  }

  /// Our own pause, which a flush, a success or a network change ends.
  enum Backoff: Equatable, Sendable {
    /// Due events are sent.
    case none
    /// Nothing is sent before this uptime.
    case backingOff(until: Duration)
    /// Nothing is sent: a batch failed after the last of its limited retries.
    case retriesExhausted
  }

  /// Events on their way to the server; without events, it is a health probe, which only checks if the server is back.
  struct Batch: Sendable {
    enum State: Equatable, Sendable {
      /// Waits for its response. It is called back if the network has changed in the meantime: if it fails, its events
      /// are resent immediately. It is stale if some of its events may have been erased, so that it must not be resent
      /// unchanged.
      case inFlight(isCalledBack: Bool = false, isStale: Bool = false)
      /// Failed, and is resent at this uptime.
      case waitingForRetry(at: Duration)
      /// All its events were erased while in flight: it occupies a slot, but its outcome is ignored.
      case void
    }

    let events: Waiting
    let bytes: Int
    /// The failure generation at the start of the batch, so that several batches failing together count as one failure.
    var failureGeneration: Int
    /// Failed attempts since the network last changed.
    var attempts = 0
    var state = State.inFlight()

    var isHealthProbe: Bool { events.total == 0 }
    var isCalledBack: Bool { if case .inFlight(isCalledBack: true, isStale: _) = state { true } else { false } }
    var isStale: Bool { if case .inFlight(isCalledBack: _, isStale: true) = state { true } else { false } }
    var retryAt: Duration? { if case .waitingForRetry(let uptime) = state { uptime } else { nil } }

    mutating func callBack() {
      if case .inFlight(_, let isStale) = state { state = .inFlight(isCalledBack: true, isStale: isStale) }
    }

    mutating func becomeStale() {
      if case .inFlight(let isCalledBack, _) = state { state = .inFlight(isCalledBack: isCalledBack, isStale: true) }
    }
  }

  /// The state of resending a refused batch in ever smaller pieces, until the faulty event is isolated.
  struct Splitting: Sendable {
    /// The maximum number of events of the next piece.
    var limit: Int
    /// The number of events of the refused batch that have yet to be resent.
    var suspects: Int
    /// True once the faulty event was found: pieces may grow again.
    var isIsolated = false
  }

  /// The maximum bytes of a batch after the server found one too large; it outlasts the splitting of that batch.
  struct LoweredLimit: Sendable {
    var bytes: Int
    /// The uptime at which it was lowered; negative if before the boot.
    var since: Duration
  }
}
