import HTTPTypes
import Hummingbird
import NIOCore

/// Collects the body of a response.
struct CollectedBody: ResponseBodyWriter {
  private final class Storage { var bytes = ByteBuffer() }
  private let storage = Storage()

  /// Returns all bytes of a body.
  static func bytes(of body: ResponseBody) async throws -> ByteBuffer {
    let writer = CollectedBody()
    try await body.write(writer)
    return writer.storage.bytes
  }

  mutating func write(_ buffer: ByteBuffer) {
    var buffer = buffer
    if storage.bytes.readableBytes == 0 { storage.bytes = buffer } else { storage.bytes.writeBuffer(&buffer) }
  }

  consuming func finish(_ trailingHeaders: HTTPFields?) {}
}
