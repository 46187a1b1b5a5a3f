import Tern
import TernEvents

/// Omits the device's current time from requests: a history is played with a clock in the past, which the collector
/// would correct as a wrong clock.
struct TimelessTransport: Transport {
  let base: any Transport

  func send(_ request: TransportRequest) async -> TransportResult {
    var request = request
    request.headers[NativeProtocol.sentHeader] = nil
    return await base.send(request)
  }
}
