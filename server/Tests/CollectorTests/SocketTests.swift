import Foundation
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

/// Tests the collector on a socket, for behaviour that only real connections show.
@Suite(.timeLimit(.minutes(30))) struct SocketTests {
  private func head(_ fixture: Fixture, _ fields: String) -> String {
    "POST /v1/events HTTP/1.1\r\nHost: localhost\r\nTern-Key: \(fixture.app.key)\r\n\(fields)\r\n\r\n"
  }

  @Test func `a body that arrives in pieces is stored, and the connection is reused`() async throws {
    // Among many other tests, the pieces may take long, which is not what this test measures.
    let limits = CollectorLimits(bodyProgressInterval: .seconds(3_600), bodyDeadline: .seconds(3_600))
    let fixture = try Fixture(CollectorSettings(limits: limits))
    try await fixture.running { port in
      try await RawConnection.open(to: port) { connection in
        let body = line("Play")
        try await connection.send(head(fixture, "Content-Length: \(body.utf8.count)"))
        for piece in body.map(String.init) { try await connection.send(piece) }
        #expect(try await connection.receive(until: "\"rejected\":[]}").hasPrefix("HTTP/1.1 200 OK"))
        try await connection.send(head(fixture, "Transfer-Encoding: chunked"))
        let second = line("Stop", id: 2)
        try await connection.send("\(String(second.utf8.count, radix: 16))\r\n\(second)\r\n0\r\n\r\n")
        #expect(try await connection.receive(until: "\"accepted\":1,\"duplicates\":[],\"rejected\":[]}HTTP") != "")
      }
    }
    #expect(fixture.warehouse.names == ["Play", "Stop"])
  }

  @Test func `a client that expects 100 Continue gets it if its body will be read`() async throws {
    let fixture = try Fixture()
    try await fixture.running { port in
      try await RawConnection.open(to: port) { connection in
        let body = line("Play")
        try await connection.send(head(fixture, "Content-Length: \(body.utf8.count)\r\nExpect: 100-continue"))
        let invitation = try await connection.receive(until: "\r\n\r\n")
        #expect(invitation == "HTTP/1.1 100 Continue\r\n\r\n")
        try await connection.send(body)
        #expect(try await connection.receive(until: "}").contains("HTTP/1.1 200 OK"))
      }
      try await RawConnection.open(to: port) { connection in
        try await connection.send(head(fixture, "Content-Length: 999999999\r\nExpect: 100-continue"))
        let answer = try await connection.receiveToEnd()
        #expect(answer.hasPrefix("HTTP/1.1 413"))
      }
    }
  }

  @Test func `a body that takes a minute does not move its events`() async throws {
    let now = Locked(Timestamp(millisecondsSince1970: 1_780_000_000_000))
    let fixture = try Fixture(wallTime: { now.withLock { $0 } })
    let arrived = now.withLock { $0 }
    // The device's clock is twenty years slow; the event happened ten seconds before the request was built.
    let shown = arrived - .seconds(20 * 365 * 86_400)
    let body = line("Play", at: shown - .seconds(10))
    try await fixture.running { port in
      try await RawConnection.open(to: port) { connection in
        let sent = "Tern-Sent: time=\(shown.millisecondsSince1970)"
        try await connection.send(
          head(fixture, "Content-Length: \(body.utf8.count)\r\nExpect: 100-continue\r\n\(sent)"))
        #expect(try await connection.receive(until: "\r\n\r\n").hasPrefix("HTTP/1.1 100"))
        now.withLock { $0 = arrived + .seconds(60) }
        try await connection.send(body)
        #expect(try await connection.receive(until: "]}").contains("\"accepted\":1"))
      }
    }
    let batch = try #require(fixture.warehouse.batches.first)
    #expect(batch.events.map(\.time) == [arrived - .seconds(10)])
    #expect(batch.received == arrived + .seconds(60))
  }

  @Test func `a refused body is not read: too large, unknown key, overloaded`() async throws {
    let fixture = try Fixture(CollectorSettings(limits: CollectorLimits(maximumPendingBytes: 100_000)))
    try await fixture.running { port in
      for (request, status) in [
        (head(fixture, "Content-Length: 99999999"), "413"), (head(fixture, "Content-Length: 100001"), "503"),
        ("POST /v1/events HTTP/1.1\r\nHost: x\r\nContent-Length: 4000000\r\n\r\n", "401"),
      ] {
        try await RawConnection.open(to: port) { connection in
          try await connection.send(request)
          // No byte of the body is sent, yet the response arrives and the connection ends.
          let answer = try await connection.receiveToEnd()
          #expect(answer.hasPrefix("HTTP/1.1 \(status)"), "\(request)\(answer)")
          #expect(answer.lowercased().contains("connection: close"))
          if status == "503" { #expect(answer.lowercased().contains("retry-after: 5")) }
        }
      }
    }
  }

  @Test func `a body of undeclared length is cut off at the limit`() async throws {
    let fixture = try Fixture(
      CollectorSettings(protocols: ProtocolSettings(native: IngestLimits(maximumBodyBytes: 100_000))))
    try await fixture.running { port in
      try await RawConnection.open(to: port) { connection in
        try await connection.send(head(fixture, "Transfer-Encoding: chunked"))
        let piece = "10000\r\n" + String(repeating: " ", count: 0x10000) + "\r\n"
        for _ in 0..<2 { try? await connection.send(piece) }
        #expect(try await connection.receiveToEnd().hasPrefix("HTTP/1.1 413"))
      }
    }
  }

  @Test func `slow bodies and silent connections are closed without affecting others`() async throws {
    let limits = CollectorLimits(bodyDeadline: .seconds(3), idleTimeout: .seconds(3))
    let fixture = try Fixture(CollectorSettings(limits: limits))
    try await fixture.running { port in
      try await RawConnection.open(to: port) { slow in
        try await slow.send(head(fixture, "Content-Length: 1000") + "{")
        try await RawConnection.open(to: port) { silent in
          // A busy machine may take longer than that for any request, so this one is tried until it is answered in time.
          var isAnswered = false
          while !isAnswered {
            try await RawConnection.open(to: port) { other in
              let body = line("Play")
              try? await other.send(head(fixture, "Content-Length: \(body.utf8.count)") + body)
              isAnswered = (try? await other.receive(until: "}"))?.hasPrefix("HTTP/1.1 200") ?? false
            }
          }
          #expect(try await silent.receiveToEnd() == "")
        }
        #expect(try await !slow.receiveToEnd().contains("200 OK"))
      }
    }
    #expect(Set(fixture.warehouse.names) == ["Play"])
  }

  /// A stock App Center client deletes its queue after any 4xx, although the truncation may not be its fault.
  @Test(
    arguments: [("/v1/events", "400"), ("/logs", "503"), ("/collect", "400"), ("/batch", "503")], [true, false])
  func
    `an incomplete body is the client's error, except for a client that would erase its queue, and is not logged`(
      endpoint: (path: String, status: String), isHalfClosed: Bool
    ) async throws
  {
    let (path, status) = endpoint
    let fixture = try Fixture()
    try await fixture.running { port in
      for framing in ["Content-Length: 500\r\n\r\n{\"logs\":[", "Transfer-Encoding: chunked\r\n\r\n40\r\n{\"logs\":["] {
        try await RawConnection.open(to: port) { connection in
          try await connection.send(
            "POST \(path) HTTP/1.1\r\nHost: x\r\nTern-Key: \(fixture.app.key)\r\n"
              + "App-Secret: \(fixture.app.appSecret)\r\n\(framing)")
          guard isHalfClosed else { return }
          connection.finishSending()
          let answer = try await connection.receiveToEnd()
          #expect(answer.hasPrefix("HTTP/1.1 \(status)") && answer.contains("\"incomplete\""))
          #expect(answer.lowercased().contains("x-ms-retry-after-ms: 5000") == (path == "/logs"))
        }
      }
      let counted = try await metrics(port, fixture) { $0.contains("endpoint=\"\(path)\",status=\"\(status)\"} 2\n") }
      #expect(!counted.contains("status=\"500\""))
    }
    #expect(fixture.warehouse.batches.isEmpty)
    #expect(fixture.log.messages.isEmpty)
  }

  /// Waits until the metrics contain the text and returns them; the suite's time limit ends the wait.
  private func metrics(_ port: Int, _ fixture: Fixture, _ isEnough: (String) -> Bool) async throws -> String {
    while true {
      let text = try await RawConnection.open(to: port) { connection in
        try await connection.send(
          "GET /metrics HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(fixture.token)\r\nConnection: close\r\n\r\n")
        return try await connection.receiveToEnd()
      }
      if isEnough(text) || text.contains("status=\"500\"") { return text }
      try Task.checkCancellation()
    }
  }

  @Test func `a gzip bomb is refused, and the next request is served`() async throws {
    let fixture = try Fixture()
    try await fixture.running { port in
      try await RawConnection.open(to: port) { connection in
        // Sixteen times the limit, in 64 KiB on the wire.
        let bomb = GzipBomb.bytes(megabytes: 64)
        try await connection.send(head(fixture, "Content-Encoding: gzip\r\nContent-Length: \(bomb.count)"))
        try await connection.send(bomb)
        #expect(try await connection.receive(until: "}}").hasPrefix("HTTP/1.1 413"))
      }
      try await RawConnection.open(to: port) { connection in
        let body = line("Play")
        try await connection.send(head(fixture, "Content-Length: \(body.utf8.count)") + body)
        #expect(try await connection.receive(until: "}").hasPrefix("HTTP/1.1 200"))
      }
    }
  }

  @Test(arguments: 0..<20) func `noise on a connection does not stop the server`(seed: UInt64) async throws {
    // Among many other tests, even a short request may take long to arrive.
    let patient = CollectorLimits(bodyProgressInterval: .seconds(3_600), headDeadline: .seconds(3_600))
    let fixture = try Fixture(CollectorSettings(limits: patient))
    try await fixture.running { port in
      var generator = FastGenerator(seed: seed)
      let starts = [
        "", "GET / HTTP/1.1\r\n", head(fixture, "Content-Length: 500"), head(fixture, "Transfer-Encoding: chunked"),
        head(fixture, "Content-Encoding: gzip\r\nContent-Length: 500"), "POST /logs HTTP/1.0\r\n\r\n",
        "GET /collect?\(String(repeating: "%", count: 4_000)) HTTP/1.1\r\nHost: x\r\n\r\n",
      ]
      for start in starts {
        try await RawConnection.open(to: port) { connection in
          try? await connection.send(start)
          let noise = (0..<500).map { _ in UInt8.random(in: 0...255, using: &generator) }
          try? await connection.send(noise)
        }
      }
      try await RawConnection.open(to: port) { connection in
        let body = line("Play")
        try await connection.send(head(fixture, "Content-Length: \(body.utf8.count)") + body)
        #expect(try await connection.receive(until: "}").hasPrefix("HTTP/1.1 200"))
      }
    }
  }

  @Test func `endless header fields are refused`() async throws {
    let fixture = try Fixture()
    try await fixture.running { port in
      try await RawConnection.open(to: port) { connection in
        // All at once: what arrives after the server has closed resets the connection, and the response may be lost.
        let fields = (0..<40).map { "X-\($0): \(String(repeating: "a", count: 1_000))\r\n" }.joined()
        try await connection.send("GET / HTTP/1.1\r\nHost: x\r\n" + fields)
        #expect(try await connection.receiveToEnd().hasPrefix("HTTP/1.1 431 "))
      }
    }
  }

  @Test(arguments: ["", "Host: a\r\nHost: b\r\n"])
  func `a request that doesn't name exactly one host is refused`(hosts: String) async throws {
    let fixture = try Fixture()
    try await fixture.running { port in
      try await RawConnection.open(to: port) { connection in
        try await connection.send("GET /health/live HTTP/1.1\r\n\(hosts)\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n")
        let answer = try await connection.receiveToEnd()
        #expect(answer == "HTTP/1.1 400 Bad Request\r\nconnection: close\r\ncontent-length: 0\r\n\r\n")
      }
    }
  }

  @Test func `a server that is stopping finishes the request in progress`() async throws {
    let fixture = try Fixture()
    fixture.warehouse.hold()
    let request = try await fixture.running { port in
      let request = Task {
        try await RawConnection.open(to: port) { connection in
          let body = line("Play")
          try await connection.send(head(fixture, "Content-Length: \(body.utf8.count)") + body)
          return try await connection.receive(until: "}")
        }
      }
      await fixture.warehouse.commitWaits()
      let (idle, continuation) = AsyncStream.makeStream(of: Void.self)
      Task {
        try await RawConnection.open(to: port) { connection in
          try await connection.send("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
          _ = try await connection.receive(until: "}")
          continuation.yield()
          // Idle connections are closed once the server is stopping; only then may the commit continue.
          _ = try await connection.receiveToEnd()
        }
        fixture.warehouse.release()
      }
      _ = await idle.first { _ in true }
      return request
    }
    let answer = try await request.value
    #expect(answer.hasPrefix("HTTP/1.1 200"))
    #expect(fixture.warehouse.names == ["Play"])
  }

  @Test func `a port in use is reported in one line`() async throws {
    let fixture = try Fixture()
    try await fixture.running { port in
      let second = CollectorServer(.init(port: port), dependencies: fixture.dependencies)
      let failure = await #expect(throws: CollectorError.self) { try await second.run() }
      #expect(failure?.code == .addressInUse)
      #expect(failure?.message.contains(String(port)) == true)
      #expect(failure?.message.contains("\n") == false)
    }
  }

  @Test func `an address of another machine is reported in one line`() async throws {
    let fixture = try Fixture()
    for host in ["192.0.2.1", "no such host"] {
      let server = CollectorServer(.init(host: host, port: 0), dependencies: fixture.dependencies)
      let failure = await #expect(throws: CollectorError.self) { try await server.run() }
      #expect(failure?.code == .cannotListen)
      #expect(failure?.message.contains(host) == true)
    }
  }
}
