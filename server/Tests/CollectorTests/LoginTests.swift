import Foundation
import GRDB
import HTTPTypes
import Hummingbird
import NIOCore
import Portal
import ServerBase
import TernBase
import Testing
import Warehouse

@testable import AppCatalog
@testable import HTTP
@testable import TernServer

/// Tests logins and access to reports.
@Suite struct LoginTests {
  private func sessionCookie(_ response: TestResponse) throws -> String {
    let field = try #require(response.headers[.setCookie])
    for attribute in ["Path=/", "HttpOnly", "SameSite=Lax", "Max-Age=2592000"] { #expect(field.contains(attribute)) }
    return String(try #require(field.split(separator: ";").first))
  }

  @Test func `the login link leads to the portal and opens it`() async throws {
    let fixture = try Fixture()
    try await fixture.routed { client in
      let code = try fixture.catalog.createLoginCode()
      let link = try await client.execute(uri: "/login?code=\(code)", method: .get)
      #expect(link.status == .seeOther)
      #expect(link.headers[.location] == "/")
      #expect(link.headers[.setCookie]?.contains("Secure") == false)
      let cookie = try sessionCookie(link)
      #expect(!cookie.contains(code))
      let home = try await client.execute(uri: "/", method: .get, headers: [.cookie: cookie])
      #expect(home.status == .ok)
      #expect(home.headers[.cacheControl] == "no-store")
      let apps = try await client.execute(uri: "/api/v1/apps", method: .get, headers: [.cookie: cookie])
      #expect(apps.status == .ok)

      let logout = try await client.execute(uri: "/logout", method: .post, headers: [.cookie: cookie])
      #expect(logout.status == .seeOther)
      #expect(try await client.execute(uri: "/", method: .get, headers: [.cookie: cookie]).status == .seeOther)
    }
  }

  @Test func `a login link works once, and again only in the browser that it has logged in`() async throws {
    let fixture = try Fixture()
    try await fixture.routed { client in
      let uri = "/login?code=\(try fixture.catalog.createLoginCode())&next=/apps/1"
      #expect(try await client.execute(uri: uri, method: .head).headers[.setCookie] == nil, "a link checker")
      let first = try await client.execute(uri: uri, method: .get)
      #expect(first.headers[.location] == "/apps/1")
      let stolen = try await client.execute(uri: uri, method: .get)
      #expect(stolen.status == .unauthorized)
      #expect(stolen.headers[.setCookie] == nil)
      #expect(String(buffer: stolen.body).contains("tern login-link"))
      let own = try await client.execute(uri: uri, method: .get, headers: [.cookie: try sessionCookie(first)])
      #expect(own.headers[.location] == "/apps/1")
    }
  }

  @Test func `a name and a password log in, and continue to the requested page`() async throws {
    let fixture = try Fixture()
    try fixture.catalog.setPassword("correct horse battery", of: 1, keeping: nil)
    try await fixture.routed { client in
      let wanted = "/apps/1/events?from=2026-01-01&to=2026-02-01"
      let turnedAway = try await client.execute(uri: wanted, method: .get)
      #expect(turnedAway.status == .seeOther)
      let login = try #require(turnedAway.headers[.location])
      #expect(login == "/login?next=%2Fapps%2F1%2Fevents%3Ffrom%3D2026-01-01%26to%3D2026-02-01")
      #expect(try await client.execute(uri: login, method: .get).status == .ok)
      let next = "next=%2Fapps%2F1%2Fevents%3Ffrom%3D2026-01-01%26to%3D2026-02-01"
      let response = try await client.execute(
        uri: "/login", method: .post, headers: [.origin: "http://localhost"],
        body: ByteBuffer(string: "name=Owner&password=correct+horse+battery&\(next)"))
      #expect(response.status == .seeOther)
      #expect(response.headers[.location] == wanted)
      _ = try sessionCookie(response)
      for wrong in [
        "name=owner&password=wrong", "name=nobody&password=correct+horse+battery", "token=\(fixture.token)",
      ] {
        let response = try await client.execute(uri: "/login", method: .post, body: ByteBuffer(string: wrong))
        #expect(response.status == .unauthorized)
        #expect(response.headers[.setCookie] == nil)
      }
    }
  }

  @Test func `an invitation works once, even if the first password was too short`() async throws {
    let fixture = try Fixture()
    let code = try fixture.catalog.invite(name: "ann", role: .viewer, apps: nil, seesPersonalData: false).code
    try await fixture.routed { client in
      for _ in 0..<2 {
        let page = try await client.execute(uri: "/welcome?code=\(code)", method: .get)
        #expect(page.status == .ok && String(buffer: page.body).contains("Welcome, <bdi>ann"))
        #expect(page.headers[.setCookie] == nil, "previews of links do not use the invitation up")
      }
      func accept(_ password: String) async throws -> TestResponse {
        try await client.execute(
          uri: "/welcome", method: .post, body: ByteBuffer(string: "code=\(code)&password=\(password)"))
      }
      for poor in ["short", "1234567890"] { #expect(try await accept(poor).status == .badRequest) }
      let foreign = try await client.execute(
        uri: "/welcome", method: .post, headers: [.origin: "https://evil.example"],
        body: ByteBuffer(string: "code=\(code)&password=5kyscraper"))
      #expect(foreign.status == .forbidden)
      let accepted = try await accept("5kyscraper")
      #expect(accepted.status == .seeOther)
      _ = try sessionCookie(accepted)
      #expect(try await accept("another-one").status == .unauthorized)
      #expect(try await client.execute(uri: "/welcome?code=\(code)", method: .get).status == .unauthorized)
      #expect(try fixture.catalog.account(name: "ann", password: "5kyscraper") != nil)
    }
    #expect(try fixture.catalog.audit(limit: 10).contains { $0.action == "password set" && $0.actor.name == "ann" })
  }

  @Test func `guessing a password delays only that name at that address, and a login link always works`() async throws {
    let uptime = Locked(Duration.zero)
    let proxy = try #require(AddressBlock("127.0.0.1"))
    let fixture = try Fixture(
      CollectorSettings(limits: CollectorLimits(maximumFailedLogins: 2), trustedProxies: [proxy]),
      uptime: { uptime.withLock { $0 } })
    try fixture.catalog.setPassword("correct horse battery", of: 1, keeping: nil)
    try await fixture.running { port async throws in
      func login(_ password: String, name: String = "owner", from client: String) async throws -> String {
        try await RawConnection.open(to: port) { connection in
          let body = "name=\(name)&password=\(password)"
          let fields = "X-Forwarded-For: \(client)\r\nContent-Length: \(body.utf8.count)\r\nConnection: close"
          try await connection.send("POST /login HTTP/1.1\r\nHost: x\r\n\(fields)\r\n\r\n\(body)")
          return String(try await connection.receiveToEnd().dropFirst("HTTP/1.1 ".count).prefix(3))
        }
      }
      let (attacker, right) = ("198.51.100.1", "correct+horse+battery")
      for _ in 0..<2 { #expect(try await login("wrong", from: attacker) == "401") }
      #expect(try await login(right, from: attacker) == "429", "guesses aren't even checked")
      #expect(try await login("wrong", name: "ann", from: attacker) == "401")
      #expect(try await login(right, from: "203.0.113.5") == "303", "the person elsewhere is not locked out")
      uptime.withLock { $0 += .seconds(2) }
      #expect(try await login(right, from: attacker) == "303")
    }
    let failed = try fixture.catalog.failedLogins(limit: 20)
    #expect(failed.map(\.name) == ["ann", "owner"] && failed.map(\.count) == [1, 2])
    #expect(failed.allSatisfy { $0.address == "198.51.100.1" })
  }

  @Test func `a login over https sets a cookie for https only, if a trusted proxy says so`() async throws {
    for (proxies, isSecure) in [(["127.0.0.1"], true), ([], false), (["10.0.0.0/8"], false)] {
      let blocks = try proxies.map { try #require(AddressBlock($0)) }
      let fixture = try Fixture(CollectorSettings(trustedProxies: blocks))
      let code = try fixture.catalog.createLoginCode()
      try await fixture.running { port in
        try await RawConnection.open(to: port) { connection in
          try await connection.send(
            "GET /login?code=\(code) HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-Proto: https\r\n"
              + "Connection: close\r\n\r\n")
          let answer = try await connection.receiveToEnd()
          #expect(answer.contains("Set-Cookie: tern_session"), "\(answer)")
          #expect(answer.contains("; Secure") == isSecure, "\(proxies)")
        }
      }
    }
  }

  @Test(arguments: [
    "https://evil.example/", "//evil.example", "/\\evil.example", "\\/evil", "javascript:alert(1)", "", "apps",
    "/a\r\nSet-Cookie:%20x=1", "/\tx",
  ])
  func `a return path never leads to another site`(next: String) {
    #expect(ReturnPath.checked(next) == "/")
  }

  @Test(arguments: ["/", "/apps/1", "/apps/1/event?event=a%20b&from=2026-01-01"])
  func `a return path on this server is kept`(next: String) {
    #expect(ReturnPath.checked(next) == next)
  }

  @Test func `wrong codes and tokens are refused and soon delayed, the right ones always pass`() async throws {
    let uptime = Locked(Duration.zero)
    let fixture = try Fixture(
      CollectorSettings(limits: CollectorLimits(maximumFailedLogins: 3)), uptime: { uptime.withLock { $0 } })
    try await fixture.routed { client in
      for _ in 0..<3 {
        let response = try await client.execute(uri: "/login?code=wrong", method: .get)
        #expect(response.status == .unauthorized)
        #expect(response.headers[.setCookie] == nil)
      }
      let wrong = try await client.execute(uri: "/login?code=wrong", method: .get)
      #expect(wrong.status == .tooManyRequests)
      #expect(wrong.headers[.retryAfter] != nil)
      let bearer = try await client.execute(
        uri: "/api/v1/apps", method: .get, headers: [.authorization: "Bearer wrong"])
      #expect(bearer.status == .tooManyRequests)
      // All of them come from one address, like all clients behind one proxy.
      let code = try fixture.catalog.createLoginCode()
      let right = try await client.execute(uri: "/login?code=\(code)", method: .get)
      #expect(right.status == .seeOther)
      #expect(right.headers[.setCookie] != nil)
      let api = try await client.execute(uri: "/api/v1/apps", method: .get, headers: fixture.authorized)
      #expect(api.status == .ok)
      let still = try await client.execute(uri: "/login?code=wrong", method: .get)
      #expect(still.status == .tooManyRequests, "a right token does not forgive the wrong ones")
      uptime.withLock { $0 += .seconds(60) }
      let later = try await client.execute(uri: "/login?code=wrong", method: .get)
      #expect(later.status == .unauthorized, "time does")
    }
  }

  @Test func `on a full disk a login is refused with the reason`() async throws {
    let fixture = try Fixture()
    let code = try fixture.catalog.createLoginCode()
    try fixture.catalog.setPassword("correct horse battery", of: 1, keeping: nil)
    let catalog = fixture.catalog
    try await catalog.pool.writeWithoutTransaction { database in
      try database.execute(sql: "PRAGMA max_page_count = 1")
      // Every login needs an entry in the audit log.
      for bytes in [1_000, 100, 0] {
        #expect(throws: DatabaseError.self) {
          while true {
            try database.execute(
              sql: "INSERT INTO audit (time, actor, address, action, subject) VALUES (0, '', '', '', ?)",
              arguments: [String(repeating: "x", count: bytes)])
          }
        }
      }
    }
    try await fixture.routed { client in
      let link = try await client.execute(uri: "/login?code=\(code)", method: .get)
      let form = try await client.execute(
        uri: "/login", method: .post, body: ByteBuffer(string: "name=owner&password=correct+horse+battery"))
      for response in [link, form] {
        #expect(response.status == .serviceUnavailable)
        #expect(response.headers[.contentType] == "text/html; charset=utf-8")
        #expect(response.headers[.setCookie] == nil)
        let page = String(buffer: response.body)
        #expect(page.contains("disk is full"))
        #expect(!page.contains("catalog.sqlite"), "paths belong in the log")
      }
      let program = try await client.execute(
        uri: "/api/v1/apps", method: .post, headers: fixture.authorized, body: ByteBuffer(string: #"{"name":"A"}"#))
      #expect(program.status == .serviceUnavailable)
      #expect(try error(program)["code"] as? String == "disk_full")
    }
    #expect(fixture.log.messages.filter { $0.contains("catalog.sqlite") }.count == 3)
  }

  @Test func `forms of other sites are refused even with a valid cookie`() async throws {
    let fixture = try Fixture()
    let cookie = try fixture.cookie()
    try await fixture.routed { client in
      let foreign: [HTTPFields] = [
        [.origin: "https://evil.example"], [.origin: "null"], [.secFetchSite: "cross-site"],
        [.secFetchSite: "same-site", .origin: "http://localhost"], [.origin: "http://localhost.evil.example"],
      ]
      for var headers in foreign {
        headers[.cookie] = cookie
        for (uri, body) in [
          ("/apps", "name=Stolen"), ("/logout", ""), ("/login", "name=owner"), ("/users", "do=remove"),
        ] {
          let response = try await client.execute(
            uri: uri, method: .post, headers: headers, body: ByteBuffer(string: body))
          #expect(response.status == .forbidden, "\(uri) \(headers)")
        }
        let api = try await client.execute(
          uri: "/api/v1/apps", method: .post, headers: headers, body: ByteBuffer(string: #"{"name":"Stolen"}"#))
        #expect(api.status == .forbidden)
      }
      let own = try await client.execute(
        uri: "/apps", method: .post, headers: [.cookie: cookie, .origin: "http://localhost"],
        body: ByteBuffer(string: "name=Mine&timeZone=Europe%2FBerlin"))
      #expect(own.status == .seeOther)
      #expect(own.headers[.location] == "/apps/2/setup")
    }
    #expect(try fixture.catalog.apps().map(\.name) == ["Player & <Friends>", "Mine"])
  }

  @Test func `the page explains why an app cannot be created`() async throws {
    let fixture = try Fixture()
    let cookie = try fixture.cookie()
    try await fixture.routed { client in
      let response = try await client.execute(
        uri: "/apps", method: .post, headers: [.cookie: cookie], body: ByteBuffer(string: "name=X&timeZone=Mars"))
      #expect(response.status == .badRequest)
      #expect(String(buffer: response.body).contains("Mars"))
    }
  }

  @Test func `a limiter delays each further failure longer, and remembers a bounded number of keys`() {
    var limiter = LoginLimiter(maximum: 2, longestDelay: .seconds(3), capacity: 3)
    limiter.failed("a", now: .seconds(0))
    #expect(limiter.wait("a", now: .seconds(0)) == nil)
    limiter.failed("a", now: .seconds(10))
    #expect(limiter.wait("a", now: .seconds(10)) == .seconds(1))
    #expect(limiter.wait("b", now: .seconds(10)) == nil)
    #expect(limiter.wait("a", now: .seconds(11)) == nil)
    limiter.failed("a", now: .seconds(11))
    #expect(limiter.wait("a", now: .seconds(11)) == .seconds(2))
    limiter.failed("a", now: .seconds(13))
    #expect(limiter.wait("a", now: .seconds(13)) == .seconds(3), "the longest delay")
    limiter.failed("a", now: .seconds(43))
    #expect(limiter.wait("a", now: .seconds(43)) == nil, "forgotten")
    limiter.failed("b", now: .seconds(44))
    limiter.failed("c", now: .seconds(45))
    limiter.failed("d", now: .seconds(46))
    limiter.failed("a", now: .seconds(47))
    #expect(limiter.wait("a", now: .seconds(47)) == nil, "the oldest key made room")
    limiter.failed("d", now: .seconds(47))
    #expect(limiter.wait("d", now: .seconds(47)) == .seconds(1))
  }

  @Test func `attempts in progress count like failures, and those that succeed leave nothing`() {
    var limiter = LoginLimiter(maximum: 3, longestDelay: .seconds(4))
    #expect(limiter.begin("a", now: .zero) == nil)
    #expect(limiter.begin("a", now: .zero) == nil)
    limiter.failed("a", now: .zero)
    limiter.end("a")
    #expect(limiter.begin("a", now: .zero) == nil, "one failed, one is in progress")
    #expect(limiter.begin("a", now: .zero) == .seconds(1), "one failed, two are in progress")
    #expect(limiter.begin("b", now: .zero) == nil)
    for _ in 0..<2 { limiter.end("a") }
    for _ in 0..<2 { #expect(limiter.begin("a", now: .zero) == nil, "both succeeded") }
    for _ in 0..<2 {
      limiter.failed("a", now: .zero)
      limiter.end("a")
    }
    #expect(limiter.begin("a", now: .zero) == .seconds(1))
    #expect(limiter.begin("a", now: .seconds(1)) == nil, "after the delay")
    #expect(limiter.begin("a", now: .seconds(1)) == .seconds(1), "one at a time after too many failures")
    #expect(limiter.begin("a", now: .seconds(41)) == nil, "the failures are forgotten")
  }
}
