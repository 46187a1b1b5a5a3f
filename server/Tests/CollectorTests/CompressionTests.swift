import HTTPTypes
import NIOCore
import TernBase
import TernGzip
import Testing

@testable import HTTP
@testable import Symbols
@testable import TernServer

/// Pages of reports travel compressed; pages that may show secrets don't.
@Suite struct CompressionTests {
  @Test(arguments: ["/apps/1/overview", "/apps/1/explore", "/apps/1/dashboards"])
  func `a page of figures is compressed for browsers that take gzip`(path: String) async throws {
    let fixture = try Fixture()
    let cookie = try fixture.cookie()
    try await fixture.routed { client in
      let plain = try await client.execute(uri: path, method: .get, headers: [.cookie: cookie])
      #expect(plain.status == .ok && plain.headers[.contentEncoding] == nil)
      let headers: HTTPFields = [.cookie: cookie, .acceptEncoding: "gzip, deflate, br, zstd"]
      let packed = try await client.execute(uri: path, method: .get, headers: headers)
      #expect(packed.headers[.contentEncoding] == "gzip" && packed.headers[.vary] == "Accept-Encoding")
      #expect(packed.headers[.contentType] == plain.headers[.contentType])
      #expect(packed.body.readableBytes < plain.body.readableBytes / 2)
      #expect(try inflated([UInt8](buffer: packed.body)) == [UInt8](buffer: plain.body))
    }
  }

  @Test(arguments: ["/account", "/tokens", "/users", "/apps/1/setup", "/apps/1/settings"])
  func `a page that may show secrets is sent as it is`(path: String) async throws {
    let fixture = try Fixture()
    let headers: HTTPFields = [.cookie: try fixture.cookie(), .acceptEncoding: "gzip"]
    try await fixture.routed { client in
      let page = try await client.execute(uri: path, method: .get, headers: headers)
      #expect(page.status == .ok && page.body.readableBytes > 1_024)
      #expect(page.headers[.contentEncoding] == nil)
    }
  }
}

/// Returns what gzip has compressed; throws if it isn't whole.
func inflated(_ bytes: [UInt8]) throws -> [UInt8] {
  let inflater = GzipInflater()
  var text: [UInt8] = []
  try bytes.withUnsafeBytes { try inflater.inflate($0) { text += $0 } }
  try inflater.checkEnd()
  return text
}
