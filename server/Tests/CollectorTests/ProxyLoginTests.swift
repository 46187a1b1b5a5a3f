import AppCatalog
import HTTPTypes
import ServerBase
import TernEvents
import Testing
import Warehouse

@testable import Site
@testable import TernServer

/// Tests logins by the header of a trusted proxy.
@Suite struct ProxyLoginTests {
  private func fixture(trusting block: String = "127.0.0.0/8") throws -> Fixture {
    var settings = CollectorSettings(trustedProxies: [try #require(AddressBlock(block))])
    settings.loginHeader = HTTPField.Name("X-Forwarded-User")
    let fixture = try Fixture(settings)
    _ = try fixture.catalog.invite(
      name: "ann", role: .viewer, apps: [fixture.app.id], seesPersonalData: false)
    return fixture
  }

  /// Returns the response to a request with header fields.
  private func response(
    _ port: Int, _ path: String, _ fields: [String], method: String = "GET", body: String = ""
  ) async throws -> String {
    try await RawConnection.open(to: port) { connection in
      let head = ["\(method) \(path) HTTP/1.1", "Host: localhost", "Connection: close"] + fields
      try await connection.send(
        head.joined(separator: "\r\n") + "\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
      return try await connection.receiveToEnd()
    }
  }

  @Test func `the person whom the proxy names is logged in with each request, without a session`() async throws {
    let fixture = try fixture()
    try await fixture.running { port in
      let page = try await response(port, "/apps/1", ["X-Forwarded-User: ANN"])
      #expect(page.hasPrefix("HTTP/1.1 200") && page.contains("<bdi>ann</bdi>"))
      #expect(!page.lowercased().contains("set-cookie"))
      #expect(try await response(port, "/users", ["X-Forwarded-User: ann"]).hasPrefix("HTTP/1.1 403"))
      #expect(try await response(port, "/users", ["X-Forwarded-User: owner"]).hasPrefix("HTTP/1.1 200"))
      #expect(try await response(port, "/api/v1/apps", ["X-Forwarded-User: ann"]).hasPrefix("HTTP/1.1 200"))
      #expect(try await response(port, "/login?next=/apps/1", ["X-Forwarded-User: ann"]).contains("ocation: /apps/1"))
      #expect(try await response(port, "/apps/1", []).hasPrefix("HTTP/1.1 303"))
      #expect(try await response(port, "/apps/1", ["X-Forwarded-User: "]).hasPrefix("HTTP/1.1 303"))
    }
    #expect(try fixture.catalog.loginSessions().isEmpty)
    #expect(try fixture.catalog.isInUse())
    let logins = try fixture.catalog.audit(limit: 20).filter { $0.action == "login" }
    #expect(Set(logins.map(\.subject)) == ["ann by proxy", "owner by proxy"] && logins.count == 2)
  }

  @Test func `the header's person comes before the cookie's, and two people in it are no one`() async throws {
    let fixture = try fixture()
    let cookie = "Cookie: tern_session=\(try fixture.catalog.ownerSession())"
    try await fixture.running { port in
      let own = "Cookie: tern_session_\(port)=" + cookie.dropFirst("Cookie: tern_session=".count)
      for cookie in [cookie, own] {
        #expect(try await response(port, "/users", [cookie, "X-Forwarded-User: ann"]).hasPrefix("HTTP/1.1 403"))
      }
      #expect(try await response(port, "/users", [cookie]).hasPrefix("HTTP/1.1 200"))
      let two = try await response(port, "/users", [cookie, "X-Forwarded-User: owner", "X-Forwarded-User: ann"])
      #expect(two.hasPrefix("HTTP/1.1 403") && two.contains("owner, ann"))
    }
  }

  @Test func `a person without an account is told so`() async throws {
    try await fixture().running { port in
      let page = try await response(port, "/", ["X-Forwarded-User: <b>bob"])
      #expect(page.hasPrefix("HTTP/1.1 403") && page.contains("&lt;b&gt;bob") && page.contains("Ask an owner"))
      #expect(try await response(port, "/login", ["X-Forwarded-User: bob"]).hasPrefix("HTTP/1.1 403"))
    }
  }

  @Test func `another site's form does nothing`() async throws {
    let fixture = try fixture()
    try await fixture.running { port in
      let form = ["X-Forwarded-User: owner", "Content-Type: application/x-www-form-urlencoded"]
      let body = "do=invite&name=mallory&role=owner"
      for origin in ["Origin: https://evil.example", "Origin: null", "Sec-Fetch-Site: cross-site"] {
        let answer = try await response(port, "/users", form + [origin], method: "POST", body: body)
        #expect(answer.hasPrefix("HTTP/1.1 403"))
      }
      #expect(try fixture.catalog.account(named: "mallory") == nil)
      let own = try await response(port, "/users", form + ["Origin: http://localhost"], method: "POST", body: body)
      #expect(own.hasPrefix("HTTP/1.1 200"))
      #expect(try fixture.catalog.account(named: "mallory") != nil)
    }
  }

  @Test func `anyone else's header is ignored, and so is any without the setting`() async throws {
    try await fixture(trusting: "10.0.0.0/8").running { port in
      let page = try await response(port, "/apps/1", ["X-Forwarded-User: owner"])
      #expect(page.hasPrefix("HTTP/1.1 303"))
    }
    let settings = CollectorSettings(trustedProxies: [try #require(AddressBlock("127.0.0.0/8"))])
    try await Fixture(settings).running { port in
      let page = try await response(port, "/apps/1", ["X-Forwarded-User: owner"])
      #expect(page.hasPrefix("HTTP/1.1 303"))
    }
  }
}
