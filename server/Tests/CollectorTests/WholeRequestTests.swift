import Foundation
import TernEvents
import Testing
import Warehouse

@testable import Collector

/// Tests that requests answered from a whole body behave like those that Hummingbird reads in parts.
@Suite(.timeLimit(.minutes(10))) struct WholeRequestTests {
  private func native(_ fixture: Fixture, _ body: String, _ fields: String = "") -> String {
    "POST /v1/events HTTP/1.1\r\nHost: x\r\nTern-Key: \(fixture.app.key)\r\n\(fields)"
      + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
  }

  private func chunked(_ fixture: Fixture, _ body: String) -> String {
    "POST /v1/events HTTP/1.1\r\nHost: x\r\nTern-Key: \(fixture.app.key)\r\nTransfer-Encoding: chunked\r\n\r\n"
      + "\(String(body.utf8.count, radix: 16))\r\n\(body)\r\n0\r\n\r\n"
  }

  /// A last request, so that a test knows when everything before it was answered.
  private let end = "GET /health/live HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"

  /// The answers to requests sent on one connection in pieces of random sizes.
  private func answers(
    to requests: (Fixture) -> [String], seed: UInt64, maximumImmediateBytes: Int
  ) async throws -> (text: String, names: [String]) {
    let fixture = try Fixture(CollectorSettings(limits: CollectorLimits(maximumImmediateBytes: maximumImmediateBytes)))
    let bytes = Array(requests(fixture).joined().utf8) + Array(end.utf8)
    let text = try await fixture.running { port in
      try await RawConnection.open(to: port) { connection in
        var (generator, rest) = (FastGenerator(seed: seed), bytes[...])
        while !rest.isEmpty {
          let piece = rest.prefix(Int.random(in: 1...2_000, using: &generator))
          try await connection.send(Array(piece))
          rest = rest.dropFirst(piece.count)
        }
        return try await connection.receiveToEnd()
      }
    }
    return (text, fixture.warehouse.names)
  }

  /// Removes what differs in each run.
  private func comparable(_ text: String) -> String {
    text.replacing(/[Dd]ate: [^\r]*\r\n/, with: "").replacing(/"correlationId":"[^"]*"/, with: "")
      .replacing(/Content-Length|content-length/, with: "length")
  }

  @Test(arguments: 0..<30) func `answers are the same, in the same order, whoever reads the requests`(
    seed: UInt64
  ) async throws {
    let requests: (Fixture) -> [String] = { fixture in
      var generator = FastGenerator(seed: seed)
      return (0..<12).map { number in
        let event = line("Play \(number)", id: UInt64(number), at: Timestamp(millisecondsSince1970: 1_780_000_000_000))
        let secret = "App-Secret: \(fixture.app.appSecret)\r\n"
        let log = #"{"logs":[{"type":"event","name":"Log \#(number)","timestamp":"2026-05-28T20:26:40Z"}]}"#
        let choices = [
          native(fixture, event), native(fixture, event), native(fixture, event + "\n" + event),
          native(fixture, "{"), native(fixture, event, "Content-Encoding: br\r\n"), chunked(fixture, event),
          "POST /v1/events HTTP/1.1\r\nHost: x\r\nTern-Key: unknown\r\nContent-Length: 2\r\n\r\n{}",
          native(fixture, ""), "GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n",
          "POST /logs?api-version=1.0.0 HTTP/1.1\r\nHost: x\r\n\(secret)Content-Length: \(log.utf8.count)\r\n\r\n\(log)",
          "POST /logs HTTP/1.1\r\nHost: x\r\n\(secret)Content-Length: 5\r\n\r\nnoise",
          "POST /logs HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}",
          "POST /collect HTTP/1.1\r\nHost: x\r\nContent-Length: 8\r\n\r\nv=1&t=ev",
          "PUT /collect HTTP/1.1\r\nHost: x\r\nContent-Length: 8\r\n\r\nv=1&t=ev",
        ]
        return choices[Int.random(in: 0..<choices.count, using: &generator)]
      }
    }
    let whole = try await answers(to: requests, seed: seed, maximumImmediateBytes: 64 << 10)
    let parts = try await answers(to: requests, seed: seed, maximumImmediateBytes: 0)
    #expect(comparable(whole.text) == comparable(parts.text))
    #expect(whole.names == parts.names)
    #expect(whole.text.ranges(of: "HTTP/1.1 ").count == 13)
    #expect(whole.text.lowercased().ranges(of: "\r\ndate: ").count == 13)
  }

  @Test func `requests that arrive while an answer is awaited are answered after it`() async throws {
    let fixture = try Fixture()
    fixture.warehouse.hold()
    try await fixture.running { port in
      try await RawConnection.open(to: port) { connection in
        try await connection.send(
          native(fixture, line("First")) + chunked(fixture, line("Second", id: 2))
            + native(fixture, line("Third", id: 3)))
        connection.finishSending()
        await fixture.warehouse.commitWaits()
        fixture.warehouse.release()
        let answer = try await connection.receiveToEnd()
        #expect(answer.ranges(of: "\"accepted\":1").count == 3)
      }
    }
    #expect(fixture.warehouse.names == ["First", "Second", "Third"])
  }

  @Test func `noise after a request does not cost its answer`() async throws {
    let fixture = try Fixture()
    fixture.warehouse.hold()
    try await fixture.running { port in
      try await RawConnection.open(to: port) { connection in
        try await connection.send(native(fixture, line("Play")) + "noise\r\n\r\n")
        await fixture.warehouse.commitWaits()
        fixture.warehouse.release()
        let answer = try await connection.receiveToEnd()
        #expect(answer.hasPrefix("HTTP/1.1 200 OK"))
        #expect(answer.contains("HTTP/1.1 400 Bad Request"))
      }
    }
  }

  @Test func `the budget is free again after each request`() async throws {
    let limits = CollectorLimits(maximumPendingBytes: 4_000)
    let fixture = try Fixture(CollectorSettings(limits: limits))
    try await fixture.running { port in
      try await RawConnection.open(to: port) { connection in
        for number in 1...20 {
          try await connection.send(native(fixture, line("Play \(number)", id: UInt64(number))))
          _ = try await connection.receive { $0.ranges(of: "\"accepted\":1").count == number }
        }
      }
    }
    #expect(fixture.warehouse.names.count == 20)
  }

  @Test func `the date is written as HTTP requires`() {
    #expect(ResponseDate.format(784_111_777) == "Sun, 06 Nov 1994 08:49:37 GMT")
    #expect(ResponseDate.format(0) == "Thu, 01 Jan 1970 00:00:00 GMT")
    #expect(ResponseDate.format(-1) == "Wed, 31 Dec 1969 23:59:59 GMT")
    let dates = ResponseDate()
    #expect(dates.text(at: Timestamp(millisecondsSince1970: 1_999)) == "Thu, 01 Jan 1970 00:00:01 GMT")
    #expect(dates.text(at: Timestamp(millisecondsSince1970: 2_000)) == "Thu, 01 Jan 1970 00:00:02 GMT")
  }
}
