import Cryptography
import Foundation
import HTTPTypes
import NIOCore
import ServerBase
import TernBase
import TernEvents
import Testing
import Warehouse

@testable import AppCatalog
@testable import HTTP
@testable import TernServer

/// Tests logins with a second factor, and the page on which it is set up.
@Suite struct SecondFactorLoginTests {
  private let fixture: Fixture
  private let key = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"
  private let recoveryCodes: [String]
  /// The server's time, which stands still: a busy machine must not make codes late.
  private let now: Timestamp

  /// A server whose owner has a password and a second factor.
  init() throws {
    let now = WallClock.system()
    self.now = now
    fixture = try Fixture(
      CollectorSettings(limits: CollectorLimits(maximumFailedLogins: 3)), catalogTime: { now })
    try fixture.catalog.setPassword("correct horse battery", of: 1, keeping: nil)
    let code = try Self.code(key, at: now)
    recoveryCodes = try #require(try fixture.catalog.turnOnSecondFactor(key: key, code: code, of: 1, keeping: nil))
  }

  /// The code that an app shows at a time, or some steps later.
  static func code(_ key: String, at time: Timestamp, later steps: Int64 = 0) throws -> String {
    let step = time.millisecondsSince1970 / 30_000 + steps
    return OneTimePassword(key: try #require(Base32.decode(key))).code(ofStep: step)
  }

  private func send(
    _ client: TestClient, _ uri: String, _ form: String, _ cookie: String? = nil, origin: String = "http://localhost"
  ) async throws -> TestResponse {
    var headers: HTTPFields = [.origin: origin]
    headers[.cookie] = cookie
    return try await client.execute(uri: uri, method: .post, headers: headers, body: ByteBuffer(string: form))
  }

  /// Gives the password, and returns the cookie with which the code must come.
  private func password(_ client: TestClient, next: String = "") async throws -> String {
    let response = try await send(client, "/login", "name=owner&password=correct+horse+battery\(next)")
    #expect(response.status == .seeOther)
    #expect(response.headers[.location]?.hasPrefix("/login/code") == true)
    return try cookie(response)
  }

  private func cookie(_ response: TestResponse) throws -> String {
    String(try #require(response.headers[.setCookie]?.split(separator: ";").first))
  }

  @Test func `the password leads to the page for the code, and the code to the wanted page`() async throws {
    try await fixture.routed { client in
      let response = try await send(
        client, "/login", "name=owner&password=correct+horse+battery&next=%2Fapps%2F1%2Fevents%3Fdays%3D7")
      #expect(response.headers[.location] == "/login/code?next=%2Fapps%2F1%2Fevents%3Fdays%3D7")
      let attributes = response.headers[.setCookie] ?? ""
      for part in ["tern_code=", "Path=/login;", "HttpOnly", "SameSite=Lax", "Max-Age=300"] {
        #expect(attributes.contains(part), "\(part)")
      }
      let step = try cookie(response)
      #expect(try fixture.catalog.loginSessions().isEmpty)
      for path in ["/", "/account", "/api/v1/apps"] {
        let early = try await client.execute(uri: path, method: .get, headers: [.cookie: step])
        #expect([.seeOther, .unauthorized].contains(early.status), "\(path)")
      }
      let page = try await client.execute(
        uri: try #require(response.headers[.location]), method: .get, headers: [.cookie: step])
      #expect(page.status == .ok)
      #expect(String(buffer: page.body).contains("value=\"/apps/1/events?days=7\""))
      let code = try Self.code(key, at: now, later: 1)
      let done = try await send(client, "/login/code", "code=\(code)&next=%2Fapps%2F1%2Fevents%3Fdays%3D7", step)
      #expect(done.headers[.location] == "/apps/1/events?days=7")
      let home = try await client.execute(uri: "/", method: .get, headers: [.cookie: try cookie(done)])
      #expect(home.status == .ok)
      let again = try await send(client, "/login/code", "code=\(recoveryCodes[0])", step)
      #expect(again.status == .unauthorized && again.headers[.setCookie] == nil, "the password counts once")
    }
  }

  @Test func `a code without the password's cookie is refused, and not counted`() async throws {
    try await fixture.routed { client in
      for cookie in [nil, "tern_code=guess", "tern_code="] {
        for _ in 0..<4 {
          let response = try await send(client, "/login/code", "code=\(recoveryCodes[0])", cookie)
          #expect(response.status == .unauthorized && response.headers[.setCookie] == nil)
        }
        let headers: HTTPFields = cookie.map { [.cookie: $0] } ?? [:]
        let page = try await client.execute(uri: "/login/code", method: .get, headers: headers)
        #expect(page.status == .unauthorized)
      }
      let foreign = try await send(
        client, "/login/code", "code=\(recoveryCodes[0])", try await password(client), origin: "https://evil.example")
      #expect(foreign.status == .forbidden)
    }
    #expect(try fixture.catalog.failedLogins(limit: 9).isEmpty)
  }

  @Test func `wrong codes count as failed logins`() async throws {
    try await fixture.routed { client in
      let step = try await password(client)
      for _ in 0..<3 {
        let wrong = try await send(client, "/login/code", "code=x", step)
        #expect(wrong.status == .unauthorized && wrong.headers[.setCookie] == nil)
      }
      let waiting = try await send(client, "/login/code", "code=\(recoveryCodes[0])", step)
      #expect(waiting.status == .tooManyRequests)
      // Whoever guesses passwords must not keep out someone who has the right one, and the other way round.
      _ = try await password(client)
      for _ in 0..<4 { _ = try await send(client, "/login", "name=owner&password=wrong") }
      #expect(try await send(client, "/login", "name=owner&password=x").status == .tooManyRequests)
      #expect(try await send(client, "/login/code", "code=x", step).status == .tooManyRequests)
    }
    let failed = try fixture.catalog.failedLogins(limit: 9)
    #expect(failed.map(\.name) == ["owner"] && failed.map(\.count) == [6])
  }

  @Test func `a closed second factor says so, even to the right code`() async throws {
    for _ in 0..<10 { _ = try fixture.catalog.useCode("x", of: 1) }
    try await fixture.routed { client in
      let step = try await password(client)
      let closed = try await send(client, "/login/code", "code=\(try Self.code(key, at: now, later: 1))", step)
      #expect(closed.status == .tooManyRequests && closed.headers[.setCookie] == nil)
      #expect(String(buffer: closed.body).contains("tern users reset-second-factor"))
      let recovered = try await send(client, "/login/code", "code=\(recoveryCodes[0])", step)
      #expect(recovered.status == .seeOther)
    }
    #expect(try fixture.catalog.failedLogins(limit: 9).map(\.count) == [1])
  }

  @Test func `login links and new passwords ask for the code as well`() async throws {
    let catalog = fixture.catalog
    try await fixture.routed { client in
      let link = try await client.execute(uri: "/login?code=\(try catalog.createLoginCode())", method: .get)
      #expect(link.headers[.location] == "/login/code")
      let code = try catalog.createLoginCode()
      let page = try await client.execute(uri: "/welcome?code=\(code)", method: .get)
      #expect(String(buffer: page.body).contains("name=\"factor\""))
      for factor in ["", "&factor=x"] {
        let welcome = try await send(client, "/welcome", "code=\(code)&password=5kyscraper" + factor)
        #expect(welcome.status == .badRequest && welcome.headers[.setCookie] == nil)
      }
      #expect(try catalog.loginSessions().isEmpty)
      _ = try await password(client)
      let done = try await send(
        client, "/welcome", "code=\(code)&password=5kyscraper&factor=\(recoveryCodes[0])")
      #expect(done.headers[.location] == "/")
      #expect(try await send(client, "/login", "name=owner&password=5kyscraper").status == .seeOther)
    }
    #expect(try catalog.loginSessions().count == 1)
    let used = try #require(try catalog.audit(limit: 9).first { $0.action == "recovery code used" })
    #expect(used.actor.name == "owner")
  }

  @Test func `a person sets up a second factor with the password and a code of the app`() async throws {
    let catalog = fixture.catalog
    try catalog.removeSecondFactor(of: 1, isReset: true)
    let session = try fixture.cookie()
    try await fixture.routed { client in
      let page = String(buffer: try await send(client, "/account", "do=new-factor", session).body)
      let key = String(try #require(page.firstMatch(of: /name="key" value="([A-Z2-7]{32})"/)).1)
      #expect(page.contains("otpauth://totp/Tern:owner?secret=\(key)&amp;issuer=Tern"))
      let form = try "do=add-factor&key=\(key)&code=\(Self.code(key, at: now))"
      let stolen = try await send(client, "/account", form + "&current=wrong", session)
      #expect(stolen.status == .badRequest && String(buffer: stolen.body).contains(key), "the key stays")
      let wrong = try await send(
        client, "/account", "do=add-factor&key=\(key)&code=x&current=correct+horse+battery", session)
      #expect(wrong.status == .badRequest && String(buffer: wrong.body).contains(key))
      #expect(try catalog.accounts().map(\.hasSecondFactor) == [false])
      let on = try await send(client, "/account", form + "&current=correct+horse+battery", session)
      #expect(on.status == .ok && String(buffer: on.body).contains("Turn off the second factor"))
      #expect(String(buffer: on.body).matches(of: /[A-Z2-7]{4}-[A-Z2-7]{4}-[A-Z2-7]{4}-[A-Z2-7]{4}/).count == 10)
      #expect(try catalog.accounts().map(\.hasSecondFactor) == [true])
    }
  }

  @Test func `new recovery codes and the end of the second factor need the password and a code`() async throws {
    let catalog = fixture.catalog
    let session = try fixture.cookie()
    try await fixture.routed { client in
      for action in ["recovery-codes", "remove-factor"] {
        let noPassword = try await send(client, "/account", "do=\(action)&code=\(recoveryCodes[0])", session)
        #expect(noPassword.status == .badRequest)
      }
      let noCode = try await send(client, "/account", "do=remove-factor&current=correct+horse+battery", session)
      #expect(noCode.status == .badRequest)
      #expect(try catalog.accounts().map(\.hasSecondFactor) == [true])
    }
    // Three failures: the limit of the address is reached, so another server continues.
    try await fixture.routed { client in
      let form = "current=correct+horse+battery&code="
      let made = try await send(client, "/account", "do=recovery-codes&\(form)\(recoveryCodes[0])", session)
      let text = String(buffer: made.body)
      let fresh = try #require(text.firstMatch(of: /[A-Z2-7]{4}-[A-Z2-7]{4}-[A-Z2-7]{4}-[A-Z2-7]{4}/)).0
      let off = try await send(client, "/account", "do=remove-factor&\(form)\(fresh)", session)
      #expect(off.headers[.location] == "/account?done=factor-removed")
    }
    #expect(try catalog.accounts().map(\.hasSecondFactor) == [false])
  }
}
