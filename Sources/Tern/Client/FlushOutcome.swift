import TernDelivery
public import TernValues

/// The result of a flush.
public enum FlushOutcome: Sendable, Hashable {
  /// All events that were waiting have been sent; the count excludes duplicates.
  case sent(Int)
  /// Nothing was waiting.
  case nothingToSend
  /// Some waiting events were not delivered; Tern keeps trying unless the error code is `refused`.
  case failed(DeliveryError)
  /// There is no network; waiting events are sent when it returns.
  case offline
  /// The deadline passed; the given number of events is still queued or in flight.
  case outOfTime(left: Int)

  init(_ result: DeliveryMachine.FlushResult) {
    switch result {
    case .sent(let count): self = .sent(count)
    case .nothingToSend: self = .nothingToSend
    case .failed(let failure): self = failure.code == .offline ? .offline : .failed(failure)
    }
  }
}
