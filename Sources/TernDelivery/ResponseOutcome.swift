package import TernValues

/// The meaning of the response to a batch.
package enum ResponseOutcome: Sendable, Equatable {
  /// The server stored every event durably, except the permanently rejected ones at these indexes in the batch.
  case acknowledged(rejected: [Int])
  /// The server permanently refused the batch because of the events at these indexes; empty if it named none.
  case refused(at: [Int], DeliveryError)
  /// The body was too large for the server.
  case tooLarge(DeliveryError)
  /// No event is known to have arrived; they are kept and resent later.
  case failed(DeliveryError)
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
  package var failure: DeliveryError? {
    switch self {
    case .acknowledged: nil
    case .refused(_, let failure), .tooLarge(let failure), .failed(let failure): failure
    }
  }
}
