import Foundation
import GRDB
import HTTPTypes
import NIOCore
import Testing
import Warehouse

@testable import AppCatalog
@testable import HTTP
@testable import TernServer

/// Tests that a session whose login was a while ago gives the password again before it changes who has access.
@Suite struct ConfirmationTests {
  private let fixture: Fixture
  private let cookie: String

  init() throws {
    fixture = try Fixture()
    cookie = try fixture.cookie()
  }

  private func age(_ duration: Duration) throws {
    try fixture.catalog.writing { database in
      try database.execute(
        sql: "UPDATE session SET created = created - ?", arguments: [duration.components.seconds * 1_000])
    }
  }

  private func post(_ client: TestClient, _ uri: String, _ form: String) async throws -> TestResponse {
    try await client.execute(
      uri: uri, method: .post, headers: [.cookie: cookie, .origin: "http://localhost"], body: ByteBuffer(string: form))
  }

  /// Forms and requests that change who has access.
  private static let changes = [
    ("/users", "do=invite&name=Eve&role=owner"), ("/users", "do=change&id=1&role=viewer"), ("/users", "do=link&id=1"),
    ("/users", "do=remove&id=2"), ("/tokens", "do=create&name=x&scope=manage"), ("/audit", "do=prune&days=1"),
    ("/account", "do=password&password=correct+horse+battery"),
  ]

  @Test func `after 15 minutes, whatever changes access leads to the page for the password`() async throws {
    try age(.seconds(960))
    let before = try fixture.catalog.audit(limit: 100).count
    try await fixture.routed { client in
      for (path, form) in Self.changes {
        let response = try await post(client, path, form)
        #expect(response.status == .seeOther, "\(form)")
        #expect(response.headers[.location] == "/confirm?next=%2F\(path.dropFirst())", "\(form)")
      }
      for path in ["/users", "/tokens"] {
        let script = try await client.execute(
          uri: "/api/v1\(path)", method: .post, headers: [.cookie: cookie, .origin: "http://localhost"],
          body: ByteBuffer(string: #"{"name": "Eve"}"#))
        #expect(script.status == .forbidden)
        #expect(try error(script)["code"] as? String == "confirmation_needed")
        let read = try await client.execute(uri: "/api/v1\(path)", method: .get, headers: [.cookie: cookie])
        #expect(read.status == .ok)
        #expect(try await client.execute(uri: path, method: .get, headers: [.cookie: cookie]).status == .ok)
      }
      let other = try await post(client, "/apps", "name=Mine&timeZone=Europe%2FBerlin")
      #expect(other.headers[.location] == "/apps/2/setup", "no right is granted")
    }
    #expect(try fixture.catalog.accounts().map(\.name) == ["owner"])
    #expect(try fixture.catalog.audit(limit: 100).count == before + 1, "the app")
  }

  @Test func `within 15 minutes nothing is asked, and tokens are never asked`() async throws {
    let token = try fixture.catalog.createToken(name: "setup", scopes: [.administer]).secret
    try age(.seconds(840))
    try await fixture.routed { client in
      #expect(try await post(client, "/users", "do=invite&name=Ann&role=viewer").status == .ok)
      try age(.seconds(86_400))
      let invited = try await client.execute(
        uri: "/api/v1/users", method: .post, headers: [.authorization: "Bearer \(token)"],
        body: ByteBuffer(string: #"{"name": "Bob"}"#))
      #expect(invited.status == .created)
    }
  }

  @Test func `the password confirms the session, which then may go on`() async throws {
    try fixture.catalog.setPassword(
      "correct horse battery", of: 1, keeping: try fixture.catalog.loginSessions().first?.id)
    try age(.seconds(86_400))
    try await fixture.routed { client in
      let page = try await client.execute(uri: "/confirm?next=%2Fusers", method: .get, headers: [.cookie: cookie])
      let text = String(buffer: page.body)
      #expect(text.contains("name=\"current\"") && text.contains("value=\"/users\"") && !text.contains("name=\"code\""))
      let wrong = try await post(client, "/confirm", "current=wrong&next=%2Fusers")
      #expect(wrong.status == .badRequest)
      #expect(try await post(client, "/users", "do=invite&name=Ann&role=viewer").status == .seeOther)
      let elsewhere = try await post(client, "/confirm", "current=correct+horse+battery&next=%2F%2Fevil.example")
      #expect(elsewhere.headers[.location] == "/")
      #expect(try await post(client, "/users", "do=invite&name=Ann&role=viewer").status == .ok)
    }
    #expect(try fixture.catalog.failedLogins(limit: 9).map(\.count) == [1])
  }

  @Test func `with a second factor, the code is asked as well`() async throws {
    let catalog = fixture.catalog
    try catalog.setPassword("correct horse battery", of: 1, keeping: try catalog.loginSessions().first?.id)
    let key = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"
    let code = try SecondFactorLoginTests.code(key, at: WallClock.system())
    let own = try catalog.loginSessions().first?.id
    let codes = try #require(try catalog.turnOnSecondFactor(key: key, code: code, of: 1, keeping: own))
    try age(.seconds(86_400))
    try await fixture.routed { client in
      let page = try await client.execute(uri: "/confirm", method: .get, headers: [.cookie: cookie])
      #expect(String(buffer: page.body).contains("name=\"code\""))
      #expect(try await post(client, "/confirm", "current=correct+horse+battery").status == .badRequest)
      #expect(try await post(client, "/users", "do=invite&name=Ann&role=viewer").status == .seeOther)
      let right = try await post(client, "/confirm", "current=correct+horse+battery&code=\(codes[0])")
      #expect(right.headers[.location] == "/")
      #expect(try await post(client, "/users", "do=invite&name=Ann&role=viewer").status == .ok)
    }
  }

  @Test func `someone without a password logs out and in again`() async throws {
    try age(.seconds(86_400))
    try await fixture.routed { client in
      let page = try await client.execute(uri: "/confirm?next=%2Ftokens", method: .get, headers: [.cookie: cookie])
      let text = String(buffer: page.body)
      #expect(text.contains("action=\"/logout?next=%2Ftokens\"") && !text.contains("name=\"current\""))
      #expect(try await post(client, "/confirm", "next=%2Ftokens").status == .ok, "the page again")
      #expect(try await post(client, "/tokens", "do=create&name=x&scope=read").status == .seeOther)
      let out = try await post(client, "/logout?next=%2Ftokens", "next=%2Ftokens")
      #expect(out.headers[.location] == "/login?next=%2Ftokens")
    }
  }
}
