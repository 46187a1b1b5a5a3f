import AppCatalog
import Foundation
import HTTPTypes
import NIOCore
import Testing
import Warehouse

@Suite struct SymbolEndpointTests {
  /// A Mach-O file with a UUID, a text segment and a symbol in it.
  private static func sample(_ number: UInt8) -> [UInt8] {
    func words(_ values: UInt32...) -> [UInt8] {
      values.flatMap { value in (0..<4).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) } }
    }
    let segment =
      words(0x19, 72) + Array("__TEXT".utf8) + [UInt8](repeating: 0, count: 10) + words(0x1000, 0, 0x1000, 0)
      + words(0, 0, 0, 0, 5, 5, 0, 0)
    return words(0xFEED_FACF, 0x0100_000C, 0, 2, 3, 120, 0, 0) + words(0x1B, 24)
      + [UInt8](repeating: number, count: 16) + segment + words(2, 24, 152, 1, 168, 0) + words(0, 0x010F, 0x1800, 0)
  }

  @Test func `a file is uploaded, listed and deleted`() async throws {
    let fixture = try Fixture()
    try await fixture.routed { client in
      let address = "/api/v1/apps/1/symbols"
      let body = ByteBuffer(bytes: Self.sample(7))
      for result in ["new", "known"] {
        let response = try await client.execute(
          uri: "\(address)?name=Player", method: .post, headers: fixture.authorized, body: body)
        #expect(response.status == .ok, "\(String(buffer: response.body))")
        let stored = try #require((try object(response)["symbols"] as? [[String: Any]])?.first)
        #expect(stored["result"] as? String == result && stored["image"] as? String == "Player")
        #expect(stored["hasLines"] as? Bool == false && stored["bytes"] as? Int == Self.sample(7).count)
      }
      let list = try await client.execute(uri: address, method: .get, headers: fixture.authorized)
      let build = String(repeating: "07", count: 16)
      #expect((try object(list)["symbols"] as? [[String: Any]])?.map { $0["buildId"] as? String } == [build])
      for status in [HTTPResponse.Status.noContent, .notFound] {
        let deleted = try await client.execute(
          uri: "\(address)/\(build.uppercased())", method: .delete, headers: fixture.authorized)
        #expect(deleted.status == status)
      }
      #expect(try fixture.catalog.symbols(app: fixture.app.id).isEmpty)
      let entry = try fixture.catalog.audit(limit: 5).first { $0.action == "symbols uploaded" }
      #expect(entry?.actor.name == "token test")
    }
  }

  @Test func `a mapping is uploaded by version and build, listed and deleted`() async throws {
    let fixture = try Fixture()
    let mapping = ByteBuffer(string: "com.example.Player -> a.b:\n    1:2:void play():5:6 -> a\n")
    try await fixture.routed { client in
      let address = "/api/v1/apps/1/symbols"
      for (query, status, code) in [
        ("version=1.2", HTTPResponse.Status.badRequest, "invalid"), ("build=34", .badRequest, "invalid"),
        ("name=x", .badRequest, "not_symbols"),
      ] {
        let response = try await client.execute(
          uri: "\(address)?\(query)", method: .post, headers: fixture.authorized, body: mapping)
        #expect(try response.status == status && error(response)["code"] as? String == code)
      }
      let file = try await client.execute(
        uri: "\(address)?version=1.2&build=34", method: .post, headers: fixture.authorized,
        body: ByteBuffer(bytes: Self.sample(7)))
      #expect(try file.status == .badRequest && error(file)["code"] as? String == "not_mapping")
      for result in ["new", "known"] {
        let response = try await client.execute(
          uri: "\(address)?name=mapping.txt&version=1.2&build=34", method: .post, headers: fixture.authorized,
          body: mapping)
        let stored = try #require((try object(response)["symbols"] as? [[String: Any]])?.first)
        #expect(stored["result"] as? String == result && stored["buildId"] as? String == "1.2 (34)")
        #expect(stored["architecture"] as? String == "mapping" && stored["hasLines"] as? Bool == true)
      }
      for (query, status) in [
        ("version=1.2", HTTPResponse.Status.badRequest), ("version=1.2&build=35", .notFound),
        ("version=1.2&build=34", .noContent), ("version=1.2&build=34", .notFound),
      ] {
        let deleted = try await client.execute(
          uri: "\(address)?\(query)", method: .delete, headers: fixture.authorized)
        #expect(deleted.status == status, "\(query): \(String(buffer: deleted.body))")
      }
      #expect(try fixture.catalog.symbols(app: fixture.app.id).isEmpty)
    }
  }

  @Test func `what is no file with symbols is refused with what to do`() async throws {
    let fixture = try Fixture()
    let cases: [(bytes: [UInt8], encoding: String, status: HTTPResponse.Status, code: String)] = [
      (Array("hello".utf8), "identity", .badRequest, "not_symbols"), ([], "identity", .badRequest, "not_symbols"),
      (Array(Self.sample(1).prefix(140)), "identity", .badRequest, "damaged"),
      (Self.sample(1), "br", .unsupportedMediaType, "unsupported_encoding"),
      (Self.sample(1), "gzip", .badRequest, "invalid"),
    ]
    try await fixture.routed { client in
      for (bytes, encoding, status, code) in cases {
        var headers = fixture.authorized
        headers[.contentEncoding] = encoding
        let response = try await client.execute(
          uri: "/api/v1/apps/1/symbols", method: .post, headers: headers, body: ByteBuffer(bytes: bytes))
        let answer = try error(response)["code"] as? String
        #expect(response.status == status && answer == code)
      }
    }
    #expect(try fixture.catalog.symbols(app: fixture.app.id).isEmpty)
  }

  @Test func `slow uploads of an app refuse its further files, but not those of another app`() async throws {
    let fixture = try Fixture()
    let other = try fixture.catalog.createApp(name: "Other").id
    let (body, app) = (Self.sample(1), fixture.app.id)
    @Sendable func head(_ app: AppID, _ more: String = "") -> String {
      "POST /api/v1/apps/\(app)/symbols HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(fixture.token)\r\n"
        + "Content-Length: \(body.count)\r\nConnection: close\r\n\(more)\r\n"
    }
    try await fixture.running { port in
      @Sendable func upload(_ app: AppID) async throws -> String {
        try await RawConnection.open(to: port) { connection in
          try await connection.send(Array(head(app).utf8) + body)
          return try await connection.receiveToEnd()
        }
      }
      /// Begins an upload, and ends it after `action`.
      @Sendable func slowly(_ action: () async throws -> Void) async throws {
        try await RawConnection.open(to: port) { connection in
          try await connection.send(head(app, "Expect: 100-continue\r\n"))
          // The server wants the body, so the upload has its place.
          _ = try await connection.receive(until: "100 Continue\r\n\r\n")
          try await connection.send(Array(body.prefix(9)))
          try await action()
          try await connection.send(Array(body.dropFirst(9)))
          #expect(try await connection.receiveToEnd().contains("HTTP/1.1 200 OK"))
        }
      }
      try await slowly {
        try await slowly {
          let refused = try await upload(app)
          #expect(refused.contains(" 503 ") && refused.contains("too_many_uploads"))
          #expect(refused.lowercased().contains("retry-after: 60"))
          #expect(try await upload(other).contains("HTTP/1.1 200 OK"))
        }
        #expect(try await upload(app).contains("HTTP/1.1 200 OK"), "the place of the finished upload is free")
      }
    }
    #expect(try fixture.catalog.symbols(app: other).count == 1)
  }
}
