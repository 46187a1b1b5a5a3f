import Foundation
import HTTPTypes
import Ingest
import NIOCore
import TernBase
import TernEvents
import Testing
import Warehouse
import WarehouseSQLite

@testable import HTTP
@testable import Ingestion
@testable import TernServer

/// Tests `POST /v1/events` as clients use it.
@Suite struct NativeEndpointTests {
  @Test func `events are answered one by one: accepted, duplicate, rejected`() async throws {
    let fixture = try Fixture()
    try await fixture.routed { client in
      let body = [line("Play", id: 1), line("Stop", id: 2), line("", id: 3)].joined(separator: "\n")
      let first = try await client.execute(
        uri: "/v1/events", method: .post, headers: fixture.keyed, body: ByteBuffer(string: body))
      #expect(first.status == .ok)
      #expect(first.headers[.contentType] == "application/json")
      let answer = try object(first)
      #expect(answer["accepted"] as? Int == 2)
      #expect(answer["duplicates"] as? [Int] == [])
      let rejected = try #require((answer["rejected"] as? [[String: Any]])?.first)
      #expect(rejected["index"] as? Int == 2)
      #expect(rejected["reason"] as? String == "name_missing")
      #expect(rejected["id"] as? String == "01900000-0000-7000-8000-000000000003")
      #expect((rejected["message"] as? String)?.isEmpty == false)

      let again = try await client.execute(
        uri: "/v1/events", method: .post, headers: [.authorization: "Bearer \(fixture.app.key)"],
        body: ByteBuffer(string: body))
      #expect(try object(again)["accepted"] as? Int == 0)
      #expect(try object(again)["duplicates"] as? [Int] == [0, 1])
    }
    #expect(fixture.warehouse.names == ["Play", "Stop", "Play", "Stop"])
    #expect(Set(fixture.warehouse.apps) == [fixture.app.id])
  }

  @Test func `the response has the bytes that the protocol specifies`() {
    let answer = NativeEndpoints.answer(
      CommitReceipt(accepted: 2, duplicates: [0, 3]),
      [.init(index: 1, id: "a\"b", reason: "name_missing", message: "Give it a name.")])
    #expect(
      String(decoding: answer, as: UTF8.self)
        == #"{"accepted":2,"duplicates":[0,3],"rejected":[{"index":1,"id":"a\"b","reason":"name_missing","#
        + #""message":"Give it a name."}]}"#)
  }

  @Test(arguments: [nil, "", "wrong", "tern_"]) func `requests without a known key store nothing`(key: String?)
    async throws
  {
    let fixture = try Fixture()
    try await fixture.routed { client in
      var headers: HTTPFields = [:]
      headers[.ternKey] = key
      let response = try await client.execute(
        uri: "/v1/events", method: .post, headers: headers, body: ByteBuffer(string: line("Play")))
      #expect(response.status == .unauthorized)
      #expect(try error(response)["code"] as? String == "unknown_key")
    }
    #expect(fixture.warehouse.batches.isEmpty)
  }

  @Test func `a malformed body is refused as a whole, with position, line and reason`() async throws {
    let fixture = try Fixture()
    try await fixture.routed { client in
      let good = line("Play")
      let response = try await client.execute(
        uri: "/v1/events", method: .post, headers: fixture.keyed,
        body: ByteBuffer(string: good + "\n{\"id\":oops}\n" + line("Stop", id: 2) + "\n7"))
      #expect(response.status == .badRequest)
      let failure = try error(response)
      #expect(failure["code"] as? String == "malformed")
      #expect(failure["index"] as? Int == 1)
      #expect(failure["indexes"] as? [Int] == [1, 3])
      #expect((failure["position"] as? Int ?? 0) > good.utf8.count)
    }
    #expect(fixture.warehouse.batches.isEmpty)
  }

  @Test func `an unknown content encoding gets a 415, damaged gzip a 400`() async throws {
    let fixture = try Fixture()
    try await fixture.routed { client in
      for (encoding, status, code) in [
        ("br", HTTPResponse.Status.unsupportedMediaType, "unsupported_encoding"), ("gzip", .badRequest, "undecodable"),
      ] {
        var headers = fixture.keyed
        headers[.contentEncoding] = encoding
        let response = try await client.execute(
          uri: "/v1/events", method: .post, headers: headers, body: ByteBuffer(string: line("Play")))
        #expect(response.status == status)
        #expect(try error(response)["code"] as? String == code)
      }
    }
    #expect(fixture.warehouse.batches.isEmpty)
  }

  @Test func `a body above the limit gets a 413, whether or not its length is declared`() async throws {
    let fixture = try Fixture(
      CollectorSettings(
        protocols: ProtocolSettings(native: .init(maximumBodyBytes: 1_000, maximumDecompressedBytes: 1_000))))
    try await fixture.routed { client in
      let response = try await client.execute(
        uri: "/v1/events", method: .post, headers: fixture.keyed,
        body: ByteBuffer(repeating: UInt8(ascii: " "), count: 1_001))
      #expect(response.status == .contentTooLarge)
      #expect(response.headers[.connection] == "close")
      #expect(try error(response)["code"] as? String == "too_large")
    }
  }

  @Test func `events that cannot be stored are not acknowledged`() async throws {
    let fixture = try Fixture()
    let failures: [(WarehouseError.Code, String)] = [
      (.busy, "behind"), (.full, "not_stored"), (.unavailable, "not_stored"), (.unknownApp, "not_stored"),
    ]
    try await fixture.routed { client in
      for (code, expected) in failures {
        fixture.warehouse.fail(with: WarehouseError(code, "no"))
        let response = try await client.execute(
          uri: "/v1/events", method: .post, headers: fixture.keyed, body: ByteBuffer(string: line("Play")))
        #expect(response.status == .serviceUnavailable)
        #expect(response.headers[.retryAfter] == "5")
        #expect(try error(response)["code"] as? String == expected)
      }
    }
  }

  @Test func `an overloaded collector sends Retry-After, and accepts events again afterwards`() async throws {
    let body = line("Play")
    let fixture = try Fixture(
      CollectorSettings(limits: CollectorLimits(maximumPendingBytes: body.utf8.count + 10)))
    try await fixture.routed { client in
      fixture.warehouse.hold()
      async let first = client.execute(
        uri: "/v1/events", method: .post, headers: fixture.keyed, body: ByteBuffer(string: body))
      await fixture.warehouse.commitWaits()
      let second = try await client.execute(
        uri: "/v1/events", method: .post, headers: fixture.keyed, body: ByteBuffer(string: body))
      #expect(second.status == .serviceUnavailable)
      #expect(try error(second)["code"] as? String == "behind")
      #expect(second.headers[.retryAfter] != nil)
      fixture.warehouse.release()
      #expect(try await first.status == .ok)
      let third = try await client.execute(
        uri: "/v1/events", method: .post, headers: fixture.keyed, body: ByteBuffer(string: body))
      #expect(third.status == .ok)
    }
  }

  @Test func `a device's ledger is stored with its batch, unless it is malformed`() async throws {
    let fixture = try Fixture()
    try await fixture.routed { client in
      for (id, header) in [
        "tracked=9; delivered=4; waiting=3; in-flight=2; dropped=0", "tracked=-9; delivered=4", nil,
      ].enumerated() {
        var headers = fixture.keyed
        headers[.ternLedger] = header
        let body = ByteBuffer(string: line("Play", id: UInt64(id)))
        let answer = try await client.execute(uri: "/v1/events", method: .post, headers: headers, body: body)
        #expect(answer.status == .ok)
      }
    }
    let expected = DeviceLedger(tracked: 9, delivered: 5, waiting: 3, inFlight: 1, dropped: 0)
    #expect(fixture.warehouse.batches.map(\.ledger) == [expected, nil, nil])
  }

  @Test func `a request without events is a health probe, and stores nothing`() async throws {
    let fixture = try Fixture(CollectorSettings(limits: CollectorLimits(writeProbeInterval: .zero)))
    try await fixture.routed { client in
      func ask(_ body: String = "", _ headers: HTTPFields? = nil) async throws -> TestResponse {
        try await client.execute(
          uri: "/v1/events", method: .post, headers: headers ?? fixture.keyed, body: ByteBuffer(string: body))
      }
      var zipped = fixture.keyed
      zipped[.contentEncoding] = "gzip"
      for answer in [try await ask(), try await ask("\n \n"), try await ask("", zipped)] {
        #expect(answer.status == .ok)
        #expect(String(buffer: answer.body) == #"{"accepted":0,"duplicates":[],"rejected":[]}"#)
      }
      #expect(try await ask("", [:]).status == .unauthorized)
      #expect(fixture.warehouse.writeProbes == 0, "a probe costs nothing as long as no write has failed")

      fixture.warehouse.fallBehind(true)
      let behind = try await ask()
      #expect(behind.status == .serviceUnavailable && behind.headers[.retryAfter] == "5")
      #expect(try error(behind)["code"] as? String == "behind")
      fixture.warehouse.fallBehind(false)
      #expect(try await ask().status == .ok)

      fixture.warehouse.fail(with: WarehouseError(.full, "disk full"))
      #expect(try await ask().status == .ok, "the state is still unknown")
      #expect(try await ask(line("Play")).status == .serviceUnavailable)
      for _ in 0..<3 {
        let failing = try await ask()
        #expect(failing.status == .serviceUnavailable && failing.headers[.retryAfter] == "5")
        #expect(try error(failing)["code"] as? String == "not_stored")
      }
      #expect(fixture.warehouse.writeProbes == 3)
      fixture.warehouse.fail(with: nil)
      #expect(try await ask().status == .ok)
      #expect(try await client.execute(uri: "/readyz", method: .get).status == .ok)
    }
    #expect(fixture.warehouse.batches.isEmpty)
  }

  @Test func `health probes get a Retry-After while a batch takes all the room`() async throws {
    let body = line("Play")
    let fixture = try Fixture(
      CollectorSettings(limits: CollectorLimits(maximumPendingBytes: body.utf8.count + 10)))
    try await fixture.routed { client in
      fixture.warehouse.hold()
      async let first = client.execute(
        uri: "/v1/events", method: .post, headers: fixture.keyed, body: ByteBuffer(string: body))
      await fixture.warehouse.commitWaits()
      let asked = try await client.execute(uri: "/v1/events", method: .post, headers: fixture.keyed)
      #expect(asked.status == .serviceUnavailable)
      fixture.warehouse.release()
      #expect(try await first.status == .ok)
    }
  }

  @Test func `concurrent requests are all stored`() async throws {
    let fixture = try Fixture()
    try await fixture.routed { client in
      try await withThrowingTaskGroup(of: Int?.self) { group in
        for number in 0..<64 {
          group.addTask {
            let response = try await client.execute(
              uri: "/v1/events", method: .post, headers: fixture.keyed,
              body: ByteBuffer(string: line("Play", id: UInt64(number))))
            return try object(response)["accepted"] as? Int
          }
        }
        for try await accepted in group { #expect(accepted == 1) }
      }
    }
    #expect(fixture.warehouse.names.count == 64)
  }
}
