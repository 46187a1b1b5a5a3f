package import Tern
import TernDelivery
package import TernEvents

extension DispatchMachine.Outcome {
  /// What came of a request whose oldest hit is `first`.
  package init(_ result: TransportResult, first: UniqueID, now: Timestamp) {
    switch result {
    case .failure(let failure) where failure.kind == .offline: self = .offline
    case .failure: self = .failed(retryAfter: nil)
    case .response(let response): self.init(response, first, now)
    }
  }

  private init(_ response: TransportResponse, _ first: UniqueID, _ now: Timestamp) {
    switch response.status {
    // A page is nobody's acknowledgement: most likely a network asks its user to sign in.
    case 200..<300: self = response.isPage ? .failed(retryAfter: nil) : .delivered
    // These speak of the address, not of the hits: dropping some would help nobody.
    case ..<400, 401, 403, 404, 405, 407, 410, 421, 451: self = .failed(retryAfter: nil)
    case 408, 425, 426, 429, 500...: self = .failed(retryAfter: response.retryAfter(now))
    default: self = .refused(first: first)
    }
  }
}

extension TransportResponse {
  fileprivate var isPage: Bool {
    if let type = headers["content-type"]?.lowercased(), type.hasPrefix("text/html") { return true }
    return body.first { $0 > 0x20 } == UInt8(ascii: "<")
  }

  fileprivate func retryAfter(_ now: Timestamp) -> Duration? {
    headers["retry-after"].flatMap { RetryAfter.parse($0, now: headers["date"].flatMap(RetryAfter.date) ?? now) }
  }
}
