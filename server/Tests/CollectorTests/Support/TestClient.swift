import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import NIOEmbedded
import TernBase

@testable import HTTP
@testable import TernServer

/// The response to a ``TestClient``, with its whole body.
struct TestResponse: Sendable {
  let status: HTTPResponse.Status
  let headers: HTTPFields
  let body: ByteBuffer
}

/// Calls a collector's routes with their middleware, without a socket.
///
/// HummingbirdTesting does the same, but brings an HTTP client with HTTP/2 into the build.
struct TestClient: Sendable {
  /// A request's body comes in parts of this size.
  private static let partBytes = 32 << 10

  let responder: RouterResponder<CollectorContext>
  let logger: Logger

  init(_ collector: CollectorApplication, logger: Logger) {
    (responder, self.logger) = (collector.responder, logger)
  }

  /// Runs a test with the client.
  func use<Value>(_ body: @Sendable (TestClient) async throws -> Value) async throws -> Value { try await body(self) }

  /// Sends a request and waits for the end of the response.
  func execute(
    uri: String, method: HTTPRequest.Method, headers: HTTPFields = [:], body: ByteBuffer? = nil
  ) async throws -> TestResponse {
    var headers = headers
    if let body { headers[.contentLength] = String(body.readableBytes) }
    let (parts, source) = AsyncStream.makeStream(of: ByteBuffer.self)
    var rest = body ?? ByteBuffer()
    while let part = rest.readSlice(length: min(Self.partBytes, rest.readableBytes)), part.readableBytes > 0 {
      source.yield(part)
    }
    source.finish()
    let request = Request(
      head: HTTPRequest(method: method, scheme: "http", authority: "localhost", path: uri, headerFields: headers),
      body: RequestBody(asyncSequence: parts))
    let context = CollectorContext(
      source: ApplicationRequestContextSource(channel: NIOAsyncTestingChannel(), logger: logger))
    let response = try await responder.respond(to: request, context: context)
    let writer = CollectingWriter()
    try await response.body.write(writer)
    return TestResponse(status: response.status, headers: response.headers, body: writer.body.withLock(\.self))
  }
}

/// Keeps what is written to it.
private struct CollectingWriter: ResponseBodyWriter {
  let body = Locked(ByteBuffer())

  func write(_ buffer: ByteBuffer) async throws { _ = body.withLock { $0.writeImmutableBuffer(buffer) } }

  func finish(_ trailers: HTTPFields?) async throws {}
}
