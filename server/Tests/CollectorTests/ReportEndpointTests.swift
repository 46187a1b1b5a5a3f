import AppCatalog
import Foundation
import HTTPTypes
import NIOCore
import Reports
import Testing
import Warehouse

/// Tests `/api/v1` and the pages behind the login.
@Suite struct ReportEndpointTests {
  @Test func `programs can list and create apps`() async throws {
    let fixture = try Fixture()
    try await fixture.routed { client in
      let list = try await client.execute(uri: "/api/v1/apps", method: .get, headers: fixture.authorized)
      let first = try #require((try object(list)["apps"] as? [[String: Any]])?.first)
      #expect(first["id"] as? Int == 1)
      #expect(first["key"] as? String == fixture.app.key)
      #expect(first["timeZone"] as? String == "Europe/Berlin")

      let body = ByteBuffer(string: #"{"name":"Second","trackingId":"UA-7-7"}"#)
      let created = try await client.execute(
        uri: "/api/v1/apps", method: .post, headers: fixture.authorized, body: body)
      #expect(created.status == .created)
      #expect(try object(created)["trackingId"] as? String == "UA-7-7")
      #expect(
        Set(try object(created).keys) == [
          "id", "name", "key", "appSecret", "trackingId", "timeZone", "writeKeys", "keep",
        ])

      for (body, code) in [
        ("{", "malformed"), ("[]", "malformed"), ("{}", "invalid"),
        (#"{"name":"Again","trackingId":"UA-7-7"}"#, "invalid"),
      ] {
        let refused = try await client.execute(
          uri: "/api/v1/apps", method: .post, headers: fixture.authorized, body: ByteBuffer(string: body))
        #expect(refused.status == .badRequest)
        #expect(try error(refused)["code"] as? String == code)
      }
    }
  }

  @Test(arguments: [
    #"\u0001"#, #"\n"#, #"\r"#, #"\t"#, #"\u001b[2J"#, #"\u007f"#, #"\u009b1m"#, #"\u2028"#, #"\u2029"#, #"\u202e"#,
    #"\u2066"#,
  ])
  func `an app's name with control characters is refused`(part: String) async throws {
    let fixture = try Fixture()
    try await fixture.routed { client in
      for name in ["A\(part)B", part + "A", "A" + part] {
        let body = ByteBuffer(string: #"{"name":"\#(name)"}"#)
        let refused = try await client.execute(
          uri: "/api/v1/apps", method: .post, headers: fixture.authorized, body: body)
        #expect(refused.status == .badRequest)
        #expect(try error(refused)["code"] as? String == "invalid")
        #expect((try error(refused)["message"] as? String)?.contains("control characters") == true)
      }
    }
    #expect(try fixture.catalog.apps().count == 1)
  }

  @Test func `an app's name may be written in any script`() async throws {
    let fixture = try Fixture()
    for name in ["Füße 東京", "👩‍👩‍👧 Familie", "می‌خواهم"] {
      #expect(try fixture.catalog.createApp(name: name).name == name)
    }
  }

  @Test(arguments: ReportRegistry.standard.app.map(\.name))
  func `every report is available as JSON, as CSV and as a page`(name: String) async throws {
    let fixture = try Fixture()
    let cookie = try fixture.cookie()
    try await fixture.routed { client in
      let body = ByteBuffer(string: line("Play", id: 1))
      _ = try await client.execute(uri: "/v1/events", method: .post, headers: fixture.keyed, body: body)
      let query = "event=Play&group=1&from=2026-01-01&to=2026-01-31"
      let json = try await client.execute(
        uri: "/api/v1/apps/1/reports/\(name)?\(query)", method: .get, headers: fixture.authorized)
      #expect(json.status == .ok)
      #expect(json.headers[.contentType] == "application/json")
      #expect(try object(json)["app"] as? Int == 1)
      let csv = try await client.execute(
        uri: "/api/v1/apps/1/reports/\(name)?\(query)&format=csv", method: .get, headers: fixture.authorized)
      #expect(csv.headers[.contentType] == "text/csv; charset=utf-8")
      let file = try #require(csv.headers[.contentDisposition])
      #expect(file.hasPrefix("attachment; filename=\"Player-Friends-\(name)-"))
      #expect(file.hasSuffix("2026-01-01-to-2026-01-31.csv\""))
      let comma = try await client.execute(
        uri: "/api/v1/apps/1/reports/\(name)?\(query)&format=csv&decimal=comma&texts=raw", method: .get,
        headers: fixture.authorized)
      #expect(String(buffer: comma.body).hasPrefix("\u{FEFF}"))
      let page = try await client.execute(uri: "/apps/1/\(name)?\(query)", method: .get, headers: [.cookie: cookie])
      #expect(page.status == .ok)
      #expect(page.headers[.contentType] == "text/html; charset=utf-8")
    }
  }

  @Test func `the response to an invalid request explains what to do`() async throws {
    let fixture = try Fixture()
    let cookie = try fixture.cookie()
    try await fixture.routed { client in
      for (path, status, code) in [
        ("1/reports/overview?from=yesterday", HTTPResponse.Status.badRequest, "invalid_date"),
        ("1/reports/overview?from=2026-02-01&to=2026-01-01", .badRequest, "invalid_range"),
        ("1/reports/overview?limit=many", .badRequest, "invalid_number"),
        ("1/reports/overview?format=xml", .badRequest, "unknown_format"),
        ("1/reports/overview?decimal=dot", .badRequest, "invalid"),
        ("1/reports/overview?texts=plain", .badRequest, "invalid"),
        ("1/reports/event", .badRequest, "missing_event"), ("1/reports/error", .badRequest, "missing_error"),
        ("1/reports/error?group=x", .badRequest, "invalid_number"),
        ("1/reports/nonsense", .notFound, "unknown_report"), ("99/reports/overview", .notFound, "unknown_app"),
        ("x/reports/overview", .notFound, "unknown_app"),
      ] {
        let response = try await client.execute(
          uri: "/api/v1/apps/\(path)", method: .get, headers: fixture.authorized)
        #expect(response.status == status, "\(path)")
        #expect(try error(response)["code"] as? String == code)
      }
      for (path, status) in [
        ("1/overview?from=yesterday", HTTPResponse.Status.badRequest), ("1/nonsense", .notFound), ("99", .notFound),
      ] {
        let page = try await client.execute(uri: "/apps/\(path)", method: .get, headers: [.cookie: cookie])
        #expect(page.status == status, "\(path)")
        #expect(page.headers[.contentType] == "text/html; charset=utf-8")
      }
    }
  }

  @Test func `reports require a token or a login`() async throws {
    let fixture = try Fixture()
    try await fixture.routed { client in
      for headers: HTTPFields in [
        [:], [.authorization: "Bearer wrong"], [.cookie: "tern_session=wrong"], fixture.keyed,
      ] {
        for uri in ["/api/v1/apps", "/api/v1/apps/1/reports/overview"] {
          let response = try await client.execute(uri: uri, method: .get, headers: headers)
          #expect(response.status == .unauthorized)
          #expect(try error(response)["code"] as? String == "login_needed")
        }
        for uri in ["/", "/apps/1", "/apps/1/settings", "/apps/1/live/events"] {
          #expect(try await client.execute(uri: uri, method: .get, headers: headers).status == .seeOther)
        }
      }
    }
  }
}
