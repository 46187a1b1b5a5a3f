/// The meaning of the answer to one batch.
package enum ResponseOutcome: Sendable, Equatable {
  /// The server stored every event durably, except those it refused for good, given by their places in the batch.
  case acknowledged(rejected: [Int])
  /// The server refused the batch for good because of the events at these places; empty if it did not name any.
  case refused(at: [Int], DeliveryFailure)
  /// The body was too large for the server.
  case tooLarge(DeliveryFailure)
  /// Nothing is known to have arrived; the events stay and are resent after a pause.
  case failed(DeliveryFailure)
}

/// The reason why a batch did not arrive.
package struct DeliveryFailure: Error, Sendable, Equatable {
  /// The kinds of failure.
  package enum Kind: Sendable, Equatable {
    /// There is no network, or no route to the server.
    case offline
    /// The connection failed or was cut.
    case connection
    /// The request timed out.
    case timedOut
    /// The server answered with a temporary error.
    case server
    /// The answer does not follow the protocol: a captive portal, a proxy, another server.
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
  /// A description for developers.
  package var message: String
  /// The HTTP status, if the server answered.
  package var status: Int?
  /// The wait that the server asked for.
  package var retryAfter: Duration?

  package init(_ kind: Kind, _ message: String, status: Int? = nil, retryAfter: Duration? = nil) {
    self.kind = kind
    self.message = message
    self.status = status
    self.retryAfter = retryAfter
  }
}

/// The treatment of a batch's events in the log.
package enum EventDisposition: Sendable, Equatable {
  /// All leave the log; those at the given places count as rejected.
  case remove(rejecting: [Int])
  /// All return to their places, except those at the given places: they leave and count as rejected.
  case requeue(rejecting: [Int])
  /// The batch keeps them until it is resent or released.
  case keep
}

extension ResponseOutcome {
  /// The treatment of a batch of the given number of events, unless its machine keeps it.
  ///
  /// An event is given up only when it stood alone or the server named it; a larger batch is requeued and split.
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

  /// The reason why the batch did not arrive whole, if it did not.
  package var failure: DeliveryFailure? {
    switch self {
    case .acknowledged: nil
    case .refused(_, let failure), .tooLarge(let failure), .failed(let failure): failure
    }
  }
}
