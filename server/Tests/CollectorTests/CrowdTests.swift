import Foundation
import Hummingbird
import NIOCore
import TernBase
import TernEvents
import Testing
import Warehouse
import WarehouseSQLite

@testable import HTTP
@testable import TernServer

/// Tests with many connections that try to harm the others, on a socket.
@Suite(.timeLimit(.minutes(30))) struct CrowdTests {
  private func head(_ fixture: Fixture, _ fields: String) -> String {
    "POST /v1/events HTTP/1.1\r\nHost: localhost\r\nTern-Key: \(fixture.app.key)\r\n\(fields)\r\n\r\n"
  }

  /// Keeps connections open, each after sending some text, while `body` runs.
  private func withCrowd<Value>(
    _ texts: [String], to port: Int, _ body: ([RawConnection]) async throws -> Value
  ) async throws -> Value {
    func open(_ rest: ArraySlice<String>, _ opened: [RawConnection]) async throws -> Value {
      guard let text = rest.first else { return try await body(opened) }
      return try await RawConnection.open(to: port) { connection in
        try? await connection.send(text)
        return try await open(rest.dropFirst(), opened + [connection])
      }
    }
    return try await open(texts[...], [])
  }

  private func store(_ fixture: Fixture, _ port: Int, padding: Int = 0) async throws -> String {
    try await RawConnection.open(to: port) { connection in
      let body = line("Play") + String(repeating: "\n", count: padding)
      try await connection.send(head(fixture, "Content-Length: \(body.utf8.count)") + body)
      return try await connection.receive(until: "}")
    }
  }

  @Test(arguments: ["/v1/events", "/logs", "/collect", "/batch", "/login", "/api/v1/apps"])
  func `bodies that are only declared take no room from others`(path: String) async throws {
    let fixture = try Fixture(CollectorSettings(limits: CollectorLimits(maximumPendingBytes: 16_000)))
    try await fixture.running { port in
      let fields =
        "POST \(path) HTTP/1.1\r\nHost: x\r\nTern-Key: \(fixture.app.key)\r\nApp-Secret: \(fixture.app.appSecret)\r\n"
        + "Authorization: Bearer \(fixture.token)\r\n"
      let announced = fields + "Content-Length: 16000\r\n\r\n"
      let chunked = fields + "Transfer-Encoding: chunked\r\n\r\n"
      let crowd = Array(repeating: announced, count: 10) + Array(repeating: chunked, count: 10)
      try await withCrowd(crowd, to: port) { _ in
        let answer = try await store(fixture, port)
        #expect(answer.hasPrefix("HTTP/1.1 200"))
      }
    }
  }

  @Test func `incomplete bodies give way to one that makes progress`() async throws {
    let fixture = try Fixture(CollectorSettings(limits: CollectorLimits(maximumPendingBytes: 100_000)))
    try await fixture.running { port in
      let begun = head(fixture, "Content-Length: 50000") + String(repeating: "\n", count: 45_000)
      try await withCrowd([begun, begun], to: port) { crowd in
        // While the others' bytes are still arriving, this one may be the one to give way.
        var answer = ""
        for _ in 0..<5 where !answer.hasPrefix("HTTP/1.1 200") {
          answer = try await store(fixture, port, padding: 60_000)
        }
        #expect(answer.hasPrefix("HTTP/1.1 200"))
        // At least one of the two was cut off; the other may finish.
        try? await crowd[1].send(String(repeating: "\n", count: 5_000))
        _ = try await crowd[1].receive(until: "}")
      }
    }
    #expect(fixture.warehouse.names == ["Play"])
  }

  @Test func `a body is refused before it is read while complete bodies fill the budget`() async throws {
    let fixture = try Fixture(CollectorSettings(limits: CollectorLimits(maximumPendingBytes: 1_000)))
    fixture.warehouse.hold()
    try await fixture.running { port in
      async let first = store(fixture, port)
      await fixture.warehouse.commitWaits()
      try await RawConnection.open(to: port) { connection in
        try await connection.send(head(fixture, "Content-Length: 990"))
        let answer = try await connection.receive(until: "}}")
        #expect(answer.hasPrefix("HTTP/1.1 503"))
        #expect(answer.lowercased().contains("retry-after: 5"))
      }
      fixture.warehouse.release()
      let answer = try await first
      #expect(answer.hasPrefix("HTTP/1.1 200"))
    }
  }

  @Test func `a stalled body is aborted long before its deadline`() async throws {
    let limits = CollectorLimits(
      bodyProgressInterval: .milliseconds(200), minimumBodyProgress: 100, bodyDeadline: .seconds(3_600),
      idleTimeout: .seconds(3_600))
    let fixture = try Fixture(CollectorSettings(limits: limits))
    try await fixture.running { port in
      try await RawConnection.open(to: port) { connection in
        try await connection.send(head(fixture, "Content-Length: 1000") + "{")
        #expect(try await !connection.receiveToEnd().contains("200 OK"))
      }
    }
  }

  @Test(arguments: ["", "G", "GET / HTTP/1.1\r\nHost: x\r\nX-a: "])
  func `an incomplete head is aborted long before an idle connection`(text: String) async throws {
    let limits = CollectorLimits(headDeadline: .milliseconds(300), idleTimeout: .seconds(3_600))
    let fixture = try Fixture(CollectorSettings(limits: limits))
    try await fixture.running { port in
      try await withCrowd([text, "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"], to: port) { crowd in
        let nothing = try await crowd[0].receiveToEnd()
        #expect(nothing == "")
        _ = try await crowd[1].receive(until: "}")
        // The start of a second head, sent separately.
        try? await crowd[1].send("GET / HTTP/1.1\r\nX")
        _ = try await crowd[1].receiveToEnd()
      }
    }
  }

  @Test(.serialized, arguments: ["", "GET / HTTP/1.1\r\nX-a: ", "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"])
  func `connections over the limit do not keep new clients out`(text: String) async throws {
    let limits = CollectorLimits(
      maximumConnections: 8, maximumConnectionsPerClient: 8, headDeadline: .seconds(3_600), idleTimeout: .seconds(3_600)
    )
    let fixture = try Fixture(CollectorSettings(limits: limits))
    try await fixture.running { port in
      try await withCrowd(Array(repeating: text, count: 200), to: port) { crowd in
        // Retries when cut off, as a client does.
        var answer = ""
        for _ in 0..<5 where !answer.hasPrefix("HTTP/1.1 200") { answer = (try? await store(fixture, port)) ?? "" }
        #expect(answer.hasPrefix("HTTP/1.1 200"))
        _ = try await crowd[0].receiveToEnd()
      }
    }
  }

  @Test func `a client that reads no responses is disconnected`() async throws {
    let fixture = try Fixture(CollectorSettings(limits: CollectorLimits(idleTimeout: .milliseconds(300))))
    try await fixture.running { port in
      try await RawConnection.open(to: port) { connection in
        let requests = String(repeating: "GET /assets/tern.css HTTP/1.1\r\nHost: x\r\n\r\n", count: 1_000)
        // Sending fails once the server has closed the connection, and blocks until then.
        await #expect(throws: RawConnection.Failure.self) {
          while true { try await connection.send(requests) }
        }
      }
    }
  }

  @Test(arguments: [
    ("HTTP/1.0\r\n\r\n", true), ("HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", false),
    ("HTTP/1.1\r\nHost: x\r\n\r\n", false), ("HTTP/1.1\r\nHost: x\r\nConnection: Close\r\n\r\n", true),
  ])
  func `a connection is closed after the response if the client's version or header requires it`(
    end: String, closes: Bool
  ) async throws {
    let fixture = try Fixture(CollectorSettings(limits: CollectorLimits(idleTimeout: .seconds(3_600))))
    try await fixture.running { port in
      try await RawConnection.open(to: port) { connection in
        try await connection.send("GET /healthz \(end)")
        let first = try await closes ? connection.receiveToEnd() : connection.receive(until: "}")
        #expect(first.hasPrefix("HTTP/1.1 200"))
        guard !closes else { return }
        try await connection.send("GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        #expect(try await connection.receiveToEnd().contains("}HTTP/1.1 200"))
      }
    }
  }

  @Test func `an app that sends too many names is logged once a minute, and counted`() async throws {
    let time = Locked(Duration.zero)
    let fixture = try Fixture(uptime: { time.withLock { $0 } })
    try await fixture.routed { client in
      for minute in 0..<3 {
        time.withLock { $0 = .seconds(60) * minute }
        for number in 0..<5 {
          let body = ByteBuffer(string: line("Play", id: UInt64(minute * 5 + number)))
          let response = try await client.execute(uri: "/v1/events", method: .post, headers: fixture.keyed, body: body)
          #expect(response.status == .ok)
        }
        fixture.warehouse.flood()
      }
      let metrics = try await client.execute(uri: "/metrics", method: .get, headers: fixture.authorized)
      #expect(String(buffer: metrics.body).contains("\ntern_unnamed_events_total 10\n"))
    }
    let messages = fixture.log.messages
    #expect(messages.count == 2 && messages.allSatisfy { $0.contains("app 1 had more new names than allowed") })
    #expect(messages.first?.contains("A batch of") == true && messages.last?.contains("5 batches of") == true)
  }

  @Test func `requests for unknown apps are logged at intervals, without secrets or control characters`()
    async throws
  {
    let time = Locked(Duration.zero)
    let fixture = try Fixture(uptime: { time.withLock { $0 } })
    try await fixture.routed { client in
      for minute in 0..<2 {
        time.withLock { $0 = .seconds(60) * minute }
        for _ in 0..<20 {
          let hit = "v=1&tid=UA-9-\(minute)%1B%5B2J&cid=c&t=screenview"
          _ = try await client.execute(uri: "/collect", method: .post, body: ByteBuffer(string: hit))
          _ = try await client.execute(
            uri: "/v1/events", method: .post, headers: [.ternKey: "tern_secret"], body: ByteBuffer(string: line("Play"))
          )
        }
      }
    }
    let messages = fixture.log.messages
    #expect(messages.count == 2 && messages.allSatisfy { $0.contains("unknown app") && !$0.contains("secret") })
    #expect(messages.first?.contains("UA-9-02J") == true && messages.last?.contains("40 requests name") == true)
    #expect(!messages.joined().contains("\u{1B}"))
  }

  @Test func `a warehouse that fails every request is logged at intervals`() async throws {
    let fixture = try Fixture(uptime: { .zero })
    let full = WarehouseError(.full, "The disk is full.")
    fixture.warehouse.fail(with: full)
    try await fixture.routed { client in
      for _ in 0..<50 {
        let answer = try await client.execute(
          uri: "/v1/events", method: .post, headers: fixture.keyed, body: ByteBuffer(string: line("Play")))
        #expect(answer.status == .serviceUnavailable)
      }
    }
    #expect(fixture.log.messages.count == 1)
  }
}
