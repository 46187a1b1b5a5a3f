import AppCatalog
import HTTPTypes
import NIOCore
import Testing
import Warehouse
import WarehouseSQLite

extension ErrorPageTests {
  private static let exception = #","exception":{"type":"Bad","message":"no"}"#

  private func post(
    _ client: TestClient, _ form: String, _ cookie: HTTPFields
  ) async throws -> TestResponse {
    var headers = cookie
    headers[.origin] = "http://localhost"
    return try await client.execute(
      uri: "/apps/1/error-status", method: .post, headers: headers, body: ByteBuffer(string: form))
  }

  @Test func `a closed error leaves the list, and opens again when it comes back in a later version`() async throws {
    try await withCollector { client, app, cookie, warehouse in
      _ = try await send(
        [
          line("crash", 1, Self.exception), line("crash", 2, #","exception":{"type":"Other"}"#),
          line("event", 3, #","name":"E""#, version: "1.3"),
        ], client, key: app.key)
      try await warehouse.flush()
      let closed = try await post(client, "group=1&status=closed&note=Fixed+%3Ci%3E%0D%0Ain+branch&version=", cookie)
      #expect(closed.status == .seeOther && closed.headers[.location] == "/apps/1/error?group=1")
      let group = try await page("/apps/1/error?group=1", client, cookie)
      // By default in the latest version of the app, not of the error.
      for text in ["Status: Closed", "Closed in 1.3 by owner", "Fixed &lt;i&gt;\nin branch"] {
        #expect(group.contains(text), "\(text)")
      }
      for (status, bad, other) in [
        ("", false, true), ("open", false, true), ("closed", true, false), ("ignored", false, false),
        ("all", true, true),
      ] {
        let list = try await page("/apps/1/errors?status=\(status)", client, cookie)
        #expect(list.contains("group=1\"") == bad && list.contains("group=2\"") == other, "\(status)")
        let report = try object(
          try await client.execute(
            uri: "/api/v1/apps/1/reports/errors?status=\(status)", method: .get, headers: cookie))
        #expect((report["crashes"] as? [[String: Any]])?.count == (bad ? 1 : 0) + (other ? 1 : 0), "\(status)")
      }
      // A straggler of the version in which it was closed, then a later version.
      _ = try await send([line("crash", 4, Self.exception, version: "1.3")], client, key: app.key)
      try await warehouse.flush()
      #expect(try await page("/apps/1/error?group=1", client, cookie).contains("Status: Closed"))
      _ = try await send([line("crash", 5, Self.exception, version: "1.10")], client, key: app.key)
      try await warehouse.flush()
      let back = try await page("/apps/1/error?group=1", client, cookie)
      #expect(back.contains("Status: Open") && back.contains("It came back in 1.10."))
      #expect(try await page("/apps/1/errors", client, cookie).contains("Back in 1.10"))
      _ = try await post(client, "group=1&status=ignored", cookie)
      #expect(try await !page("/apps/1/errors", client, cookie).contains("group=1\""))
      // The state applies to days without the error, too.
      let before = try await page("/apps/1/error?group=1&from=2001-01-01&to=2001-01-02", client, cookie)
      #expect(before.contains("Status: Ignored"))
    }
  }

  @Test func `the reader of a shared link sees the status of errors, but neither notes nor names`() async throws {
    try await withCollector { client, app, cookie, warehouse in
      _ = try await send([line("crash", 1, Self.exception)], client, key: app.key)
      try await warehouse.flush()
      _ = try await post(client, "group=1&status=ignored&note=secret", cookie)
      var headers = cookie
      headers[.origin] = "http://localhost"
      let shared = try await client.execute(
        uri: "/apps/1/links", method: .post, headers: headers,
        body: ByteBuffer(string: "do=create&report=errors&query=status%3Dignored"))
      let link = try #require(String(buffer: shared.body).firstMatch(of: #/(\/shared\/[^<"]+)</#)).1
      for uri in ["\(link)", "\(link)?format=json", "\(link)?format=csv"] {
        let text = try await page(uri, client, [:])
        #expect(text.contains("Bad") && text.lowercased().contains("ignored"), "\(uri)")
        #expect(!text.contains("secret</") && !text.contains("\"secret\"") && !text.contains("owner"), "\(uri)")
      }
      let report = try await page("/api/v1/apps/1/reports/errors?status=ignored", client, cookie)
      #expect(report.contains("\"note\":\"secret\"") && report.contains("\"by\":\"owner\""))
    }
  }

  @Test func `groups of another status do not use up the limit of a list`() async throws {
    try await withCollector { client, app, cookie, warehouse in
      let lines = (1...4).flatMap { group in
        (0..<(5 - group)).map { line("crash", group * 10 + $0, #","exception":{"type":"Bad\#(group)"}"#) }
      }
      _ = try await send(lines, client, key: app.key)
      try await warehouse.flush()
      for group in [1, 2] { _ = try await post(client, "group=\(group)&status=ignored", cookie) }
      let report = try object(
        try await client.execute(
          uri: "/api/v1/apps/1/reports/errors?limit=1", method: .get, headers: cookie))
      let crashes = try #require(report["crashes"] as? [[String: Any]])
      #expect(crashes.map { $0["type"] as? String } == ["Bad3"])
    }
  }

  @Test func `programs read and set the status of an error`() async throws {
    try await withCollector { client, app, cookie, warehouse in
      _ = try await send([line("crash", 1, Self.exception)], client, key: app.key)
      try await warehouse.flush()
      let uri = "/api/v1/apps/1/errors/1"
      @Sendable func put(_ json: String, _ uri: String) async throws -> TestResponse {
        var headers = cookie
        headers[.origin] = "http://localhost"
        return try await client.execute(uri: uri, method: .put, headers: headers, body: ByteBuffer(string: json))
      }
      let open = try object(try await client.execute(uri: uri, method: .get, headers: cookie))
      #expect(open["status"] as? String == "open" && open["note"] as? String == "" && open["by"] == nil)
      let closed = try object(try await put(#"{"status":"closed","note":"n","version":"1.1"}"#, uri))
      #expect(closed["status"] as? String == "closed" && closed["version"] as? String == "1.1")
      #expect(closed["by"] as? String == "owner" && closed["changed"] is String)
      _ = try await send([line("crash", 2, Self.exception)], client, key: app.key)
      try await warehouse.flush()
      let back = try object(try await client.execute(uri: uri, method: .get, headers: cookie))
      #expect(back["status"] as? String == "open" && back["reopenedIn"] as? String == "1.2")
      let long = String(repeating: "n", count: 1_001)
      for (json, path, status) in [
        (#"{"status":"shut"}"#, uri, HTTPResponse.Status.badRequest), ("{}", uri, .badRequest),
        (#"{"status":"open","note":"\#(long)"}"#, uri, .badRequest),
        (#"{"status":"open"}"#, "/api/v1/apps/1/errors/2", .notFound),
        (#"{"status":"open"}"#, "/api/v1/apps/1/errors/x", .notFound),
      ] {
        #expect(try await put(json, path).status == status, "\(json.prefix(40)) \(path)")
      }
      let unknown = try await client.execute(uri: "/api/v1/apps/1/errors/2", method: .get, headers: cookie)
      #expect(unknown.status == .notFound)
      let mistaken = try await client.execute(uri: "/apps/1/errors?status=shut", method: .get, headers: cookie)
      #expect(mistaken.status == .badRequest)
    }
  }

  @Test func `an occurrence leads to the trail of its install, which begins with it`() async throws {
    try await withCollector { client, app, cookie, warehouse in
      _ = try await send(
        [
          line("event", 1, #","name":"Before""#), line("crash", 2, Self.exception),
          line("event", 3, #","name":"After""#),
        ], client, key: app.key)
      try await warehouse.flush()
      let occurrence = try await page("/apps/1/error?occurrence=2", client, cookie)
      let link = try #require(occurrence.firstMatch(of: #/href="(/apps/1/people/numbers/[^"]+)"/#)).1
      let found = try await client.execute(uri: String(link), method: .get, headers: cookie)
      #expect(found.status == .seeOther)
      let location = try #require(found.headers[.location])
      #expect(location.hasPrefix("/apps/1/people/installs/0c7c9d1e-5a77-4e0c-8f0b-3b8e1d0f9a42?before="))
      let trail = try await page(location, client, cookie)
      #expect(trail.contains("Before") && trail.contains("Bad") && !trail.contains("After"))
      let live = try await page("/apps/1/live", client, cookie)
      #expect(live.contains("data-people=\"/apps/1/people/numbers/\""))
      #expect(live.contains("href=\"\(link)\""))
      let unknown = try await client.execute(uri: "/apps/1/people/numbers/99", method: .get, headers: cookie)
      #expect(unknown.status == .notFound)
      let group = try await page("/apps/1/error?group=1", client, cookie)
      for text in ["Systems", "iOS 17", "Models", "Countries"] { #expect(group.contains(text), "\(text)") }
    }
  }
}
