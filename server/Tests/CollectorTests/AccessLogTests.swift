import Foundation
import HTTPTypes
import TernEvents
import Testing
import Warehouse

@testable import HTTP

/// Tests the log of requests.
@Suite(.timeLimit(.minutes(30))) struct AccessLogTests {
  private static func temporaryPath() -> String {
    FileManager.default.temporaryDirectory.appending(path: "tern-access-\(UUID().uuidString).log").path
  }

  /// Sends requests, each on a connection of its own, and returns the log.
  private func log(of requests: (Fixture) -> [String], addresses: Bool = false) async throws -> [String] {
    let path = Self.temporaryPath()
    defer { try? FileManager.default.removeItem(atPath: path) }
    let log = try AccessLog(path: path, showsAddresses: addresses)
    let fixture = try Fixture(accessLog: log)
    let texts = requests(fixture)
    try await fixture.running { port in
      for text in texts {
        try await RawConnection.open(to: port) { connection in
          try await connection.send(text)
          _ = try await connection.receiveToEnd()
        }
      }
    }
    log.flush()
    #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
    return try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map(String.init)
  }

  @Test func `a line names the route, never the path, a key, a token or a text`() async throws {
    let lines = try await log { fixture in
      let end = "Host: localhost\r\nConnection: close\r\n"
      let body = line("Hidden name")
      return [
        "GET /healthz HTTP/1.1\r\n\(end)\r\n",
        "POST /v1/events HTTP/1.1\r\nTern-Key: \(fixture.app.key)\r\n\(end)Content-Length: \(body.utf8.count)\r\n\r\n\(body)",
        "GET /api/v1/apps/1/reports/overview?hidden=1 HTTP/1.1\r\nAuthorization: Bearer \(fixture.token)\r\n\(end)\r\n",
        "GET /hidden/path?hidden HTTP/1.1\r\n\(end)\r\n", "PROPFIND / HTTP/1.1\r\n\(end)\r\n",
      ]
    }
    let entries = try lines.map {
      try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any], "\($0)")
    }
    #expect(entries.count == 5)
    for entry in entries { #expect(Set(entry.keys) == ["time", "method", "route", "status", "bytes", "duration_ms"]) }
    #expect(entries.map { $0["route"] as? String }.prefix(2) == ["/healthz", "/v1/events"])
    #expect(entries.last?["method"] as? String == "OTHER")
    #expect(entries.compactMap { $0["status"] as? Int } == [200, 200, 200, 404, 404])
    #expect(entries.first?["bytes"] as? Int == 15)
    #expect(lines.allSatisfy { !$0.lowercased().contains("hidden") && !$0.contains("127.0.0.1") })
  }

  @Test func `addresses are logged if asked for`() async throws {
    let lines = try await log(
      of: { _ in ["GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"] }, addresses: true)
    #expect(lines.count == 1 && lines.first?.hasSuffix(",\"client\":\"127.0.0.1\"}") == true, "\(lines)")
  }

  @Test func `a line has a fixed form`() {
    let entry = AccessLogEntry(
      time: .init(millisecondsSince1970: 1_000), method: .get, route: "/apps/:app", status: 200, client: "1.2.3.4")
    #expect(
      entry.line(bytes: 7, duration: .microseconds(12_034))
        == #"{"time":"1970-01-01T00:00:01.000Z","method":"GET","route":"/apps/:app","status":200,"bytes":7,"#
        + #""duration_ms":12.034,"client":"1.2.3.4"}"#)
  }

  @Test func `an existing file is continued, also after it has been truncated`() throws {
    let path = Self.temporaryPath()
    defer { try? FileManager.default.removeItem(atPath: path) }
    try Data("old\n".utf8).write(to: URL(filePath: path))
    let log = try AccessLog(path: path, showsAddresses: false)
    log.append("one")
    log.flush()
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "old\none\n")
    truncate(path, 0)
    log.append("two")
    log.flush()
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "two\n")
    #expect(log.droppedLines == 0)
  }

  @Test func `a file that can't be opened is an error with its name`() {
    let error = #expect(throws: CollectorError.self) {
      try AccessLog(path: "/nonexistent/access.log", showsAddresses: false)
    }
    #expect(error?.message == "The access log /nonexistent/access.log can't be opened: No such file or directory.")
  }

  #if os(Linux)
    @Test func `lines that a full disk refuses are counted`() throws {
      let log = try AccessLog(path: "/dev/full", showsAddresses: false)
      log.append("one")
      log.flush()
      log.append("two")
      log.flush()
      #expect(log.droppedLines == 2)
    }
  #endif
}
