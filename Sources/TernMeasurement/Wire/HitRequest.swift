package import Foundation
package import Tern
package import TernLog

/// A request for the oldest of some claimed hits.
package struct HitRequest: Sendable {
  /// The request.
  package var request: TransportRequest
  /// The number of hits that it carries, from the first one on.
  package var hits: Int
}

extension HitRequest {
  /// The most bytes of a batch.
  package static let maximumBatchBytes = 16_384
  /// The most bytes of parameters in an address.
  package static let maximumAddressBytes = 2000

  /// Creates a request of the Measurement Protocol, version 1.
  ///
  /// One hit goes by `GET` when its address is short enough, else by `POST`; several go as one batch.
  package init?(
    _ records: [LogRecord], to collector: URL, at time: QueueTime, userAgent: String, timeout: Duration
  ) {
    let lines = Self.fitting(records.map { HitPayload.line($0.payload, queueTime: time.milliseconds(of: $0)) })
    guard let first = lines.first else { return nil }
    var headers = ["User-Agent": userAgent]
    hits = lines.count
    if lines.count == 1, first.count <= Self.maximumAddressBytes {
      request = TransportRequest(
        url: collector.endpoint("collect", query: String(decoding: first, as: UTF8.self)), headers: headers, body: [],
        timeout: timeout, method: .get)
    } else {
      headers["Content-Type"] = "application/x-www-form-urlencoded"
      request = TransportRequest(
        url: collector.endpoint(lines.count == 1 ? "collect" : "batch"), headers: headers,
        body: Array(lines.joined(separator: [UInt8(ascii: "\n")])), timeout: timeout)
    }
  }

  /// As many as a batch takes, but at least one.
  private static func fitting(_ lines: [[UInt8]]) -> ArraySlice<[UInt8]> {
    var bytes = -1
    let end = lines.firstIndex { line in
      bytes += line.count + 1
      return bytes > maximumBatchBytes
    }
    return lines[..<max(min(end ?? lines.count, DispatchMachine.maximumHits), min(lines.count, 1))]
  }
}

extension URL {
  /// An endpoint below the address, whatever slash, query or fragment that has; `query` is encoded already.
  func endpoint(_ name: String, query: String? = nil) -> URL {
    guard var parts = URLComponents(url: self, resolvingAgainstBaseURL: true) else { return self }
    while parts.path.hasSuffix("/") { parts.path.removeLast() }
    parts.path += "/" + name
    parts.percentEncodedQuery = query
    parts.fragment = nil
    return parts.url ?? self
  }

  /// True if requests can be sent there.
  package var isUsableCollector: Bool {
    let scheme = scheme?.lowercased()
    return (scheme == "http" || scheme == "https") && host?.isEmpty == false
  }
}
