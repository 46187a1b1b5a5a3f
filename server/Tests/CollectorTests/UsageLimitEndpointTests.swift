import AppCatalog
import HTTPTypes
import Hummingbird
import NIOCore
import TernBase
import TernEvents
import Testing
import Warehouse

@testable import HTTP
@testable import Ingestion
@testable import TernServer

/// The limits of apps and addresses as clients and readers meet them.
@Suite struct UsageLimitEndpointTests {
  private let uptime = Locked(Duration.zero)

  /// A collector in which an app may send a few events, and its collector's parts.
  private func collector(
    _ change: (inout UsageLimitChanges) -> Void, address: UsageLimits = .address
  ) throws -> (Fixture, CollectorApplication) {
    var settings = CollectorSettings()
    settings.addressLimits = address
    let fixture = try Fixture(settings, uptime: { [uptime] in uptime.withLock { $0 } })
    var changes = UsageLimitChanges()
    change(&changes)
    try fixture.catalog.setUsageLimits(of: fixture.app.id, to: changes)
    return (fixture, try fixture.collector())
  }

  private func run(
    _ fixture: Fixture, _ collector: CollectorApplication,
    _ body: @Sendable (TestClient) async throws -> Void
  ) async throws {
    try await body(TestClient(collector, logger: fixture.dependencies.logger))
  }

  @Test func `an app over its limit is told when to come back, and the portal and the metrics show it`() async throws {
    let (fixture, collector) = try collector { $0.eventsPerSecond = 1 }
    let many = ByteBuffer(string: (0..<70).map { _ in line("Play") }.joined(separator: "\n"))
    try await run(fixture, collector) { client in
      func send() async throws -> TestResponse {
        try await client.execute(uri: "/v1/events", method: .post, headers: fixture.keyed, body: many)
      }
      #expect(try await send().status == .ok)
      let refused = try await send()
      #expect(refused.status == .tooManyRequests && refused.headers[.retryAfter] == "10")
      #expect(String(buffer: refused.body).contains("\"code\":\"over_limit\""))
      uptime.withLock { $0 += .seconds(11) }
      #expect(try await send().status == .ok)

      let headers: HTTPFields = [.cookie: try fixture.cookie()]
      let page = String(buffer: try await client.execute(uri: "/apps/1", method: .get, headers: headers).body)
      #expect(page.contains("This app was over its limit of 1 events a second: 1 requests were refused"))
      let metrics = String(buffer: try await client.execute(uri: "/metrics", method: .get, headers: headers).body)
      #expect(metrics.contains("tern_over_limit_total{owner=\"app\",limit=\"events\"} 1\n"))
    }
  }

  @Test func `App Center's clients get 503, because they delete their queue on any 4xx`() async throws {
    let (fixture, collector) = try collector { $0.requestsPerSecond = 1 }
    try await run(fixture, collector) { client in
      var last: TestResponse?
      for _ in 0..<61 {
        last = try await client.execute(
          uri: "/logs?api-version=1.0.0", method: .post, headers: [.appSecret: fixture.app.appSecret],
          body: ByteBuffer(string: "{\"logs\":[]}"))
      }
      #expect(last?.status == .serviceUnavailable && last?.headers[.retryAfter] == "1")
      #expect(last?.headers[.retryAfterMilliseconds] == "1000")
    }
  }

  @Test func `hits over a limit are answered like others, dropped, and counted`() async throws {
    let (fixture, collector) = try collector { $0.eventsPerSecond = 1 }
    let hit = "v=1&tid=\(fixture.app.trackingID)&cid=1&t=screenview&cd=A"
    let body = ByteBuffer(string: Array(repeating: hit, count: 20).joined(separator: "\n"))
    try await run(fixture, collector) { client in
      for _ in 0..<5 {
        let response = try await client.execute(uri: "/batch", method: .post, body: body)
        #expect(response.status == .ok)
      }
    }
    #expect(fixture.warehouse.names.count == 60)
    await collector.usage.recordDropped()
    let dropped = try await fixture.warehouse.base.totals(
      app: fixture.app.id, dimension: .dropped, days: Day(number: 0)...Day(number: 40_000), limit: nil)
    #expect(dropped.map(\.key) == ["rejected:rate_limited"] && dropped.map(\.count) == [40])
  }

  @Test func `an address over its limit is refused for all apps, and other addresses are not`() async throws {
    var limits = UsageLimits.address
    limits.requestsPerSecond = 1
    let (fixture, collector) = try collector({ _ in }, address: limits)
    let other = try fixture.catalog.createApp(name: "Other")
    try await run(fixture, collector) { client in
      for _ in 0..<60 {
        _ = try await client.execute(
          uri: "/v1/events", method: .post, headers: fixture.keyed, body: ByteBuffer(string: line("Play")))
      }
      for key in [fixture.app.key, other.key] {
        let refused = try await client.execute(
          uri: "/v1/events", method: .post, headers: [.ternKey: key], body: ByteBuffer(string: line("Play")))
        #expect(refused.status == .tooManyRequests)
        #expect(String(buffer: refused.body).contains("This address is over its limit of 1 requests a second"))
      }
      let hit = "/collect?v=1&tid=\(other.trackingID)&cid=1&t=screenview&cd=A"
      #expect(try await client.execute(uri: hit, method: .get).status == .ok)
    }
    #expect(fixture.warehouse.names.count == 60)
  }

  @Test func `programs and owners read and change the limits, and what is out of range is refused`() async throws {
    let (fixture, collector) = try collector { $0.eventsPerSecond = 7 }
    let (catalog, app) = (fixture.catalog, fixture.app.id)
    let headers: HTTPFields = [.cookie: try fixture.cookie(), .origin: "http://localhost"]
    let bearer: HTTPFields = [
      .authorization: "Bearer \(try catalog.createToken(name: "t", scopes: [.manage]).secret)"
    ]
    try await run(fixture, collector) { client in
      let uri = "/api/v1/apps/1/limits"
      let shown = String(buffer: try await client.execute(uri: uri, method: .get, headers: bearer).body)
      #expect(shown.contains("\"eventsPerSecond\":7") && shown.contains("\"errorTextBytes\":1073741824"))
      func patch(_ json: String) async throws -> HTTPResponse.Status {
        try await client.execute(uri: uri, method: .patch, headers: bearer, body: ByteBuffer(string: json)).status
      }
      #expect(try await patch(#"{"eventsPerSecond":null,"errorTextBytes":5000000}"#) == .ok)
      for wrong in [#"{"eventsPerSecond":0}"#, #"{"bytesPerDay":-1}"#, #"{"a":1}"#, "[]", #"{"bytesPerDay":1e300}"#] {
        #expect(try await patch(wrong) == .badRequest, "\(wrong)")
      }
      var expected = UsageLimitChanges()
      expected.errorTextBytes = 5_000_000
      #expect(try catalog.usageLimitChanges(of: app) == expected)

      func post(_ form: String) async throws -> TestResponse {
        try await client.execute(
          uri: "/apps/1/limits", method: .post, headers: headers, body: ByteBuffer(string: form))
      }
      // Five million bytes are shown as 4 MiB; sending that back changes nothing.
      let all = "requestsPerSecond=3&eventsPerSecond=&bytesPerDay=2&installsPerDay=&errorTextBytes=4"
      #expect(try await post(all).headers[.location] == "/apps/1/limits?done=saved")
      (expected.requestsPerSecond, expected.bytesPerDay) = (3, 2 << 20)
      #expect(try catalog.usageLimitChanges(of: app) == expected)
      let page = String(
        buffer: try await client.execute(uri: "/apps/1/limits", method: .get, headers: headers).body)
      #expect(page.contains(#"name="requestsPerSecond" type="number" min="1" max="1125899906842624" value="3""#))
      let entries = try catalog.audit(limit: 100).count
      #expect(try await post(all).status == .seeOther)
      #expect(try await patch("{}") == .ok)
      #expect(try catalog.audit(limit: 100).count == entries, "limits that are set already are no change")
      for wrong in ["bytesPerDay=9223372036854775807", "requestsPerSecond=0", "errorTextBytes=x"] {
        #expect(try await post(wrong).status == .badRequest, "\(wrong)")
      }
      #expect(try catalog.usageLimitChanges(of: app) == expected)
    }
  }
}
