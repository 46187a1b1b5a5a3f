import AppCatalog
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOConcurrencyHelpers
import NIOCore
import Portal
import Testing
import Warehouse

@testable import Collector

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
      let token = try await client.execute(uri: "/login?token=\(fixture.token)", method: .get)
      #expect(token.headers[.setCookie] == nil, "a token has no place in an address")
    }
  }

  @Test func `the login form works too, and continues to the requested page`() async throws {
    let fixture = try Fixture()
    try await fixture.routed { client in
      let wanted = "/apps/1/events?from=2026-01-01&to=2026-02-01"
      let turnedAway = try await client.execute(uri: wanted, method: .get)
      #expect(turnedAway.status == .seeOther)
      let login = try #require(turnedAway.headers[.location])
      #expect(login == "/login?next=%2Fapps%2F1%2Fevents%3Ffrom%3D2026-01-01%26to%3D2026-02-01")
      #expect(try await client.execute(uri: login, method: .get).status == .ok)
      let form = "token=\(fixture.token)&next=%2Fapps%2F1%2Fevents%3Ffrom%3D2026-01-01%26to%3D2026-02-01"
      let response = try await client.execute(
        uri: "/login", method: .post, headers: [.origin: "http://localhost"], body: ByteBuffer(string: form))
      #expect(response.status == .seeOther)
      #expect(response.headers[.location] == wanted)
      _ = try sessionCookie(response)
    }
  }

  @Test func `a login over https sets a cookie for https only`() async throws {
    let fixture = try Fixture()
    try await fixture.routed { client in
      let forwarded = try #require(HTTPField.Name("X-Forwarded-Proto"))
      let code = try fixture.catalog.createLoginCode()
      let response = try await client.execute(uri: "/login?code=\(code)", method: .get, headers: [forwarded: "https"])
      #expect(response.headers[.setCookie]?.contains("; Secure") == true)
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

  @Test func `wrong codes and tokens are refused and soon throttled, the right ones always pass`() async throws {
    let uptime = NIOLockedValueBox(Duration.zero)
    let fixture = try Fixture(
      CollectorSettings(limits: CollectorLimits(maximumFailedLogins: 3)), uptime: { uptime.withLockedValue { $0 } })
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
      let form = try await client.execute(
        uri: "/login", method: .post, body: ByteBuffer(string: "token=\(fixture.token)"))
      #expect(form.status == .seeOther)
      let api = try await client.execute(uri: "/api/v1/apps", method: .get, headers: fixture.authorized)
      #expect(api.status == .ok)
      let still = try await client.execute(uri: "/login?code=wrong", method: .get)
      #expect(still.status == .tooManyRequests, "a right token does not forgive the wrong ones")
      uptime.withLockedValue { $0 += .seconds(60) }
      let later = try await client.execute(uri: "/login?code=wrong", method: .get)
      #expect(later.status == .unauthorized, "time does")
    }
  }

  @Test func `on a full disk a login is refused with the reason`() async throws {
    let fixture = try Fixture()
    let full = WarehouseError(code: .full, message: "The disk is full: /var/lib/tern/catalog.sqlite cannot grow.")
    let pages = try PortalPages(collector: "http://127.0.0.1:8787")
    let access = Access(catalog: fixture.catalog, maximumFailedLogins: 3, makeSession: { _ in throw full })
    let metrics = CollectorMetrics()
    let router = Router(context: CollectorContext.self)
    router.add(middleware: ErrorMiddleware(metrics: metrics, pages: pages))
    let limits = fixture.settings.limits
    let reader = BodyReader(gate: AdmissionGate(limits), limits: limits, metrics: metrics)
    let routes = RouteTable(router: router)
    LoginRoutes(access: access, pages: pages, reader: reader).add(to: routes)
    routes.on("/api/full", [.post: { _, _ in throw full }])
    try await Application(responder: router.buildResponder(), logger: fixture.dependencies.logger).test(.router) {
      client in
      let code = try fixture.catalog.createLoginCode()
      let link = try await client.execute(uri: "/login?code=\(code)", method: .get)
      let form = try await client.execute(
        uri: "/login", method: .post, body: ByteBuffer(string: "token=\(fixture.token)"))
      for response in [link, form] {
        #expect(response.status == .serviceUnavailable)
        #expect(response.headers[.contentType] == "text/html; charset=utf-8")
        #expect(response.headers[.setCookie] == nil)
        let page = String(buffer: response.body)
        #expect(page.contains("disk is full"))
        #expect(!page.contains("catalog.sqlite"), "paths belong in the log")
      }
      let program = try await client.execute(uri: "/api/full", method: .post)
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
        for (uri, body) in [("/apps", "name=Stolen"), ("/logout", ""), ("/login", "token=\(fixture.token)")] {
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
      #expect(own.headers[.location] == "/apps/2/settings")
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

  @Test func `a limiter forgets after its window, and remembers a bounded number of addresses`() {
    var limiter = LoginLimiter(maximum: 2, window: .seconds(60), capacity: 3)
    limiter.failed("a", now: .seconds(0))
    #expect(limiter.wait("a", now: .seconds(1)) == nil)
    limiter.failed("a", now: .seconds(10))
    #expect(limiter.wait("a", now: .seconds(20)) == .seconds(40))
    #expect(limiter.wait("b", now: .seconds(20)) == nil)
    #expect(limiter.wait("a", now: .seconds(60)) == nil)
    limiter.failed("b", now: .seconds(21))
    limiter.failed("c", now: .seconds(22))
    limiter.failed("d", now: .seconds(23))
    #expect(limiter.wait("a", now: .seconds(24)) == nil, "the oldest address makes room")
    limiter.failed("d", now: .seconds(24))
    #expect(limiter.wait("d", now: .seconds(24)) == .seconds(59))
  }
}
