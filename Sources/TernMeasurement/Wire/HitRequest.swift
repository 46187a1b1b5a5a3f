package import Foundation
package import Tern
package import TernLog

/// A request with the oldest of some claimed hits.
package struct HitRequest: Sendable {
  /// The request.
  package var request: TransportRequest
  /// The number of hits that it carries.
  package var hits: Int
}

extension HitRequest {
  /// The maximum size of a batch, in bytes.
  package static let maximumBatchBytes = 16_384
  /// The maximum size of the parameters in a URL, in bytes.
  package static let maximumAddressBytes = 2000

  /// Creates a request of the Measurement Protocol, version 1.
  ///
  /// A single hit is sent by `GET` if its URL is short enough, otherwise by `POST`; several are sent as a batch.
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

  /// The lines that fit into a batch, but at least one.
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
  /// An endpoint below this URL, ignoring its trailing slash, query and fragment; `query` must be percent-encoded.
  func endpoint(_ name: String, query: String? = nil) -> URL {
    guard var parts = URLComponents(url: self, resolvingAgainstBaseURL: true) else { return self }
    while parts.path.hasSuffix("/") { parts.path.removeLast() }
    parts.path += "/" + name
    parts.percentEncodedQuery = query
    parts.fragment = nil
    return parts.url ?? self
  }

  /// True if the URL is usable as a collector's.
  package var isUsableCollector: Bool {
    let scheme = scheme?.lowercased()
    return (scheme == "http" || scheme == "https") && host?.isEmpty == false
  }
}
