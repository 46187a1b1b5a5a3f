import AppCatalog
import Foundation
import HTTPTypes
import NIOCore
import Testing
import Warehouse

@testable import HTTP
@testable import TernServer

/// Tests the server-sent events of the live page.
@Suite(.timeLimit(.minutes(30))) struct LiveStreamTests {
  private func request(_ fixture: Fixture, port: Int, _ query: String = "", _ fields: String = "") throws -> String {
    let cookie = try fixture.cookie().replacing("tern_session", with: "tern_session_\(port)")
    return "GET /apps/1/live/events\(query) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nCookie: \(cookie)\r\n\(fields)\r\n"
  }

  private func post(_ fixture: Fixture, port: Int, _ name: String, id: UInt64) async throws {
    try await RawConnection.open(to: port) { connection in
      let body = line(name, id: id)
      let fields = "Tern-Key: \(fixture.app.key)\r\nContent-Length: \(body.utf8.count)"
      try await connection.send("POST /v1/events HTTP/1.1\r\nHost: x\r\n\(fields)\r\n\r\n\(body)")
      _ = try await connection.receive(until: "}")
    }
  }

  @Test func `new rows are sent as events, oldest first, with keep-alives in between`() async throws {
    let fixture = try Fixture(CollectorSettings(heartbeat: .milliseconds(50)))
    try await fixture.running { port in
      try await post(fixture, port: port, "Before", id: 1)
      try await RawConnection.open(to: port) { connection in
        try await connection.send(try request(fixture, port: port))
        let start = try await connection.receive(until: ": alive")
        #expect(start.hasPrefix("HTTP/1.1 200 OK"))
        #expect(start.contains("text/event-stream"))
        #expect(!start.contains("Before"))
        try await post(fixture, port: port, "First", id: 2)
        try await post(fixture, port: port, "Second", id: 3)
        let text = try await connection.receive(until: "\"Second\"")
        let first = try #require(text.firstRange(of: "id: 2\ndata: {"))
        let second = try #require(text.firstRange(of: "id: 3\ndata: {"))
        #expect(first.lowerBound < second.lowerBound)
      }
    }
  }

  @Test func `a page that reconnects gets the rows it missed`() async throws {
    let fixture = try Fixture()
    try await fixture.running { port in
      for id in 1...3 { try await post(fixture, port: port, "Event \(id)", id: UInt64(id)) }
      for (query, fields) in [("?after=1", ""), ("?after=3", "Last-Event-ID: 1\r\n")] {
        try await RawConnection.open(to: port) { connection in
          try await connection.send(try request(fixture, port: port, query, fields))
          let text = try await connection.receive(until: "Event 3")
          #expect(text.contains("Event 2") && !text.contains("Event 1"))
        }
      }
    }
  }

  @Test func `a stream sends the rows that pass the filter of its page`() async throws {
    let fixture = try Fixture()
    try await fixture.running { port in
      for id in 1...3 { try await post(fixture, port: port, "Event \(id)", id: UInt64(id)) }
      try await RawConnection.open(to: port) { connection in
        try await connection.send(try request(fixture, port: port, "?after=0&f1=event+is_not+Event+2"))
        let text = try await connection.receive(until: "Event 3")
        #expect(text.contains("Event 1") && !text.contains("Event 2"))
      }
    }
  }

  @Test func `a stream ends after the logout of its reader, and sends nothing more`() async throws {
    let fixture = try Fixture(CollectorSettings(heartbeat: .milliseconds(50)))
    try await fixture.running { port in
      try await RawConnection.open(to: port) { connection in
        let session = try fixture.catalog.ownerSession()
        try await connection.send(
          "GET /apps/1/live/events HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n"
            + "Cookie: tern_session_\(port)=\(session)\r\nConnection: close\r\n\r\n")
        _ = try await connection.receive(until: ": alive")
        let id = try #require(try fixture.catalog.loginSession(session)).id
        try fixture.catalog.endLoginSession(id)
        try await post(fixture, port: port, "Afterwards", id: 1)
        let rest = try await connection.receiveToEnd()
        #expect(rest.hasSuffix("0\r\n\r\n") && !rest.contains("Afterwards"))
      }
    }
  }

  @Test func `streams are limited, end with the server, and free their slot`() async throws {
    let fixture = try Fixture(CollectorSettings(limits: CollectorLimits(maximumLiveStreams: 1)))
    let stream = try await fixture.running { port in
      let (opened, continuation) = AsyncStream.makeStream(of: Void.self)
      let first = Task {
        try await RawConnection.open(to: port) { connection in
          try await connection.send(try request(fixture, port: port))
          _ = try await connection.receive(until: "retry")
          continuation.yield()
          return try await connection.receiveToEnd()
        }
      }
      _ = await opened.first { _ in true }
      try await RawConnection.open(to: port) { connection in
        try await connection.send(try request(fixture, port: port))
        let refused = try await connection.receive(until: "</html>")
        #expect(refused.hasPrefix("HTTP/1.1 503") && refused.lowercased().contains("retry-after: 5"))
      }
      return first
    }
    let ended = try await stream.value
    #expect(ended.hasSuffix("0\r\n\r\n"), "a proper end")
  }

  @Test func `a visitor has some slots, and they are free again once their streams are gone`() throws {
    let hub = LiveHub()
    let limits = CollectorLimits(maximumLiveStreams: 3, maximumLiveStreamsPerVisitor: 2)
    var places = try (0..<2).map { _ in try hub.place(for: "ann", limits) }
    let error = #expect(throws: APIError.self) { try hub.place(for: "ann", limits) }
    #expect(error?.status == .serviceUnavailable && error?.headers[.retryAfter] == "5")
    #expect(error?.message == "You have 2 live pages open, the most possible. Close one, then reload.")
    let other = try hub.place(for: "bob", limits)
    #expect(throws: APIError.self, "all together have three") { try hub.place(for: "eve", limits) }
    places.removeAll()
    #expect(hub.openStreams == 1)
    places.append(try hub.place(for: "ann", limits))
    #expect(hub.openStreams == 2)
    withExtendedLifetime((places, other)) {}
  }
}
