import AppCatalog
import HTTPTypes
import Ingest
import NIOCore
import TernEvents
import Testing
import Warehouse

@testable import HTTP
@testable import Ingestion
@testable import TernServer

/// Tests the addresses of other systems' clients: a wrong answer makes them lose events, or send them twice.
@Suite struct ClientEndpointTests {
  /// The day of the requests.
  private static let now = Timestamp(millisecondsSince1970: 1_795_870_010_000)

  /// An app with the key of ``ClientExchange``.
  private static func fixture(unknown: UnknownSecretPolicy = .retryLater) throws -> Fixture {
    let fixture = try Fixture(
      CollectorSettings(protocols: ProtocolSettings(unknownSecret: unknown)),
      wallTime: { now })
    try fixture.catalog.changeApp(fixture.app.id, AppChange(writeKeys: [ClientExchange.key]))
    return fixture
  }

  private static func expectSuccess(_ response: TestResponse, of exchange: ClientExchange, _ path: String) {
    #expect(response.status.code == exchange.status, "\(exchange) \(path)")
    #expect(response.headers[.contentType] == exchange.type, "\(exchange) \(path)")
    let body = Array(response.body.readableBytesView)
    if let answer = exchange.answer {
      #expect(String(decoding: body, as: UTF8.self) == answer, "\(exchange) \(path)")
    } else {
      #expect(body.starts(with: Array("GIF89a".utf8)) && body.last == 0x3B, "\(exchange) \(path)")
    }
    #expect(response.headers[.retryAfter] == nil && response.headers[.location] == nil, "\(exchange) \(path)")
    #expect(response.headers[.accessControlAllowOrigin] == "*", "\(exchange) \(path)")
  }

  /// Expects an error in the form that the client understands (RudderStack and Segment look for two members at the top, Amplitude
  /// believes the member and not the status, and Mixpanel raises another exception without its own).
  private static func expectError(
    _ response: TestResponse, of exchange: ClientExchange, status: Int, retryAfter: String? = nil
  ) throws {
    #expect(response.status.code == status, "\(exchange)")
    #expect(response.headers[.retryAfter] == retryAfter, "\(exchange)")
    switch exchange.source {
    case "snowplow", "plausible":
      #expect(response.headers[.contentType] == "text/plain; charset=utf-8", "\(exchange)")
      #expect(response.body.readableBytes > 0, "\(exchange)")
    case "mixpanel":
      let answer = try object(response)
      #expect(answer["status"] as? Int == 0 && answer["error"] as? String != nil, "\(exchange)")
    case "amplitude":
      let answer = try object(response)
      #expect(answer["code"] as? Int == status && answer["error"] as? String != nil, "\(exchange)")
    default:
      let answer = try object(response)
      #expect(answer["success"] as? Bool == false, "\(exchange)")
      #expect(answer["code"] as? String != nil && answer["message"] as? String != nil, "\(exchange)")
    }
  }

  /// Expects an error after which the client forgets its request. Two clients never do, and so are told nothing of it.
  private static func expectRefusal(_ response: TestResponse, of exchange: ClientExchange, status: Int) throws {
    switch exchange.source {
    case "aptabase", "plausible": expectSuccess(response, of: exchange, "refused")
    default: try expectError(response, of: exchange, status: status)
    }
  }

  /// The delay that a client survives; `seconds` is that of the server.
  private static func delay(_ exchange: ClientExchange, _ seconds: String) -> String {
    switch exchange.source {
    case "otlp", "mixpanel": "1"
    case "posthog": "30"
    case "segment": String(max(Int(seconds) ?? 0, 5))
    default: seconds
    }
  }

  @Test func `every address of every protocol has a request in these tests`() {
    let routes = ClientProtocols.all.flatMap { client in client.routes.map { "\(client.source.rawValue) \($0)" } }
    #expect(Set(ClientExchange.all.map { "\($0.source) \($0.route)" }) == Set(routes))
  }

  @Test(arguments: ClientExchange.all)
  func `the success is exactly the client's own, with slashes in any number`(exchange: ClientExchange) async throws {
    let fixture = try Self.fixture()
    try await fixture.routed { client in
      for path in exchange.spellings {
        Self.expectSuccess(try await exchange.send(to: client, path: path), of: exchange, path)
      }
    }
    #expect(fixture.warehouse.names == exchange.stored.map { [$0, $0, $0] } ?? [])
    #expect(Set(fixture.warehouse.batches.map(\.source.rawValue)) == [exchange.source])
    // A retry has the same key, where the client's requests can be told from others.
    let keys = fixture.warehouse.batches.flatMap(\.events).map(\.duplicateKey)
    #expect(Set(keys).count <= 1)
  }

  @Test func `an app's own key works as well as that of another system`() async throws {
    let fixture = try Self.fixture()
    try await fixture.routed { client in
      for exchange in ClientExchange.all {
        let response = try await exchange.send(to: client, key: fixture.app.key)
        Self.expectSuccess(response, of: exchange, "with the app's own key")
      }
    }
    #expect(fixture.warehouse.names.count == ClientExchange.all.filter { $0.stored != nil }.count)
  }

  @Test func `an unknown key is refused, except where the client would repeat its request for ever`() async throws {
    let fixture = try Self.fixture()
    try await fixture.routed { client in
      for exchange in ClientExchange.all {
        let response = try await exchange.send(to: client, key: "wk_unknown")
        switch exchange.source {
        case "aptabase", "plausible": Self.expectSuccess(response, of: exchange, "unknown key")
        case "amplitude":
          // Only an error with these words is not repeated.
          try Self.expectError(response, of: exchange, status: 400)
          let message = try object(response)["error"] as? String
          #expect(message?.hasPrefix("Invalid API key:") == true)
        default: try Self.expectError(response, of: exchange, status: 401)
        }
      }
      let metrics = String(
        buffer: try await client.execute(uri: "/metrics", method: .get, headers: fixture.authorized).body)
      for source in Set(ClientExchange.all.map(\.source)) {
        let count = ClientExchange.all.filter { $0.source == source }.count
        #expect(metrics.contains("tern_unknown_app_total{protocol=\"\(source)\"} \(count)\n"))
      }
    }
    #expect(fixture.warehouse.batches.isEmpty)
  }

  @Test func `an unknown key is answered with the usual success if the operator wants it, and nothing is stored`()
    async throws
  {
    let fixture = try Self.fixture(unknown: .discard)
    try await fixture.routed { client in
      for exchange in ClientExchange.all {
        Self.expectSuccess(try await exchange.send(to: client, key: "wk_unknown"), of: exchange, "unknown key")
      }
    }
    #expect(fixture.warehouse.batches.isEmpty)
  }

  @Test(arguments: [
    WarehouseError(.busy, "behind"), WarehouseError(.full, "disk full"), WarehouseError(.unavailable, "gone"),
    WarehouseError(.unknownApp, "just deleted"),
  ])
  func `while nothing can be stored, every client gets 503 with a delay that it survives`(error: WarehouseError)
    async throws
  {
    let fixture = try Self.fixture()
    fixture.warehouse.fail(with: error)
    try await fixture.routed { client in
      for exchange in ClientExchange.all {
        let response = try await exchange.send(to: client)
        try Self.expectError(response, of: exchange, status: 503, retryAfter: Self.delay(exchange, "5"))
      }
    }
    #expect(fixture.warehouse.names.isEmpty)
  }

  @Test func `an app over its limit is 503 for these clients, because most forget their events after 429`()
    async throws
  {
    let fixture = try Self.fixture()
    var changes = UsageLimitChanges()
    changes.eventsPerSecond = 1
    try fixture.catalog.setUsageLimits(of: fixture.app.id, to: changes)
    let many = ByteBuffer(string: (0..<70).map { line("Before", id: UInt64($0), at: Self.now) }.joined(separator: "\n"))
    try await fixture.routed { client in
      let first = try await client.execute(uri: "/v1/events", method: .post, headers: fixture.keyed, body: many)
      #expect(first.status == .ok)
      for exchange in ClientExchange.all {
        let response = try await exchange.send(to: client)
        try Self.expectError(response, of: exchange, status: 503, retryAfter: Self.delay(exchange, "10"))
      }
    }
    #expect(!fixture.warehouse.names.contains("Play"))
  }

  @Test func `an address over its limit is 503, too, also where Google's clients get a picture`() async throws {
    var settings = CollectorSettings()
    settings.addressLimits = .address
    settings.addressLimits.requestsPerSecond = 1
    let fixture = try Fixture(settings)
    try await fixture.routed { client in
      for _ in 0..<60 { _ = try await client.execute(uri: "/collect?v=1", method: .get) }
      for exchange in ClientExchange.all {
        let response = try await exchange.send(to: client)
        // Before its body is read, a request may be that of any client of its address.
        var seen = exchange
        if exchange.route.path == "/batch" { seen.source = "posthog" }
        try Self.expectError(response, of: seen, status: 503, retryAfter: Self.delay(seen, "1"))
      }
    }
    #expect(fixture.warehouse.batches.isEmpty)
  }

  @Test func `an unreadable body is refused in the client's form, or taken where it would come again for ever`()
    async throws
  {
    let fixture = try Self.fixture()
    try await fixture.routed { client in
      for exchange in ClientExchange.all where exchange.route.method == .post {
        let response = try await exchange.send(to: client, body: Array("{\"batch\":[{\"events\"".utf8))
        var seen = exchange
        if exchange.route.path == "/batch" { seen.source = "posthog" }
        try Self.expectRefusal(response, of: seen, status: 400)
      }
    }
    #expect(fixture.warehouse.names.isEmpty)
  }

  @Test func `a compressed body that is cut off comes again, a damaged one doesn't`() async throws {
    let fixture = try Self.fixture()
    let exchange = try #require(ClientExchange.all.first { $0.route.path == "/v1/batch" })
    let whole = storedGzip(Array(exchange.body.replacing("%", with: ClientExchange.key).utf8))
    let damaged = whole.dropLast(6) + [whole[whole.count - 6] ^ 1] + whole.suffix(5)
    try await fixture.routed { client in
      func send(_ body: [UInt8]) async throws -> TestResponse {
        try await exchange.send(to: client, body: body, and: [.contentEncoding: "gzip"])
      }
      Self.expectSuccess(try await send(whole), of: exchange, "compressed")
      try Self.expectError(try await send(Array(whole.dropLast(4))), of: exchange, status: 503, retryAfter: "5")
      try Self.expectError(try await send(Array(damaged)), of: exchange, status: 400)
    }
    #expect(fixture.warehouse.names == ["Play"])
  }

  @Test func `an empty Content-Encoding is none, and an unknown one is refused in the client's form`() async throws {
    let fixture = try Self.fixture()
    try await fixture.routed { client in
      for exchange in ClientExchange.all where exchange.route.method == .post {
        let response = try await exchange.send(to: client, and: [.contentEncoding: ""])
        Self.expectSuccess(response, of: exchange, "empty encoding")
        var seen = exchange
        if exchange.route.path == "/batch" { seen.source = "posthog" }
        try Self.expectRefusal(
          try await exchange.send(to: client, and: [.contentEncoding: "br"]), of: seen, status: 415)
      }
    }
  }

  @Test func `a body that is too large is refused without a delay, which would make some clients repeat it`()
    async throws
  {
    let fixture = try Self.fixture()
    let bytes = IngestLimits.clients.maximumBodyBytes + 1
    try await fixture.routed { client in
      for exchange in ClientExchange.all where exchange.route.method == .post {
        let path = exchange.spellings[0]
        let response = try await client.execute(uri: path, method: .post, headers: [.contentLength: "\(bytes)"])
        var seen = exchange
        if exchange.route.path == "/batch" { seen.source = "posthog" }
        try Self.expectRefusal(response, of: seen, status: 413)
      }
    }
    #expect(fixture.warehouse.batches.isEmpty)
  }
}
