/// What the answer to one batch means for its events.
package enum ResponseOutcome: Sendable, Equatable {
  /// The server has every event durably, except those it refused for good, given by their place in the batch.
  case acknowledged(rejected: [Int])
  /// The server refused the batch for good: because of the events at these places; none when it did not say which.
  case refused(at: [Int], DeliveryFailure)
  /// The body was too large for the server.
  case tooLarge(DeliveryFailure)
  /// Nothing is known to have arrived; the events stay, and are sent again after a pause.
  case failed(DeliveryFailure)
}

/// Why a batch did not arrive.
package struct DeliveryFailure: Error, Sendable, Equatable {
  /// The kinds of failure that a caller may want to tell apart.
  package enum Kind: Sendable, Equatable {
    /// There is no network, or no way to the server.
    case offline
    /// The connection failed or was cut.
    case connection
    /// No answer came in time.
    case timedOut
    /// The server answered with an error that may pass.
    case server
    /// The answer is not this protocol's: a captive portal, a proxy, another server.
    case notAcknowledged
    /// The server does not know the key.
    case unauthorized
    /// The server asked to wait, and the wait is not over.
    case waiting
    /// The server refused the events for good.
    case refused
    /// Sending is paused, disabled or over.
    case stopped
    /// The events could not be read from the disk.
    case unreadable
  }

  package var kind: Kind
  /// What happened, in words for a developer.
  package var message: String
  /// The HTTP status, when there was an answer.
  package var status: Int?
  /// How long the server asked to wait.
  package var retryAfter: Duration?

  package init(_ kind: Kind, _ message: String, status: Int? = nil, retryAfter: Duration? = nil) {
    self.kind = kind
    self.message = message
    self.status = status
    self.retryAfter = retryAfter
  }
}

/// What happens to the events of a batch in the log.
package enum EventDisposition: Sendable, Equatable {
  /// All leave the log; those at the given places are counted as rejected.
  case leaves(rejecting: [Int])
  /// All go back in place, except those at the given places: they leave and are counted as rejected.
  case returns(rejecting: [Int])
}

extension ResponseOutcome {
  /// What this outcome means for a batch of the given number of events.
  ///
  /// An event is given up only when it stood alone or the server named it; a larger batch goes back to be split.
  package func fate(ofEvents count: Int) -> EventDisposition {
    switch self {
    case .acknowledged(let rejected): return .leaves(rejecting: rejected)
    case .failed: return .returns(rejecting: [])
    case .refused, .tooLarge:
      if count == 1 { return .leaves(rejecting: [0]) }
      guard case .refused(let indexes, _) = self else { return .returns(rejecting: []) }
      return indexes.count == count ? .leaves(rejecting: indexes) : .returns(rejecting: indexes)
    }
  }

  /// Why the batch did not arrive whole, if it did not.
  package var failure: DeliveryFailure? {
    switch self {
    case .acknowledged: nil
    case .refused(_, let failure), .tooLarge(let failure), .failed(let failure): failure
    }
  }
}
