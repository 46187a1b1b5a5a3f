import Cryptography
import Foundation
import JSON
import Outgoing
import SignOnTestSupport
import TernBase
import TernEvents
import Testing
import Warehouse

@testable import SignOn

/// Tests sign-ins with a provider that tells the truth or lies.
@Suite struct SignOnProviderTests {
  /// A provider, this server's side of it, and a clock for both.
  private struct World {
    let clock = Locked(Timestamp(millisecondsSince1970: 1_800_000_000_000))
    let fake: FakeProvider
    let provider: SignOnProvider

    init(_ change: (inout ProviderSettings) -> Void = { _ in }) {
      let clock = clock
      fake = FakeProvider(issuer: "https://id.example.org/realms/main") { clock.withLock { $0 } }
      var settings = fake.settings
      change(&settings)
      provider = SignOnProvider(
        settings, exchange: fake.exchange, wallTime: { clock.withLock { $0 } },
        uptime: { .milliseconds(clock.withLock { $0 }.millisecondsSince1970) })
    }

    static let redirect = "https://tern.example.org/sign-in/company/callback"

    func pass(_ duration: Duration) { clock.withLock { $0 = $0 + duration } }

    func begin() async throws -> (attempt: SignInAttempt, code: String, state: String) {
      let (attempt, address) = try await provider.begin(redirect: Self.redirect, next: "/apps/1")
      let (code, state) = fake.signIn(address)
      // As it comes back from the browser.
      return (try #require(provider.attempt(cookie: attempt.cookie)), code, state)
    }

    func signIn() async throws -> IDToken {
      let (attempt, code, state) = try await begin()
      return try await provider.finish(attempt, code: code, state: state, issuer: nil, redirect: Self.redirect)
    }

    func failure() async throws -> SignOnError { try #require(await error { _ = try await signIn() }) }

    func error(_ body: () async throws -> Void) async -> SignOnError? {
      do { try await body() } catch { return error as? SignOnError }
      return nil
    }
  }

  @Test func `a person is who the provider's token says, and the page asked for is remembered`() async throws {
    let world = World()
    let (attempt, code, state) = try await world.begin()
    #expect(attempt.next == "/apps/1")
    let token = try await world.provider.finish(
      attempt, code: code, state: state, issuer: world.fake.issuer, redirect: World.redirect)
    #expect(token.issuer == world.fake.issuer && token.subject == "ann-1" && token.verifiedEmail == "ann@example.org")
  }

  @Test(arguments: [ForgedKey.rsa("k"), .p256("k"), .p384("k"), .p521("k"), .ed25519("k")])
  func `all kinds of keys are understood`(key: ForgedKey) async throws {
    let world = World()
    world.fake.change { $0.keys = [.ed25519("other"), key] }
    #expect(try await world.signIn().subject == "ann-1")
    world.fake.change {
      $0.keys = [key]; $0.header = ["kid": .null]
    }
    world.pass(.seconds(3_600))
    #expect(try await world.signIn().subject == "ann-1", "one key needs no name")
  }

  @Test func `a key without the leading zeros of its coordinates is understood`() async throws {
    let world = World()
    let key = try ForgedKey.shortened("k")
    world.fake.change { $0.keys = [key] }
    #expect(try await world.signIn().subject == "ann-1")
  }

  @Test(arguments: ["RS384", "RS512", "PS256", "PS384", "PS512"])
  func `all signatures with RSA keys are understood`(algorithm: String) async throws {
    let world = World()
    world.fake.change {
      $0.keys = [.rsa("k")]; $0.header = ["alg": .text(algorithm)]
    }
    #expect(try await world.signIn().subject == "ann-1")
  }

  @Test func `a token that claims another algorithm than its signature's is refused`() throws {
    let key = ForgedKey.rsa("k")
    let keys = try SigningKeys(parsing: try ForgedKey.set([key]))
    let parts = try key.token(header: [("alg", .text("RS256"))], claims: []).split(separator: ".")
    for algorithm in ["RS384", "RS512", "PS256", "PS384", "PS512"] {
      let header = ForgedKey.base64(Data(#"{"alg":"\#(algorithm)"}"#.utf8))
      let token = try SignedToken(parsing: "\(header).\(parts[1]).\(parts[2])")
      #expect(!token.isSigned(by: keys.keys(for: token)), "\(algorithm)")
    }
  }

  @Test(
    arguments: [
      ("iss", .text("https://evil.example"), "issuer"), ("iss", .null, "issuer"),
      ("iss", .text("https://id.example.org/realms/main/"), "issuer"),
      ("aud", .text("other"), "another client"), ("aud", .null, "another client"),
      ("aud", .array([]), "another client"),
      ("aud", .array([.text("tern"), .number(1)]), "another client"),
      ("aud", .array([.text("tern"), .text("other")]), "several clients"), ("azp", .text("other"), "another client"),
      ("azp", .number(1), "another client"),
      ("nonce", .text("other"), "another sign-in"), ("nonce", .null, "another sign-in"),
      ("exp", .number(1_800_000_000 - 61), "expired"), ("exp", .null, "when it was issued"),
      ("exp", .text("1900000000"), "when it was issued"), ("iat", .null, "when it was issued"),
      ("iat", .number(1_800_000_000 + 61), "future"), ("nbf", .number(1_800_000_000 + 61), "future"),
      ("sub", .null, "who signs in"), ("sub", .text(""), "who signs in"),
      ("sub", .text(String(repeating: "s", count: 256)), "who signs in"),
      ("sub", .text("ann-1\u{1}"), "control characters"), ("sub", .text("ann-1\u{0}x"), "isn't JSON"),
    ] as [(String, JSONTree, String)])
  func `a token with a wrong claim is refused`(name: String, value: JSONTree, reason: String) async throws {
    let world = World()
    world.fake.change { $0.claims = [name: value] }
    let error = try await world.failure()
    #expect(error.code == .token && error.message.contains(reason), "\(error.message)")
  }

  @Test func `clocks may differ by a minute, and several audiences are fine if the token was issued to this one`()
    async throws
  {
    let world = World()
    world.fake.change {
      $0.claims = [
        "exp": .number(1_800_000_000 - 59), "iat": .number(1_800_000_000 + 59),
        "aud": .array([.text("other"), .text("tern")]), "azp": .text("tern"),
      ]
    }
    #expect(try await world.signIn().subject == "ann-1")
  }

  @Test(
    arguments: [
      (["alg": .text("none")], "none"), (["alg": .text("None")], "None"), (["alg": .text("HS256")], "HS256"),
      (["alg": .null], "allowed are"), (["alg": .text("RS256")], "isn't known"), (["kid": .text("two")], "isn't known"),
      (["typ": .text("at+jwt")], "another type"), (["crit": .array([.text("exp")])], "extension"),
    ] as [([String: JSONTree], String)])
  func `a token with a wrong header is refused`(header: [String: JSONTree], reason: String) async throws {
    let world = World()
    world.fake.change { $0.header = header }
    let error = try await world.failure()
    #expect(error.code == .token && error.message.contains(reason), "\(error.message)")
  }

  @Test func `a token that another key has signed under the same name is refused`() async throws {
    let world = World()
    world.fake.change { $0.shownKeys = [.p256("one")] }
    #expect(try await world.failure().message.contains("signature"))
    world.fake.change {
      $0.header = ["kid": .null]; $0.shownKeys = [.p256("one"), .p256("two")]
    }
    world.pass(.seconds(3_600))
    #expect(try await world.failure().message.contains("isn't known"), "it must say which of several keys")
  }

  @Test func `a new key is looked for once a minute, and keys are fetched again each hour`() async throws {
    let world = World()
    _ = try await world.signIn()
    world.fake.change {
      $0.keys.append(.p256("two")); $0.shownKeys = [$0.keys[0]]
    }
    #expect(try await world.failure().message.contains("isn't known"))
    #expect(try await world.failure().message.contains("isn't known"))
    #expect(world.fake.count("/keys") == 1, "a minute isn't over")
    world.pass(.seconds(61))
    world.fake.change { $0.shownKeys = nil }
    #expect(try await world.signIn().subject == "ann-1")
    #expect(try await world.signIn().subject == "ann-1")
    #expect(world.fake.count("/keys") == 2)
    world.fake.change { $0.shownKeys = [] }
    world.pass(.seconds(3_600))
    #expect(try await world.failure().message.contains("isn't known"), "the key was withdrawn")
    #expect(world.fake.count("/.well-known/openid-configuration") == 2)
  }

  @Test func `an answer works once, in the browser and in the time of its sign-in`() async throws {
    let world = World()
    world.fake.change { $0.acceptsUsedCodes = true }
    let (attempt, code, state) = try await world.begin()
    let other = try await world.begin()
    func finish(_ attempt: SignInAttempt, _ state: String, issuer: String? = nil) async throws {
      _ = try await world.provider.finish(
        attempt, code: code, state: state, issuer: issuer, redirect: World.redirect)
    }
    #expect(await world.error { try await finish(other.attempt, state) }?.code == .attempt, "another browser's state")
    for wrong in ["", "x", state + "A", other.state] {
      #expect(await world.error { try await finish(attempt, wrong) }?.code == .attempt)
    }
    try await finish(attempt, state)
    #expect(await world.error { try await finish(attempt, state) }?.code == .attempt, "replayed")
    #expect(world.fake.count("/token") == 1)
    #expect(await world.error { try await finish(other.attempt, other.state) }?.code == .provider, "other verifier")
    let cookie = other.attempt.cookie
    #expect(world.provider.attempt(cookie: cookie) != nil)
    world.pass(.seconds(600))
    #expect(world.provider.attempt(cookie: cookie) == nil)
  }

  @Test func `a changed cookie, or that of another provider or server, is no sign-in`() async throws {
    let world = World()
    let cookie = try await world.begin().attempt.cookie
    for index in cookie.indices {
      var changed = Array(cookie)
      let offset = cookie.distance(from: cookie.startIndex, to: index)
      changed[offset] = changed[offset] == "A" ? "B" : "A"
      #expect(world.provider.attempt(cookie: String(changed)) == nil, "\(offset)")
    }
    for text in ["", ".", "...", cookie + ".", cookie + "A", String(cookie.dropLast()), "\u{0}"] {
      #expect(world.provider.attempt(cookie: text) == nil)
    }
    #expect(World().provider.attempt(cookie: cookie) == nil, "another process has another key")
    let key = RandomKey.make()
    var generator = SystemRandomNumberGenerator()
    let attempt = SignInAttempt(
      provider: "a", next: "/", key: key, now: Timestamp(millisecondsSince1970: 0), using: &generator)
    let now = Timestamp(millisecondsSince1970: 1)
    #expect(SignInAttempt(cookie: attempt.cookie, provider: "a", key: key, now: now)?.state == attempt.state)
    #expect(SignInAttempt(cookie: attempt.cookie, provider: "b", key: key, now: now) == nil)
  }

  @Test func `an answer that names another provider is refused, and one that names none if this one names itself`()
    async throws
  {
    let world = World()
    func finish(issuer: String?) async throws {
      let (attempt, code, state) = try await world.begin()
      _ = try await world.provider.finish(
        attempt, code: code, state: state, issuer: issuer, redirect: World.redirect)
    }
    #expect(await world.error { try await finish(issuer: "https://evil.example") }?.code == .attempt)
    try await finish(issuer: nil)
    world.fake.change { $0.metadata = ["authorization_response_iss_parameter_supported": .boolean(true)] }
    world.pass(.seconds(3_600))
    #expect(await world.error { try await finish(issuer: nil) }?.code == .attempt)
    try await finish(issuer: world.fake.issuer)
  }

  @Test(
    arguments: [
      (["issuer": .text("https://id.example.org/realms/other")], "must be exactly"),
      (["issuer": .text("https://id.example.org/realms/main/")], "must be exactly"),
      (["issuer": .null], "must be exactly"),
      (["token_endpoint": .null], "lacks"), (["token_endpoint": .text("http://id.example.org/token")], "https"),
      (["jwks_uri": .text("file:///etc/passwd")], "https"), (["jwks_uri": .text("https://a@b/")], "https"),
      (["authorization_endpoint": .text("javascript:alert(1)")], "https"),
      (["authorization_endpoint": .number(1)], "https"), (["end_session_endpoint": .text("//x")], "https"),
    ] as [([String: JSONTree], String)])
  func `a description that can't be used is refused`(changes: [String: JSONTree], reason: String) async throws {
    let world = World()
    world.fake.change { $0.metadata = changes }
    let error = try await world.failure()
    #expect(error.code == .provider && error.message.contains(reason), "\(error.message)")
  }

  @Test(arguments: ["/.well-known/openid-configuration", "/keys", "/token"])
  func `an answer that isn't JSON, is nested deeply, says something twice or is an error is refused`(
    path: String
  ) async throws {
    let deep = String(repeating: #"{"a":"#, count: 5_000) + "1" + String(repeating: "}", count: 5_000)
    for text in ["", "<html>", "[]", "null", "{}", #"{"a":1,"a":2}"#, deep, "\u{FEFF}{}", #"{"id_token":"x"}"#] {
      let world = World()
      world.fake.change { $0.answers[path] = FakeProvider.Answer(body: Array(text.utf8)) }
      #expect(await world.error { _ = try await world.signIn() } != nil, "\(text.prefix(20))")
    }
    for status in [201, 302, 404, 500] {
      let world = World()
      world.fake.change { $0.answers[path] = FakeProvider.Answer(status: status, body: Array("{}".utf8)) }
      #expect(await world.error { _ = try await world.signIn() }?.code == .provider)
    }
  }

  @Test func `a provider that fails isn't asked again for some seconds`() async throws {
    let world = World()
    let path = "/.well-known/openid-configuration"
    world.fake.change { $0.answers[path] = FakeProvider.Answer(status: 500) }
    for _ in 0..<3 { _ = try await world.failure() }
    #expect(world.fake.count(path) == 1)
    world.fake.change { $0.answers = [:] }
    world.pass(.seconds(5))
    #expect(try await world.signIn().subject == "ann-1")
  }

  @Test func `the secret goes into the body where the provider wants it there`() async throws {
    let world = World()
    world.fake.change { $0.metadata = ["token_endpoint_auth_methods_supported": .array([.text("client_secret_post")])] }
    #expect(try await world.signIn().subject == "ann-1")
  }

  @Test func `only a mail address that the provider has verified counts`() async throws {
    let cases: [(claims: [String: JSONTree], trusts: Bool, email: String?)] = [
      (["email_verified": .text("true")], false, "ann@example.org"), (["email_verified": .null], false, nil),
      (["email_verified": .boolean(false)], false, nil), (["email_verified": .number(1)], false, nil),
      (["email_verified": .null], true, "ann@example.org"), (["email_verified": .boolean(false)], true, nil),
      (["email": .text("owner")], false, nil), (["email": .null], false, nil),
      (["email": .text("a@example.org\nx")], false, nil),
    ]
    for (claims, trusts, email) in cases {
      let world = World { $0.trustsEmail = trusts }
      world.fake.change { $0.claims = claims }
      #expect(try await world.signIn().verifiedEmail == email, "\(claims)")
    }
  }

  @Test func `what the token doesn't say, the provider's information about the person does`() async throws {
    let owner = ProvidedRights(role: .owner)
    let world = World { $0.rules = [.init(value: "admins", rights: owner)] }
    let told: [String: JSONTree] = [
      "email": .text("bob@example.org"), "email_verified": .boolean(true), "groups": .array([.text("admins")]),
    ]
    let cases: [(token: [String: JSONTree], told: [String: JSONTree], email: String?, isOwner: Bool)] = [
      (["email": .null, "email_verified": .null], told, "bob@example.org", true),
      ([:], told, "ann@example.org", true),
      (["groups": .array([.text("other")])], told, "ann@example.org", false),
      // The word on an address counts only for the address beside it.
      (["email_verified": .boolean(false)], told, nil, true),
      (["email": .null], ["email": .text("bob@example.org")], nil, false),
    ]
    for (claims, information, email, isOwner) in cases {
      world.fake.change {
        $0.claims = claims; $0.information = information
      }
      let token = try await world.signIn()
      #expect(token.verifiedEmail == email, "\(claims)")
      #expect(world.provider.settings.entitlement(token) == (isOwner ? .rights(owner) : .none), "\(claims)")
    }
  }

  @Test func `information about another person is refused, and none is asked for if the token says it all`()
    async throws
  {
    let world = World { $0.rules = [.init(value: "admins", rights: ProvidedRights(role: .owner))] }
    world.fake.change { $0.information = ["sub": .text("bob-2"), "groups": .text("admins")] }
    let error = try await world.failure()
    #expect(error.code == .token && error.message.contains("another person"), "\(error.message)")
    #expect(world.fake.count("/userinfo") == 1)
    world.fake.change { $0.claims = ["groups": .text("admins")] }
    #expect(try await world.signIn().verifiedEmail == "ann@example.org")
    #expect(world.fake.count("/userinfo") == 1)
    world.fake.change {
      $0.claims = [:]; $0.answers["/userinfo"] = FakeProvider.Answer(status: 403)
    }
    #expect(try await world.failure().code == .provider)
  }

  @Test func `the check tells a wrong secret from a right one`() async throws {
    try await World().provider.checkClient(redirect: World.redirect)
    let wrong = World { $0.clientSecret = "wrong" }
    let error = await wrong.error { try await wrong.provider.checkClient(redirect: World.redirect) }
    #expect(error?.message.contains("doesn't accept the client's ID, its secret") == true)
    #expect(error?.message.hasSuffix("it answered 401 invalid_client.") == true)
    // Answers that say nothing about the secret don't count as accepting it.
    for (status, body) in [(200, "{}"), (404, ""), (500, #"{"error":"invalid_grant"}"#)] {
      let world = World()
      world.fake.change {
        $0.answers["/token"] = FakeProvider.Answer(status: status, body: Array(body.utf8))
      }
      let error = await world.error { try await world.provider.checkClient(redirect: World.redirect) }
      #expect(error?.message.contains("token endpoint answered \(status)") == true, "\(status)")
    }
  }

  @Test func `the first rule with a value of the claim gives the rights`() async throws {
    let (viewer, owner) = (ProvidedRights(role: .viewer, apps: [AppID(1)]), ProvidedRights(role: .owner))
    let world = World { $0.rules = [.init(value: "admins", rights: owner), .init(value: "all", rights: viewer)] }
    let cases: [(JSONTree, ProviderSettings.Entitlement)] = [
      (.array([.text("all"), .text("admins")]), .rights(owner)), (.array([.text("all")]), .rights(viewer)),
      (.text("admins"), .rights(owner)), (.array([.text("Admins")]), .none), (.text("all admins"), .none),
      (.array([.text("admins"), .number(1)]), .none), (.null, .none), (.object([("admins", .boolean(true))]), .none),
    ]
    for (value, entitlement) in cases {
      world.fake.change { $0.claims = ["groups": value] }
      #expect(world.provider.settings.entitlement(try await world.signIn()) == entitlement, "\(value)")
    }
    let free = World()
    #expect(free.provider.settings.entitlement(try await free.signIn()) == .unchanged)
  }

  @Test func `signing out leads to the provider's page, if it has one`() async throws {
    let world = World()
    let address = await world.provider.signOutAddress(redirect: "https://tern.example.org/login")
    #expect(
      address == world.fake.issuer
        + "/logout?client_id=tern&post_logout_redirect_uri=https%3A%2F%2Ftern.example.org%2Flogin")
    let other = World()
    other.fake.change { $0.metadata = ["end_session_endpoint": .null] }
    #expect(await other.provider.signOutAddress(redirect: "https://tern.example.org/login") == nil)
  }
}
