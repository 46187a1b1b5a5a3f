import Foundation
import TernEvents
import Testing
import Warehouse

@testable import HTTP
@testable import TernServer

/// Tests of connections on which requests follow one another.
@Suite(.timeLimit(.minutes(10))) struct PipelinedRequestTests {
  private func native(_ fixture: Fixture, _ body: String, _ fields: String = "") -> String {
    "POST /v1/events HTTP/1.1\r\nHost: x\r\nTern-Key: \(fixture.app.key)\r\n\(fields)"
      + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
  }

  private func chunked(_ fixture: Fixture, _ body: String) -> String {
    "POST /v1/events HTTP/1.1\r\nHost: x\r\nTern-Key: \(fixture.app.key)\r\nTransfer-Encoding: chunked\r\n\r\n"
      + "\(String(body.utf8.count, radix: 16))\r\n\(body)\r\n0\r\n\r\n"
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
}
