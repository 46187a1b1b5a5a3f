/// The meaning of the response to a batch.
package enum ResponseOutcome: Sendable, Equatable {
  /// The server stored every event durably, except the permanently rejected ones at these indexes in the batch.
  case acknowledged(rejected: [Int])
  /// The server permanently refused the batch because of the events at these indexes; empty if it named none.
  case refused(at: [Int], DeliveryFailure)
  /// The body was too large for the server.
  case tooLarge(DeliveryFailure)
  /// No event is known to have arrived; they are kept and resent later.
  case failed(DeliveryFailure)
}

/// The reason why a batch was not delivered.
package struct DeliveryFailure: Error, Sendable, Equatable {
  /// The kinds of failure.
  package enum Kind: Sendable, Equatable {
    /// There is no network or no route to the server.
    case offline
    /// The connection failed or was interrupted.
    case connection
    /// The request timed out.
    case timedOut
    /// The server answered with a temporary error.
    case server
    /// The response does not follow the protocol: it may come from a captive portal, a proxy or another server.
    case notAcknowledged
    /// The server does not accept the key.
    case unauthorized
    /// The server asked the client to wait, and the wait is not over.
    case waiting
    /// The server permanently refused the events.
    case refused
    /// Sending is paused or disabled, or the client was shut down.
    case stopped
    /// The events cannot be read from or written to the disk at the moment.
    case unreadable
  }

  package var kind: Kind
  /// A description for developers.
  package var message: String
  /// The HTTP status, if the server responded.
  package var status: Int?
  /// The server's requested wait, if any.
  package var retryAfter: Duration?

  package init(_ kind: Kind, _ message: String, status: Int? = nil, retryAfter: Duration? = nil) {
    self.kind = kind
    self.message = message
    self.status = status
    self.retryAfter = retryAfter
  }
}

/// A decision about a batch's events in the log.
package enum EventDisposition: Sendable, Equatable {
  /// Remove all events; those at the given indexes count as rejected.
  case remove(rejecting: [Int])
  /// Return all events to their positions in the queue, except those at the given indexes, which count as rejected.
  case requeue(rejecting: [Int])
  /// Keep the claim until the batch is resent or released.
  case keep
}

extension ResponseOutcome {
  /// The disposition of a batch with the given number of events, unless its machine keeps it.
  ///
  /// An event is rejected only if it was alone or the server named it; a larger batch is requeued and split.
  package func disposition(ofEvents count: Int) -> EventDisposition {
    switch self {
    case .acknowledged(let rejected): return .remove(rejecting: rejected)
    case .failed: return .requeue(rejecting: [])
    case .refused, .tooLarge:
      if count == 1 { return .remove(rejecting: [0]) }
      guard case .refused(let indexes, _) = self else { return .requeue(rejecting: []) }
      return indexes.count == count ? .remove(rejecting: indexes) : .requeue(rejecting: indexes)
    }
  }

  /// The reason why the batch was not acknowledged, if it was not.
  package var failure: DeliveryFailure? {
    switch self {
    case .acknowledged: nil
    case .refused(_, let failure), .tooLarge(let failure), .failed(let failure): failure
    }
  }
}
