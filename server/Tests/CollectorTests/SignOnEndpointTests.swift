import AppCatalog
import HTTPTypes
import JSON
import NIOCore
import Outgoing
import SignOn
import SignOnTestSupport
import TernBase
import TernEvents
import Testing
import Warehouse

@testable import HTTP
@testable import TernServer

/// Tests logins with a provider, in a browser that keeps cookies.
@Suite struct SignOnEndpointTests {
  /// A browser with its cookies.
  private final class Browser: Sendable {
    let client: TestClient
    let cookies = Locked<[String: String]>([:])

    init(_ client: TestClient) { self.client = client }

    func open(_ uri: String, _ method: HTTPRequest.Method = .get) async throws -> TestResponse {
      let cookie = cookies.withLock { $0.map { "\($0.key)=\($0.value)" }.joined(separator: "; ") }
      let response = try await client.execute(uri: uri, method: method, headers: [.cookie: cookie])
      for field in response.headers[values: .setCookie] {
        let parts = (field.split(separator: ";").first ?? "").split(separator: "=", omittingEmptySubsequences: false)
        guard parts.count == 2 else { continue }
        cookies.withLock { $0[String(parts[0])] = parts[1].isEmpty ? nil : String(parts[1]) }
      }
      return response
    }

    /// Begins a sign-in, signs in at the provider, and returns the address to which it leads back.
    func callback(_ fake: FakeProvider, next: String = "") async throws -> String {
      let begun = try await open("/sign-in/company\(next)")
      #expect(begun.status == .seeOther)
      let (code, state) = fake.signIn(try #require(begun.headers[.location]))
      return "/sign-in/company/callback?code=\(code)&state=\(state)"
    }

    func signIn(_ fake: FakeProvider) async throws -> TestResponse { try await open(try await callback(fake)) }

    var isLoggedIn: Bool { cookies.withLock { $0["tern_session"] != nil } }
  }

  private static let viewer = ProvidedRights(role: .viewer)

  private func withProvider(
    _ change: (inout ProviderSettings) -> Void = { _ in }, settings: CollectorSettings = CollectorSettings(),
    _ body: @escaping @Sendable (Fixture, FakeProvider, TestClient) async throws -> Void
  ) async throws {
    let fake = FakeProvider(issuer: "https://id.example.org", now: WallClock.system)
    var provider = fake.settings
    change(&provider)
    let fixture = try Fixture(
      settings,
      providers: [
        SignOnProvider(provider, exchange: fake.exchange, wallTime: WallClock.system, uptime: { .zero })
      ])
    try await fixture.routed { try await body(fixture, fake, $0) }
  }

  private func text(_ response: TestResponse) -> String { String(buffer: response.body) }

  @Test func `an invited person signs in by their verified mail address, and later by who they are`() async throws {
    try await withProvider { fixture, fake, client in
      let ann = try fixture.catalog.invite(
        name: "Ann@example.org", role: .viewer, apps: [fixture.app.id], seesPersonalData: false
      ).account
      let browser = Browser(client)
      let login = try await browser.open("/login?next=/apps/1")
      #expect(text(login).contains("Sign in with Company &amp; &lt;Co&gt;"))
      #expect(text(login).contains(#"href="/sign-in/company?next=%2Fapps%2F1""#))
      let uri = try await browser.callback(fake, next: "?next=%2Fapps%2F1")
      let response = try await browser.open(uri)
      #expect(response.status == .seeOther && response.headers[.location] == "/apps/1")
      let cookies = response.headers[values: .setCookie]
      #expect(cookies.contains { $0.hasPrefix("tern_session=") && $0.contains("Max-Age=86400") })
      #expect(cookies.contains { $0.hasPrefix("tern_sign_in=;") && $0.contains("Max-Age=0") })
      #expect(try await browser.open("/apps/1").status == .ok)
      let session = try #require(try fixture.catalog.loginSessions().first)
      #expect(session.account.id == ann.id && session.provider == "company")

      fake.change { $0.claims = ["email": .text("ann.new@example.org"), "email_verified": .boolean(false)] }
      let other = Browser(client)
      #expect(try await other.signIn(fake).status == .seeOther)
      #expect(try fixture.catalog.loginSessions().map(\.account.id) == [ann.id, ann.id])
      let actions = try fixture.catalog.audit(limit: 10).map { "\($0.action): \($0.subject)" }
      #expect(actions.contains("user linked to provider: Ann@example.org: https://id.example.org"))
      #expect(actions.contains("login: Ann@example.org with company"))
    }
  }

  @Test func `without an account, a verified address or a free account, a person is told what to do`() async throws {
    try await withProvider { fixture, fake, client in
      #expect(text(try await Browser(client).signIn(fake)).contains("There is no user ann@example.org yet."))
      fake.change { $0.claims = ["email": .text("owner")] }
      #expect(text(try await Browser(client).signIn(fake)).contains("email address is verified"))
      _ = try fixture.catalog.invite(name: "ann@example.org", role: .editor, apps: nil, seesPersonalData: false)
      fake.change { $0.claims = ["email_verified": .null] }
      #expect(text(try await Browser(client).signIn(fake)).contains("email address is verified"))
      fake.change { $0.claims = [:] }
      #expect(try await Browser(client).signIn(fake).status == .seeOther)
      fake.change { $0.claims = ["sub": .text("ann-2")] }
      let browser = Browser(client)
      let response = try await browser.signIn(fake)
      #expect(response.status == .unauthorized && !browser.isLoggedIn)
      #expect(text(response).contains("belongs to another login at Company &amp; &lt;Co&gt;"))
      let failed = try fixture.catalog.failedLogins(limit: 10).map(\.name)
      #expect(Set(failed) == ["ann@example.org (company)", "ann-1 (company)"])
      #expect(try fixture.catalog.accounts().count == 2)
    }
  }

  @Test func `a removed user's login at the provider leads nowhere, and to a new invitation`() async throws {
    try await withProvider { fixture, fake, client in
      for _ in 0..<2 {
        let ann = try fixture.catalog.invite(
          name: "ann@example.org", role: .viewer, apps: nil, seesPersonalData: false
        ).account
        #expect(try await Browser(client).signIn(fake).status == .seeOther)
        try fixture.catalog.removeAccount(ann.id)
        #expect(try await Browser(client).signIn(fake).status == .unauthorized)
      }
    }
  }

  @Test func `groups decide on rights at each sign-in, and whether an account is made`() async throws {
    let change: (inout ProviderSettings) -> Void = { settings in
      settings.createsUsers = true
      settings.rules = [
        .init(value: "admins", rights: ProvidedRights(role: .owner)),
        .init(value: "staff", rights: ProvidedRights(role: .viewer, apps: [AppID(1)], seesPersonalData: true)),
      ]
    }
    try await withProvider(change) { fixture, fake, client in
      #expect(text(try await Browser(client).signIn(fake)).contains("gives no access to Tern"))
      fake.change { $0.claims = ["groups": .array([.text("staff")])] }
      #expect(try await Browser(client).signIn(fake).status == .seeOther)
      let made = try #require(try fixture.catalog.account(named: "ann@example.org"))
      #expect(made.role == .viewer && made.apps == [AppID(1)] && made.seesPersonalData)
      fake.change { $0.claims = ["groups": .array([.text("staff"), .text("admins")])] }
      #expect(try await Browser(client).signIn(fake).status == .seeOther)
      #expect(try fixture.catalog.account(named: "ann@example.org")?.role == .owner)
      try fixture.catalog.removeAccount(1)
      fake.change { $0.claims = ["groups": .text("staff")] }
      #expect(try await Browser(client).signIn(fake).status == .seeOther)
      #expect(try fixture.catalog.account(named: "ann@example.org")?.role == .owner, "the only one")
      let entries = try fixture.catalog.audit(limit: 20)
      #expect(entries.contains { $0.subject.contains("stays owner, as the only one") && $0.actor == .server })
      fake.change { $0.claims = [:] }
      #expect(try await Browser(client).signIn(fake).status == .unauthorized)
    }
  }

  @Test func `an answer is believed once, and only in the browser that began the sign-in`() async throws {
    try await withProvider({ ($0.createsUsers, $0.rules) = (true, [.init(value: "g", rights: Self.viewer)]) }) {
      fixture, fake, client in
      fake.change {
        $0.claims = ["groups": .text("g")]; $0.acceptsUsedCodes = true
      }
      let (browser, other) = (Browser(client), Browser(client))
      let uri = try await browser.callback(fake)
      let theirs = try await other.callback(fake)
      #expect(try await Browser(client).open(uri).status == .unauthorized, "no cookie")
      #expect(try await other.open(uri).status == .unauthorized, "the state of another browser")
      #expect(!other.isLoggedIn)
      #expect(try await browser.open(uri, .head).headers[.setCookie] == nil, "a link checker")
      let cookies = browser.cookies.withLock { $0 }
      #expect(try await browser.open(uri).status == .seeOther)
      #expect(browser.isLoggedIn)
      let replay = Browser(client)
      replay.cookies.withLock { $0 = cookies }
      #expect(try await replay.open(uri).status == .unauthorized, "replayed, with the cookie")
      #expect(!replay.isLoggedIn)
      #expect(try await other.open(theirs).status == .unauthorized, "its cookie was removed")
      #expect(try fixture.catalog.loginSessions().count == 1)
    }
  }

  @Test func `another provider's answer is refused, and there is no other way in`() async throws {
    let (good, evil) = (
      FakeProvider(issuer: "https://id.example.org", now: WallClock.system),
      FakeProvider(issuer: "https://evil.example", now: WallClock.system)
    )
    var settings = evil.settings
    settings.id = "evil"
    let providers = [
      SignOnProvider(good.settings, exchange: good.exchange, wallTime: WallClock.system, uptime: { .zero }),
      SignOnProvider(settings, exchange: evil.exchange, wallTime: WallClock.system, uptime: { .zero }),
    ]
    let fixture = try Fixture(providers: providers)
    _ = try fixture.catalog.invite(name: "ann@example.org", role: .viewer, apps: nil, seesPersonalData: false)
    try await fixture.routed { client in
      let browser = Browser(client)
      let uri = try await browser.callback(good)
      let cookies = browser.cookies.withLock { $0 }
      let mixed = uri.replacing("/company/", with: "/evil/")
      #expect(try await browser.open(mixed).status == .unauthorized)
      browser.cookies.withLock { $0 = cookies }
      #expect(try await browser.open(uri + "&iss=https%3A%2F%2Fevil.example").status == .unauthorized)
      #expect(evil.count("/token") == 0 && good.count("/token") == 0)
      #expect(try await browser.open("/sign-in/other").status == .notFound)
      #expect(try await browser.open("/sign-in/other/callback?code=a&state=b").status == .notFound)
    }
  }

  @Test func `the provider's words are never shown, and pages of other sites never opened`() async throws {
    try await withProvider { fixture, fake, client in
      _ = try fixture.catalog.invite(name: "ann@example.org", role: .viewer, apps: nil, seesPersonalData: false)
      for (error, message) in [("access_denied", "or you cancelled"), ("%3Cscript%3E", "couldn’t sign you in")] {
        let browser = Browser(client)
        let uri = try await browser.callback(fake).replacing(
          "code=", with: "error=\(error)&error_description=%3Cb%3Eraw&c=")
        let response = try await browser.open(uri)
        #expect(response.status == .unauthorized && text(response).contains(message))
        #expect(!text(response).contains("raw") && !text(response).contains("<script>"))
      }
      for next in ["%2F%2Fevil.example", "https%3A%2F%2Fevil.example", "%2F%5Cevil.example", "%0d%0aX:1"] {
        let browser = Browser(client)
        let response = try await browser.open(try await browser.callback(fake, next: "?next=\(next)"))
        #expect(response.headers[.location] == "/", "\(next)")
      }
      let browser = Browser(client)
      fake.change { $0.header = ["alg": .text("none")] }
      #expect(text(try await browser.signIn(fake)).contains("can’t be trusted"))
      #expect(fixture.log.messages.contains { $0.contains("Sign-in failed") && $0.contains("none") })
    }
  }

  @Test func `failures make an address wait before the provider is asked`() async throws {
    let settings = CollectorSettings(limits: CollectorLimits(maximumFailedLogins: 2))
    try await withProvider(settings: settings) { fixture, fake, client in
      for _ in 0..<2 { #expect(try await Browser(client).signIn(fake).status == .unauthorized) }
      let asked = fake.count("/token")
      let browser = Browser(client)
      let uri = try await browser.callback(fake)
      let response = try await browser.open(uri)
      #expect(response.status == .tooManyRequests && response.headers[.retryAfter] != nil)
      #expect(fake.count("/token") == asked)
      #expect(try fixture.catalog.failedLogins(limit: 10).map(\.count) == [2])
    }
  }

  @Test(.timeLimit(.minutes(5))) func `a third exchange of an address has to wait, and then goes on`() async throws {
    let fake = FakeProvider(issuer: "https://id.example.org", now: WallClock.system)
    let state = Locked((begun: 0, isHeld: true))
    let provider = SignOnProvider(
      fake.settings,
      exchange: { request throws(OutgoingError) in
        if request.address.hasSuffix("/token") {
          state.withLock { $0.begun += 1 }
          while state.withLock(\.isHeld), !Task.isCancelled { try? await Task.sleep(for: .milliseconds(5)) }
        }
        return try await fake.exchange(request)
      }, wallTime: WallClock.system, uptime: { .zero })
    let fixture = try Fixture(providers: [provider])
    _ = try fixture.catalog.invite(name: "ann@example.org", role: .viewer, apps: nil, seesPersonalData: false)
    try await fixture.routed { client in
      let browsers = (0..<3).map { _ in Browser(client) }
      let uris = [
        try await browsers[0].callback(fake), try await browsers[1].callback(fake),
        try await browsers[2].callback(fake),
      ]
      async let first = browsers[0].open(uris[0])
      async let second = browsers[1].open(uris[1])
      defer { state.withLock { $0.isHeld = false } }
      while state.withLock(\.begun) < 2 { try await Task.sleep(for: .milliseconds(5)) }
      let response = try await browsers[2].open(uris[2])
      #expect(response.status == .serviceUnavailable && response.headers[.retryAfter] == "5")
      #expect(text(response).contains("Wait a few seconds, then reload this page."))
      state.withLock { $0.isHeld = false }
      #expect(try await [first.status, second.status] == [.seeOther, .seeOther])
      #expect(fake.count("/token") == 2)
      #expect(try await browsers[2].open(uris[2]).status == .seeOther, "reloaded")
      #expect(try fixture.catalog.failedLogins(limit: 10).isEmpty)
    }
  }

  @Test func `an answer without a sign-in of this browser costs nothing and makes no one wait`() async throws {
    let settings = CollectorSettings(limits: CollectorLimits(maximumFailedLogins: 2))
    try await withProvider({ $0.rules = [.init(value: "staff", rights: Self.viewer)] }, settings: settings) {
      fixture, fake, client in
      _ = try fixture.catalog.invite(name: "ann@example.org", role: .viewer, apps: nil, seesPersonalData: false)
      for _ in 0..<5 {
        let response = try await Browser(client).open("/sign-in/company/callback?state=x&code=y")
        #expect(response.status == .unauthorized)
      }
      #expect(fake.count("/token") == 0)
      fake.change { $0.claims = ["groups": .array([.text("staff")])] }
      #expect(try await Browser(client).signIn(fake).status == .seeOther)
    }
  }

  @Test func `someone who is refused loses the sessions that began with the provider`() async throws {
    try await withProvider({ $0.rules = [.init(value: "staff", rights: Self.viewer)] }) { fixture, fake, client in
      let ann = try fixture.catalog.invite(
        name: "ann@example.org", role: .viewer, apps: nil, seesPersonalData: false
      ).account
      fake.change { $0.claims = ["groups": .array([.text("staff")])] }
      let browser = Browser(client)
      #expect(try await browser.signIn(fake).status == .seeOther)
      _ = try fixture.catalog.createLoginSession(
        of: ann.id, lasting: .seconds(60), address: "", browser: "by password", provider: nil)
      fake.change { $0.claims = ["groups": .array([])] }
      #expect(try await Browser(client).signIn(fake).status == .unauthorized)
      #expect(try await browser.open("/apps/1").status == .seeOther)
      #expect(try fixture.catalog.loginSessions().map(\.browser) == ["by password"])
    }
  }

  @Test func `while the provider can't be reached, the login page says so`() async throws {
    try await withProvider { fixture, fake, client in
      fake.change { $0.answers["/.well-known/openid-configuration"] = FakeProvider.Answer(status: 500) }
      let response = try await Browser(client).open("/sign-in/company?next=/apps/1")
      #expect(response.status == .badGateway && text(response).contains("can’t be used at the moment"))
      #expect(text(response).contains(#"name="next" value="/apps/1""#))
    }
  }

  @Test func `the operator's log has the reason, once for many who try at the same time`() async throws {
    let fake = FakeProvider(issuer: "https://id.example.org", now: WallClock.system)
    fake.change { $0.metadata = ["issuer": .text("https://evil.example")] }
    let fixture = try Fixture(
      providers: [
        SignOnProvider(fake.settings, exchange: fake.exchange, wallTime: WallClock.system, uptime: { .zero })
      ])
    try await fixture.running { port in
      for _ in 0..<3 {
        let answer = try await RawConnection.open(to: port) { connection in
          try await connection.send("GET /sign-in/company HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
          return try await connection.receiveToEnd()
        }
        #expect(answer.hasPrefix("HTTP/1.1 502"))
      }
    }
    let lines = fixture.log.messages.filter { $0.contains("Sign-in failed") }
    #expect(lines.count == 1 && lines.first?.contains("must be exactly that") == true)
  }

  @Test func `logging out ends the session here, and offers the provider's page`() async throws {
    try await withProvider { fixture, fake, client in
      _ = try fixture.catalog.invite(name: "ann@example.org", role: .viewer, apps: nil, seesPersonalData: false)
      let browser = Browser(client)
      _ = try await browser.signIn(fake)
      #expect(try await browser.open("/sign-in/company").headers[.location] == "/", "logged in already")
      let response = try await browser.open("/logout", .post)
      #expect(response.status == .ok && !browser.isLoggedIn)
      #expect(try fixture.catalog.loginSessions().isEmpty)
      #expect(text(response).contains("Sign out of Company &amp; &lt;Co&gt; as well"))
      #expect(text(response).contains("https://id.example.org/logout?client_id=tern&amp;post_logout_redirect_uri="))
      let own = Browser(client)
      own.cookies.withLock { $0["tern_session"] = try? fixture.catalog.ownerSession() }
      #expect(try await own.open("/logout", .post).headers[.location] == "/login")
    }
  }
}
