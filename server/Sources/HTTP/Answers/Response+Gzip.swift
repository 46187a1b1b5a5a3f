import HTTPTypes
package import Hummingbird
import NIOCore
import TernBase
import TernGzip

extension Request {
  /// True if the client takes gzip: `Accept-Encoding` names it, and not with the weight 0.
  package var acceptsGzip: Bool {
    let codings = (headers[.acceptEncoding] ?? "").lowercased().split(separator: ",")
    return codings.contains { coding in
      let parts = coding.split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" } }
      guard let name = parts.first, name == "gzip" || name == "x-gzip" else { return false }
      return !parts.dropFirst().contains { $0.wholeMatch(of: /q=0(\.0*)?/) != nil }
    }
  }
}

extension Response {
  /// The shortest page that is compressed, in bytes: shorter ones fit into one packet anyway.
  private static let leastCompressed = 1_024

  /// Returns the response with its page compressed, if the client takes that and it is worth it.
  package func compressed(for request: Request) async throws -> Response {
    guard headers[.contentType]?.hasPrefix("text/html") == true, headers[.contentEncoding] == nil,
      body.contentLength ?? 0 >= Self.leastCompressed, request.acceptsGzip, let stream = GzipStream(level: 1)
    else { return self }
    let page = Locked<[UInt8]>([])
    try await body.write(PageWriter(page: page))
    var response = self
    response.body = ResponseBody(byteBuffer: ByteBuffer(bytes: stream.finish(page.withLock(\.self))))
    response.headers[.contentEncoding] = "gzip"
    response.headers[.vary] = "Accept-Encoding"
    return response
  }
}

/// Collects the bytes of a page, which is in memory anyway.
private struct PageWriter: ResponseBodyWriter {
  let page: Locked<[UInt8]>

  func write(_ buffer: ByteBuffer) async throws { page.withLock { $0 += buffer.readableBytesView } }

  func finish(_ trailingHeaders: HTTPFields?) async throws {}
}
