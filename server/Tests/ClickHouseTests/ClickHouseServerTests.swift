import TernHTTP
import TernValues
import Testing

@testable import ClickHouse

@Suite struct ClickHouseServerTests {
  @Test func `an address is a scheme, a host, a port and perhaps a path`() throws {
    for text in ["http://db:8123", "https://db", "http://[::1]:8123", "HTTP://db:8123/clickhouse"] {
      #expect(try ClickHouseServer(text).url.lowercased() == text.lowercased())
    }
    #expect(try ClickHouseServer("http://db:8123/").url == "http://db:8123")
    for text in [
      "", "db:8123", "ftp://db", "http://", "http:///x", "http://:8123", "http://db?user=x", "http://db#x",
      "http://d b",
      "http://db\n", "http://dbé",
    ] {
      #expect(throws: ClickHouseError.self, "\(text)") { try ClickHouseServer(text) }
    }
  }

  @Test func `an address with a password is refused without repeating it`() {
    let error = #expect(throws: ClickHouseError.self) { try ClickHouseServer("http://tern:secret@db:8123") }
    #expect(error?.message.contains("secret") == false && error?.message.contains("file") == true)
  }

  @Test func `credentials are a line of a file, and their password is in no text`() throws {
    let credentials = try ClickHouseCredentials(line: "tern:a:b c\nsecond line")
    #expect(credentials.user == "tern" && credentials.password == "a:b c")
    var dumped = "\(credentials) \(String(reflecting: credentials)) \(Optional(credentials) as Any)"
    dump(credentials, to: &dumped)
    #expect(dumped.contains("tern") && !dumped.contains("a:b"))
    for line in ["", "tern", ":secret", "tern:a\u{7}b"] {
      let error = #expect(throws: ClickHouseError.self) { try ClickHouseCredentials(line: line) }
      #expect(error?.message.contains("secret") == false)
    }
  }

  @Test func `only status 200 without an exception is a success`() throws {
    let server = try ClickHouseServer("http://db")
    func error(_ status: Int, _ headers: [String: String], _ body: String) -> ClickHouseError? {
      ClickHouseError(TransportResponse(status: status, headers: headers, body: Array(body.utf8)), from: server)
    }
    #expect(error(200, [:], "") == nil)
    let late = try #require(error(200, ["x-clickhouse-exception-code": "241"], "Code: 241. Memory\nlimit"))
    #expect(late.code == .refused && late.exception == 241 && late.message.contains("Memory limit"))
    #expect(error(500, [:], "Code: 60, e.displayText() = no table")?.exception == 60)
    #expect(error(500, [:], "Code: 193, wrong password")?.code == .unauthorized)
    #expect(error(403, ["x-clickhouse-exception-code": "516"], "")?.code == .unauthorized)
    for status in [204, 302, 401, 404, 502] { #expect(error(status, [:], "") != nil, "\(status)") }
    let long = try #require(error(500, [:], "\u{1B}[31m" + String(repeating: "x", count: 10_000)))
    #expect(long.message.utf8.count < 1_000 && !long.message.contains("\u{1B}"))
  }

  @Test func `a failure says whether the statement may have been executed`() throws {
    let server = try ClickHouseServer("https://db")
    func code(_ kind: HTTPClient.Failure.Kind) -> ClickHouseError.Code {
      ClickHouseError(HTTPClient.Failure(kind, "x"), from: server).code
    }
    #expect([.offline, .timedOut, .connection].map(code).allSatisfy { $0 == .unreachable })
    #expect(code(.untrusted) == .untrusted && code(.tooLong) == .damaged && code(.cancelled) == .cancelled)
  }
}
