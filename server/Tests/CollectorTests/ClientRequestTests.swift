import AppCatalog
import HTTPTypes
import Ingest
import NIOCore
import TernBase
import TernEvents
import Testing
import Warehouse

@testable import HTTP
@testable import Ingestion
@testable import TernServer

/// Tests what other systems' clients may send to their addresses besides a single event.
@Suite struct ClientRequestTests {
  private static func fixture() throws -> Fixture {
    let fixture = try Fixture(wallTime: { Timestamp(millisecondsSince1970: 1_795_870_010_000) })
    try fixture.catalog.changeApp(fixture.app.id, AppChange(writeKeys: [ClientExchange.key]))
    return fixture
  }

  private static func post(
    _ client: TestClient, _ path: String, _ body: String, _ headers: HTTPFields = [:]
  ) async throws -> TestResponse {
    try await client.execute(uri: path, method: .post, headers: headers, body: ByteBuffer(string: body))
  }

  /// The posted paths.
  private static let paths = Set(ClientExchange.all.filter { $0.route.method == .post }.map { $0.spellings[0] })
  /// The paths with events in their addresses.
  private static let readPaths = Set(ClientExchange.all.filter { $0.route.method == .get }.map { $0.spellings[0] })

  @Test(arguments: paths.subtracting(readPaths).sorted())
  func `a GET of a posted address is 405, because a redirect may have made it of a POST`(path: String) async throws {
    let fixture = try Self.fixture()
    try await fixture.routed { client in
      for path in [path, path + "/"] {
        let response = try await client.execute(uri: path, method: .get)
        #expect(response.status == .methodNotAllowed)
        #expect(response.headers[.allow]?.contains("POST") == true)
        // Some clients repeat whatever is answered without a JSON object.
        #expect(try object(response).isEmpty == false)
        let head = try await client.execute(uri: path, method: .head)
        #expect(head.status == .methodNotAllowed && head.body.readableBytes == 0)
      }
    }
    #expect(fixture.warehouse.batches.isEmpty)
  }

  @Test(arguments: readPaths.sorted())
  func `a HEAD of an address that takes GET is answered, and nothing is stored`(path: String) async throws {
    let fixture = try Self.fixture()
    try await fixture.routed { client in
      let query = "?e=se&se_ac=Play&aid=wk_example&idsite=wk_example&e_a=Play"
      let response = try await client.execute(uri: path + query, method: .head)
      #expect(response.status == .ok && response.body.readableBytes == 0)
    }
    #expect(fixture.warehouse.batches.isEmpty)
  }

  @Test(arguments: paths.sorted())
  func `pages of any site may post`(path: String) async throws {
    let fixture = try Self.fixture()
    try await fixture.routed { client in
      let response = try await client.execute(
        uri: path + "/", method: .options,
        headers: [.origin: "https://shop.example", .accessControlRequestMethod: "POST"])
      #expect(response.status == .noContent)
      #expect(response.headers[.accessControlAllowOrigin] == "*")
      #expect(response.headers[.accessControlAllowMethods]?.contains("POST") == true)
      #expect(response.headers[.accessControlAllowHeaders] == "*")
    }
  }

  @Test(arguments: ["/v1/nothing", "/v1/batch/more", "/batch/more", "/i/v1/analytics", "/2", "/api/7/envelope/more"])
  func `an address that nothing has is answered with a JSON object`(path: String) async throws {
    let fixture = try Self.fixture()
    try await fixture.routed { client in
      let response = try await Self.post(client, path, "{}")
      #expect(response.status == .notFound)
      #expect(try error(response)["code"] as? String == "not_found")
    }
  }

  @Test func `Google's lines, PostHog and Amplitude share an address, each with its own answer`() async throws {
    let fixture = try Self.fixture()
    let hit = "v=1&tid=\(fixture.app.trackingID)&cid=35009a79-1a05-49d7-b876-2b884d0f825b&t=event&ec=Video&ea="
    try await fixture.routed { client in
      for path in ["/batch", "/batch/", "//batch//"] {
        let lines = try await Self.post(client, path, "\(hit)One&z=1\n\(hit)Two&z=2")
        #expect(lines.status == .ok && lines.headers[.contentType] == "image/gif")
        let posthog = #"  {"api_key":"wk_example","batch":[{"event":"events","uuid":"1","distinct_id":"u"}]}"#
        #expect(String(buffer: try await Self.post(client, path, posthog).body) == #"{"status":1}"#)
        // The name of the other's member in a value, and the own one last.
        let amplitude =
          #"{"options":{"batch":[]},"api_key":"wk_example","events":[{"event_type":"batch","user_id":"u"}]}"#
        #expect(
          String(buffer: try await Self.post(client, path, amplitude).body) == #"{"code":200,"events_ingested":1}"#)
      }
    }
    #expect(fixture.warehouse.names == Array(repeating: ["One", "Two", "events", "batch"], count: 3).flatMap { $0 })
    let sources = fixture.warehouse.batches.filter { !$0.events.isEmpty }.map(\.source.rawValue)
    #expect(sources == Array(repeating: ["measurement", "posthog", "amplitude"], count: 3).flatMap { $0 })
  }

  @Test func `the events of one request go to the apps that they name`() async throws {
    let fixture = try Self.fixture()
    let other = try fixture.catalog.createApp(name: "Other", writeKeys: ["wk_other"])
    @Sendable func mixpanel(_ name: String, _ key: String) -> String {
      #"{"event":"\#(name)","properties":{"token":"\#(key)","distinct_id":"u","$insert_id":"\#(name)"}}"#
    }
    @Sendable func snowplow(_ name: String, _ key: String) -> String {
      #"{"e":"se","se_ac":"\#(name)","aid":"\#(key)","eid":"\#(name)"}"#
    }
    let order = [("A", "wk_example"), ("B", "wk_other"), ("C", "wk_unknown"), ("D", "wk_example"), ("E", "wk_other")]
    try await fixture.routed { client in
      let tracked = try await Self.post(
        client, "/track", "data=[" + order.map { mixpanel($0.0, $0.1) }.joined(separator: ",") + "]&verbose=1")
      #expect(String(buffer: tracked.body) == #"{"status":1,"error":null}"#)
      let sent = try await Self.post(
        client, "/com.snowplowanalytics.snowplow/tp2",
        #"{"data":["# + order.map { snowplow($0.0, $0.1) }.joined(separator: ",") + "]}")
      #expect(sent.status == .ok && String(buffer: sent.body) == "ok")
      let bulk = order.map { #""?idsite=\#($0.1)&rec=1&e_c=c&e_a=\#($0.0)""# }.joined(separator: ",")
      let matomo = try await Self.post(client, "/matomo.php", #"{"requests":[\#(bulk)]}"#)
      #expect(matomo.status == .ok)
    }
    #expect(fixture.warehouse.apps == Array(repeating: [fixture.app.id, other.id], count: 3).flatMap { $0 })
    let names = fixture.warehouse.batches.map { $0.events.map(\.name) }
    #expect(names == Array(repeating: [["A", "D"], ["B", "E"]], count: 3).flatMap { $0 })
  }

  @Test func `one event's fault costs no other event, and is counted by its reason`() async throws {
    let fixture = try Self.fixture()
    let requests: [(path: String, body: String, headers: HTTPFields)] = [
      (
        "/v1/batch",
        #"{"writeKey":"wk_example","batch":[{"type":"track","event":"A"},7,{"type":"dance"},{"type":"track"},"#
          + #"{"type":"track","event":"B","properties":{"a":NaN}}]}"#, [:]
      ),
      (
        "/batch",
        #"{"api_key":"wk_example","batch":[{"event":"A"},null,{"event":"$web_vitals"},{"event":""},{"event":"B"}]}"#,
        [:]
      ),
      (
        "/2/httpapi",
        #"{"api_key":"wk_example","events":[{"event_type":"A"},[],{"event_type":"$x"},{"event_type":""},{"event_type":"B"}]}"#,
        [:]
      ),
      (
        "/com.snowplowanalytics.snowplow/tp2",
        #"{"data":[{"e":"se","se_ac":"A","aid":"wk_example"},1,{"e":"pp","aid":"wk_example"},"#
          + #"{"e":"ue","ue_pr":"{","aid":"wk_example"},{"e":"se","se_ac":"B","aid":"wk_example"}]}"#, [:]
      ),
      (
        "/mp/collect?measurement_id=wk_example",
        #"{"client_id":"c","events":[{"name":"A"},true,{"name":""},{"name":"B"}]}"#, [:]
      ),
      (
        "/api/v0/events", #"[{"eventName":"A"},"x",{"eventName":""},{"eventName":"B"}]"#,
        [HTTPField.Name("App-Key") ?? .accept: "wk_example"]
      ),
      (
        "/api/7/envelope?sentry_key=wk_example",
        [
          "{}", #"{"type":"event"}"#, #"{"exception":[{"type":"A"}]}"#, #"{"type":"event"}"#, "{",
          #"{"type":"transaction"}"#, "{}", #"{"type":"client_report"}"#, "{}", #"{"type":"event"}"#,
          #"{"exception":{"values":[{"type":"B"}]}}"#,
        ].joined(separator: "\n"), [:]
      ),
      (
        "/v1/logs",
        #"{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"eventName":"A"},5,{"body":{"stringValue":"x"}},"#
          + #"{"eventName":"B","timeUnixNano":"never"}]}]}]}"#,
        [.authorization: "Bearer wk_example", .contentType: "application/json"]
      ),
    ]
    let usual = ["name_missing", "not_an_object", "unsupported"]
    let reasons: [[String]] = [
      ["name_missing", "not_an_object", "unsupported"], usual, usual, usual, ["name_missing", "not_an_object"],
      ["name_missing", "not_an_object"], ["not_json", "unsupported"], ["unsupported", "unsupported"],
    ]
    try await fixture.routed { client in
      for (index, request) in requests.enumerated() {
        let response = try await Self.post(client, request.path, request.body, request.headers)
        #expect((200..<300).contains(response.status.code), "\(request.path)")
        try #require(fixture.warehouse.batches.count == index + 1, "\(request.path)")
      }
    }
    for (index, batch) in fixture.warehouse.batches.enumerated() {
      #expect(batch.events.map(\.name) == ["A", "B"], "\(requests[index].path)")
      #expect(batch.rejections.map(\.reason).sorted() == reasons[index], "\(requests[index].path)")
    }
  }

  @Test func `a request is answered when its events are stored, not before`() async throws {
    let fixture = try Self.fixture()
    fixture.warehouse.hold()
    let exchange = try #require(ClientExchange.all.first { $0.source == "posthog" })
    try await fixture.routed { client in
      async let response = exchange.send(to: client)
      await fixture.warehouse.commitWaits()
      #expect(fixture.warehouse.batches.isEmpty)
      fixture.warehouse.fail(with: WarehouseError(.full, "disk full"))
      fixture.warehouse.release()
      let status = try await response.status
      #expect(status == .serviceUnavailable)
    }
    #expect(fixture.warehouse.batches.isEmpty)
  }

  @Test func `a key that is set while the server runs works at once, and a removed one no longer within a second`()
    async throws
  {
    let time = Locked(Timestamp(millisecondsSince1970: 1_795_870_010_000))
    let fixture = try Fixture(catalogTime: { time.withLock { $0 } })
    let command = try fixture.catalogOfAnotherProcess()
    let exchange = try #require(ClientExchange.all.first)
    try await fixture.routed { client in
      #expect(try await exchange.send(to: client).status == .unauthorized)
      try command.changeApp(fixture.app.id, AppChange(writeKeys: [ClientExchange.key]))
      #expect(try await exchange.send(to: client).status == .ok)
      try command.changeApp(fixture.app.id, AppChange(writeKeys: []))
      time.withLock { $0 = $0 + .seconds(1) }
      #expect(try await exchange.send(to: client).status == .unauthorized)
    }
    try command.close()
  }
}
