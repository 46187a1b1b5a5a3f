import Tern
import TernDelivery
import TernEvents

/// A request between the device and the collector.
struct OpenRequest {
  let process: Int
  let batch: DeliveryMachine.BatchID
  let request: TransportRequest
  /// Its events, as indices of `ExpectedState`.
  let places: [Int]
  let bytes: Int
  let sentAt: Duration
  /// The round of failures in which it was started.
  let round: Int
  let fate: Fate
  /// Its events were erased meanwhile.
  var isVoid = false
  /// The process that sent it is gone.
  var isOrphan = false
  /// There was a network to send it to.
  var hasLeft = true
  /// It has left the device and may yet arrive.
  var isOnItsWay = true
  var reply: SimulatedCollector.Reply?
  var result: TransportResult?

  /// The effect of the network on it.
  enum Fate {
    case answered
    /// Nothing comes back, and nothing arrived.
    case lost
    /// The connection is cut before the collector has it.
    case resetBefore
    /// The connection is cut before the answer is back.
    case resetAfter
    /// The answer takes long, or longer than the client waits.
    case slow
    /// A proxy on the way answers with an error.
    case error(Int)
  }
}

/// A wait that the collector asked for.
struct Hold {
  /// The true time at which it is over.
  var until: Duration
  var wait: Duration
  /// The boot in which it was asked for: after another one only the wall clock tells how long ago that was.
  let boot: UniqueID
  /// The client has written it down for certain.
  var isKept: Bool
}

/// The bytes sent without success since the collector last answered a batch or a health probe.
struct Outage {
  var sent = 0
  var queued = 0
}
