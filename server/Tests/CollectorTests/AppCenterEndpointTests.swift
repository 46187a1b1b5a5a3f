import Foundation
import HTTPTypes
import Ingest
import NIOCore
import Testing
import Warehouse
import WarehouseSQLite

@testable import HTTP
@testable import Ingestion
@testable import TernServer

/// Tests `POST /logs` as stock and hand-written App Center clients use it.
@Suite struct AppCenterEndpointTests {
  private static let install = "0C7C9D1E-5A77-4E0C-8F0B-3B8E1D0F9A42"

  private func log(_ name: String, id: String = "2E4F0D0A-41B1-4F2B-8C39-5D2C7B1C61A7") -> String {
    let time = Date.now.formatted(.iso8601)
    return """
      {"type":"event","timestamp":"\(time)","id":"\(id)","name":"\(name)","device":{"osName":"iOS","osVersion":"17.4.1",\
      "locale":"pt_BR","timeZoneOffset":-180,"appVersion":"3.2.0","appBuild":"418","sdkName":"appcenter.ios",\
      "sdkVersion":"5.0.7"}}
      """
  }

  private func body(_ logs: String...) -> ByteBuffer {
    ByteBuffer(string: "{\"logs\":[\(logs.joined(separator: ","))]}")
  }

  @Test(arguments: [
    "/logs?api-version=1.0.0", "/logs?Api-Version=1.0.0", "/logs?api_version=1.0.0", "/logs?API-VERSION=1.0.0", "/logs",
  ])
  func `logs are stored and answered as by App Center`(uri: String) async throws {
    let fixture = try Fixture()
    try await fixture.routed { client in
      let secret = fixture.app.appSecret
      for headers: HTTPFields in [
        [.appSecret: secret, .installID: Self.install, .contentType: "application/json"],
        [.appSecret: secret.uppercased(), .installID: Self.install],
        [.appSecret: secret, .installID: Self.install.lowercased(), .contentType: "text/plain"],
      ] {
        let response = try await client.execute(
          uri: uri, method: .post, headers: headers, body: body(log("Clip opened")))
        #expect(response.status == .ok)
        let answer = try object(response)
        #expect(answer["status"] as? String == "Success")
        #expect(answer["validDiagnosticsIds"] as? [String] == [])
        #expect(answer["throttledDiagnosticsIds"] as? [String] == [])
        #expect(UUID(uuidString: try #require(answer["correlationId"] as? String)) != nil)
      }
    }
    #expect(fixture.warehouse.names == ["Clip opened", "Clip opened", "Clip opened"])
    let keys = Set(fixture.warehouse.batches.flatMap(\.events).map(\.duplicateKey?.hash))
    #expect(keys.count == 1, "one event, in any notation of its install")
  }

  @Test func `an unknown secret never makes a stock client delete its queue, unless the operator wants it`()
    async throws
  {
    let secret = "6f9a1c52-0d4e-4a0b-9f5e-2f1f3f6f7a10"
    for (policy, status) in [
      (UnknownSecretPolicy.retryLater, HTTPResponse.Status.serviceUnavailable), (.reject, .unauthorized),
      (.discard, .ok),
    ] {
      let fixture = try Fixture(CollectorSettings(protocols: ProtocolSettings(unknownSecret: policy)))
      try await fixture.routed { client in
        let response = try await client.execute(
          uri: "/logs?api-version=1.0.0", method: .post, headers: [.appSecret: secret, .installID: Self.install],
          body: body(log("Clip opened")))
        #expect(response.status == status)
        let milliseconds = HTTPField.Name("x-ms-retry-after-ms").flatMap { response.headers[$0] }.flatMap { Int($0) }
        #expect((milliseconds ?? 0 > 0) == (policy == .retryLater))
      }
      #expect(fixture.warehouse.batches.isEmpty)
    }
  }

  @Test func `a client without a secret gets an explanation`() async throws {
    let fixture = try Fixture()
    try await fixture.routed { client in
      let response = try await client.execute(uri: "/logs", method: .post, body: body(log("Clip opened")))
      #expect(response.status == .unauthorized)
      #expect(try error(response)["code"] as? String == "app_secret_missing")
    }
  }

  @Test(arguments: ["", "{", "[]", "null", "{\"logs\":7}"])
  func `an unreadable body is dropped and counted, without affecting the client's other requests`(text: String)
    async throws
  {
    let fixture = try Fixture()
    try await fixture.routed { client in
      let response = try await client.execute(
        uri: "/logs?api-version=1.0.0", method: .post,
        headers: [.appSecret: fixture.app.appSecret, .installID: Self.install], body: ByteBuffer(string: text))
      #expect(response.status == .ok)
      #expect(try object(response)["status"] as? String == "NoValidLogsFoundInLogContainer")
    }
    #expect(fixture.warehouse.names.isEmpty)
    #expect(fixture.warehouse.batches.flatMap(\.rejections).map(\.reason) == ["unreadable_malformed"])
  }

  @Test func `a truncated compressed body is sent again, a damaged one counts as dropped`() async throws {
    let whole = storedGzip(Array(#"{"logs":[]}"#.utf8))
    let damaged = whole.dropLast(6) + [whole[whole.count - 6] ^ 1] + whole.suffix(5)
    let fixture = try Fixture()
    try await fixture.routed { client in
      for (body, status) in [
        (whole, HTTPResponse.Status.ok), (Array(damaged), .ok), (Array(whole.dropLast(4)), .serviceUnavailable),
        (Array(whole.prefix(12)), .serviceUnavailable), ([], .serviceUnavailable),
      ] {
        let response = try await client.execute(
          uri: "/logs?api-version=1.0.0", method: .post,
          headers: [.appSecret: fixture.app.appSecret, .installID: Self.install, .contentEncoding: "gzip"],
          body: ByteBuffer(bytes: body))
        #expect(response.status == status)
        guard status != .ok else { continue }
        #expect(try error(response)["code"] as? String == "incomplete")
        #expect(HTTPField.Name("x-ms-retry-after-ms").flatMap { response.headers[$0] } == "5000")
      }
    }
    #expect(fixture.warehouse.batches.flatMap(\.rejections).map(\.reason) == ["unreadable_undecodable"])
  }

  @Test func `a log that is not JSON affects neither the others nor the client's queue`() async throws {
    let fixture = try Fixture()
    try await fixture.routed { client in
      let response = try await client.execute(
        uri: "/logs?api-version=1.0.0", method: .post,
        headers: [.appSecret: fixture.app.appSecret, .installID: Self.install],
        body: body(log("One"), #"{"type":"event","name":NaN}"#, log("Two", id: UUID().uuidString)))
      #expect(response.status == .ok)
      #expect(try object(response)["status"] as? String == "Success")
      let alone = try await client.execute(
        uri: "/logs?api-version=1.0.0", method: .post,
        headers: [.appSecret: fixture.app.appSecret, .installID: Self.install], body: body("NaN"))
      #expect(alone.status == .ok)
      #expect(try object(alone)["status"] as? String == "NoValidLogsFoundInLogContainer")
    }
    #expect(fixture.warehouse.names == ["One", "Two"])
    #expect(fixture.warehouse.batches.flatMap(\.rejections).map(\.reason) == ["not_json", "not_json"])
  }

  @Test func `logs that cannot be stored are not acknowledged, and the response has a Retry-After`() async throws {
    let fixture = try Fixture()
    fixture.warehouse.fail(with: WarehouseError(.full, "disk full"))
    try await fixture.routed { client in
      let response = try await client.execute(
        uri: "/logs?api-version=1.0.0", method: .post,
        headers: [.appSecret: fixture.app.appSecret, .installID: Self.install], body: body(log("Clip opened")))
      #expect(response.status == .serviceUnavailable)
      #expect(HTTPField.Name("x-ms-retry-after-ms").flatMap { response.headers[$0] } == "5000")
    }
  }

  @Test func `a service start stores nothing and succeeds`() async throws {
    let fixture = try Fixture()
    let time = Date.now.formatted(.iso8601)
    let start = #"{"type":"startService","timestamp":"\#(time)","services":["Crashes","Analytics"]}"#
    try await fixture.routed { client in
      let response = try await client.execute(
        uri: "/logs?api-version=1.0.0", method: .post,
        headers: [.appSecret: fixture.app.appSecret, .installID: Self.install], body: body(start))
      #expect(try object(response)["status"] as? String == "Success")
    }
  }
}
