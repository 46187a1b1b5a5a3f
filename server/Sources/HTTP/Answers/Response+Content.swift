package import HTTPTypes
package import Hummingbird
import NIOCore

extension Response {
  /// Creates a JSON response that is not cached.
  package static func json(_ bytes: [UInt8], status: HTTPResponse.Status = .ok) -> Response {
    Response(
      status: status, headers: [.contentType: "application/json", .cacheControl: "no-store"],
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
  }

  /// Creates a page that is not cached.
  package static func html(_ text: String, status: HTTPResponse.Status = .ok) -> Response {
    Response(
      status: status,
      headers: [
        .contentType: "text/html; charset=utf-8", .cacheControl: "no-store", .referrerPolicy: "same-origin",
      ],
      body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
  }
}
