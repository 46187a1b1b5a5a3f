import Foundation
import HTTPTypes
import Ingest
import NIOCore
import Testing
import Warehouse
import WarehouseSQLite

/// Tests `/collect` and `/batch` as Measurement Protocol clients use them.
@Suite struct MeasurementEndpointTests {
  private func hit(_ fixture: Fixture, _ action: String, z: Int = 1) -> String {
    "v=1&tid=\(fixture.app.trackingID)&cid=35009a79-1a05-49d7-b876-2b884d0f825b&t=event&ec=Video&ea=\(action)&z=\(z)"
  }

  private func expectPicture(_ response: TestResponse) {
    #expect(response.status == .ok)
    #expect(response.headers[.contentType] == "image/gif")
    #expect(response.body.readableBytes == 35)
    #expect(response.body.getString(at: 0, length: 6) == "GIF89a")
    #expect(response.headers[.accessControlAllowOrigin] == "*")
    #expect(response.headers[.cacheControl] == "private, no-cache, no-cache=Set-Cookie, proxy-revalidate")
    #expect(HTTPField.Name("Pragma").flatMap { response.headers[$0] } == "no-cache")
  }

  @Test func `hits arrive in the query, in the body and several in one request`() async throws {
    let fixture = try Fixture()
    try await fixture.routed { client in
      expectPicture(try await client.execute(uri: "/collect?\(hit(fixture, "One", z: 1))", method: .get))
      expectPicture(
        try await client.execute(uri: "/collect", method: .post, body: ByteBuffer(string: hit(fixture, "Two", z: 2))))
      expectPicture(try await client.execute(uri: "/collect?\(hit(fixture, "Three", z: 3))", method: .post))
      let lines = hit(fixture, "Four", z: 4) + "\n" + hit(fixture, "Five", z: 5)
      expectPicture(try await client.execute(uri: "/batch", method: .post, body: ByteBuffer(string: lines)))
    }
    #expect(fixture.warehouse.names == ["One", "Two", "Three", "Four", "Five"])
  }

  @Test(arguments: ["", "v=1", "nonsense", "v=1&tid=UA-0-0&cid=1&t=event&ec=a&ea=b", "%%%", "v=2&t=event"])
  func `broken hits and unknown properties get the usual response, and are not stored`(body: String) async throws {
    let fixture = try Fixture()
    try await fixture.routed { client in
      expectPicture(try await client.execute(uri: "/collect", method: .post, body: ByteBuffer(string: body)))
      let metrics = String(
        buffer: try await client.execute(uri: "/metrics", method: .get, headers: fixture.authorized).body)
      #expect(metrics.contains("tern_unknown_app_total{protocol=\"measurement\"} 1"))
    }
    #expect(fixture.warehouse.names.isEmpty)
  }

  @Test func `hits beyond the limits count as dropped events of their app`() async throws {
    let fixture = try Fixture()
    let long = hit(fixture, "Long") + "&cd=" + String(repeating: "x", count: 9_000)
    try await fixture.routed { client in
      let lines = (1...25).map { hit(fixture, "Play", z: $0) }.joined(separator: "\n")
      expectPicture(try await client.execute(uri: "/batch", method: .post, body: ByteBuffer(string: lines)))
      expectPicture(try await client.execute(uri: "/collect", method: .post, body: ByteBuffer(string: long)))
      expectPicture(try await client.execute(uri: "/collect?\(long)", method: .get))
      let metrics = String(
        buffer: try await client.execute(uri: "/metrics", method: .get, headers: fixture.authorized).body)
      #expect(metrics.contains("tern_unknown_app_total{protocol=\"measurement\"} 0"))
      #expect(metrics.contains("tern_events_total{protocol=\"measurement\",outcome=\"rejected\"} 7"))
    }
    #expect(fixture.warehouse.names.count == 20)
    #expect(fixture.warehouse.apps == [fixture.app.id, fixture.app.id, fixture.app.id])
    let reasons = fixture.warehouse.batches.map { $0.rejections.map(\.reason) }
    #expect(reasons == [Array(repeating: "too_many_hits", count: 5), ["event_too_large"], ["event_too_large"]])
  }

  @Test func `a hit that cannot be stored gets a 503, so that the client keeps it`() async throws {
    let fixture = try Fixture()
    fixture.warehouse.fail(with: WarehouseError(.unavailable, "gone"))
    try await fixture.routed { client in
      let response = try await client.execute(uri: "/collect?\(hit(fixture, "One"))", method: .get)
      #expect(response.status == .serviceUnavailable)
      #expect(response.headers[.retryAfter] == "5")
    }
  }

  @Test func `a HEAD request of a link checker is not counted`() async throws {
    let fixture = try Fixture()
    try await fixture.routed { client in
      let response = try await client.execute(uri: "/collect?\(hit(fixture, "One"))", method: .head)
      #expect(response.status == .ok)
      #expect(response.body.readableBytes == 0)
    }
    #expect(fixture.warehouse.names.isEmpty)
  }

  @Test(arguments: ["/collect", "/r/collect", "/j/collect"])
  func `every hit endpoint responds with the image`(path: String) async throws {
    let fixture = try Fixture()
    try await fixture.routed { client in
      expectPicture(try await client.execute(uri: "\(path)?\(hit(fixture, "One", z: 1))", method: .get))
      expectPicture(
        try await client.execute(uri: path, method: .post, body: ByteBuffer(string: hit(fixture, "Two", z: 2))))
      expectPicture(try await client.execute(uri: path, method: .post, body: ByteBuffer(bytes: [0, 255, 1, 254])))
    }
    #expect(fixture.warehouse.names == ["One", "Two"])
  }

  @Test func `a hit of 8192 bytes is stored, a longer one is dropped and counted`() async throws {
    let fixture = try Fixture()
    let start = hit(fixture, "Long") + "&odd="
    try await fixture.routed { client in
      for length in [8_192, 8_193] {
        let body = start + String(repeating: "x", count: length - start.utf8.count)
        expectPicture(try await client.execute(uri: "/collect", method: .post, body: ByteBuffer(string: body)))
      }
    }
    #expect(fixture.warehouse.names == ["Long"])
    #expect(fixture.warehouse.batches.flatMap { $0.rejections.map(\.reason) } == ["event_too_large"])
  }

  @Test func `twenty of twenty-one lines are processed, one is counted as dropped, and blank ones are ignored`()
    async throws
  {
    let fixture = try Fixture()
    try await fixture.routed { client in
      for (separator, number) in [("\n", 21), ("\r\n", 21), ("\n\n \n", 20)] {
        let lines = (1...number).map { hit(fixture, "Play", z: $0) }.joined(separator: separator)
        expectPicture(
          try await client.execute(uri: "/batch", method: .post, body: ByteBuffer(string: lines + separator)))
      }
    }
    #expect(fixture.warehouse.batches.map(\.events.count) == [20, 20, 20])
    #expect(
      fixture.warehouse.batches.map { $0.rejections.map(\.reason) } == [["too_many_hits"], ["too_many_hits"], []])
  }

  @Test func `a compressed body is accepted, and a bomb is refused at the limit`() async throws {
    let fixture = try Fixture()
    try await fixture.routed { client in
      expectPicture(
        try await client.execute(
          uri: "/collect", method: .post, headers: [.contentEncoding: "gzip"],
          body: ByteBuffer(bytes: storedGzip(Array(hit(fixture, "One").utf8)))))
      // A thousand times its size. `BodyDecoderTests` checks that the decoded size never exceeds the limit.
      let bomb = try await client.execute(
        uri: "/collect", method: .post, headers: [.contentEncoding: "gzip"],
        body: ByteBuffer(bytes: GzipBomb.bytes(megabytes: 64)))
      #expect(bomb.status == .contentTooLarge)
    }
    #expect(fixture.warehouse.names == ["One"])
    #expect(fixture.warehouse.batches.flatMap { $0.rejections }.isEmpty)
  }

  @Test func `a damaged or oversized compressed body of a debug hit is the client's error, without a line in the log`()
    async throws
  {
    let fixture = try Fixture()
    try await fixture.routed { client in
      let damaged = try await client.execute(
        uri: "/debug/collect", method: .post, headers: [.contentEncoding: "gzip"],
        body: ByteBuffer(bytes: [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 0xFF, 0xFF, 0xFF]))
      #expect(damaged.status == .badRequest)
      #expect(try ["undecodable", "incomplete"].contains(error(damaged)["code"] as? String))
      #expect(damaged.headers[.accessControlAllowOrigin] == "*")
      let bomb = try await client.execute(
        uri: "/debug/collect", method: .post, headers: [.contentEncoding: "gzip"],
        body: ByteBuffer(bytes: GzipBomb.bytes(megabytes: 8)))
      #expect(bomb.status == .contentTooLarge)
    }
    #expect(fixture.log.messages.isEmpty)
  }

  @Test func `a hit sent for validation is checked and not stored`() async throws {
    let fixture = try Fixture()
    try await fixture.routed { client in
      let bad = try await client.execute(uri: "/debug/collect?tid=fake&v=1", method: .get)
      #expect(bad.status == .ok)
      #expect(String(buffer: bad.body).contains("/debug/collect?tid=fake\\u0026v=1"))
      let badHit = try #require((try object(bad)["hitParsingResult"] as? [[String: Any]])?.first)
      #expect(badHit["valid"] as? Bool == false)
      let messages = try #require(badHit["parserMessage"] as? [[String: Any]])
      #expect(messages.contains { $0["messageType"] as? String == "ERROR" && $0["parameter"] as? String == "tid" })
      #expect(bad.headers[.accessControlAllowOrigin] == "*")
      #expect(try await client.execute(uri: "/debug/collect", method: .options).status == .noContent)
      let good = try await client.execute(
        uri: "/debug/collect", method: .post, body: ByteBuffer(string: hit(fixture, "One")))
      let goodHit = try #require((try object(good)["hitParsingResult"] as? [[String: Any]])?.first)
      #expect(goodHit["valid"] as? Bool == true)
      #expect((goodHit["parserMessage"] as? [[String: Any]])?.isEmpty == true)
      let whole = try #require(try object(good)["parserMessage"] as? [[String: Any]])
      #expect(whole.first?["description"] as? String == "Found 1 hit in the request.")
    }
    #expect(fixture.warehouse.batches.isEmpty)
  }
}
