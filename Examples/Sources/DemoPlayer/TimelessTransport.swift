import Tern
import TernEvents

/// Leaves out what the device's clock shows now: a history is played with a clock of the past, which a collector would
/// take for a clock that is wrong, and set right.
struct TimelessTransport: Transport {
  let base: any Transport

  func send(_ request: TransportRequest) async -> TransportResult {
    var request = request
    request.headers[NativeProtocol.sentHeader] = nil
    return await base.send(request)
  }
}
