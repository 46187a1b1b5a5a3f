import Tern
import TernDelivery
import TernEvents

/// A request in transit between the device and the collector.
struct OpenRequest {
  let process: Int
  let batch: DeliveryMachine.BatchID
  let request: TransportRequest
  /// Its events, as indices into `ExpectedState`.
  let places: [Int]
  let bytes: Int
  let sentAt: Duration
  /// The failure generation in which it was started.
  let failureGeneration: Int
  let effect: NetworkEffect
  /// True if its events were erased in the meantime.
  var isVoid = false
  /// True if the process that sent it has ended.
  var isOrphan = false
  /// True if there was a network to send it.
  var hasLeft = true
  /// True if it has left the device and may still arrive.
  var isOnItsWay = true
  var reply: SimulatedCollector.Reply?
  var result: TransportResult?

  /// The treatment of the request by the network.
  enum NetworkEffect {
    case answered
    /// Neither the request nor a response arrives.
    case lost
    /// The connection is reset before the collector has the request.
    case resetBefore
    /// The connection is reset before the response is back.
    case resetAfter
    /// The response takes long, perhaps longer than the client's timeout.
    case slow
    /// A proxy on the way responds with an error.
    case error(Int)
  }
}

/// A wait requested by the collector.
struct Hold {
  /// The true time at which it ends.
  var until: Duration
  var wait: Duration
  /// The boot in which it was requested; after another boot, only the wall clock measures the elapsed time.
  let boot: UniqueID
  /// True if the client has certainly saved it.
  var isKept: Bool
}

/// The bytes sent without success since the collector last answered a batch or a health probe.
struct Outage {
  var sent = 0
  var queued = 0
}
