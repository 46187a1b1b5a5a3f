import HTTPTypes
import NIOCore
import Testing

@testable import AppCatalog
@testable import HTTP
@testable import TernServer

/// NUL in addresses and forms, at which SQLite ends a text.
@Suite struct NULTests {
  @Test func `a NUL makes no new name for an account`() async throws {
    let fixture = try Fixture(CollectorSettings(limits: CollectorLimits(maximumFailedLogins: 2)))
    try fixture.catalog.setPassword("correct horse battery", of: 1, keeping: nil)
    try await fixture.routed { client in
      func login(_ name: String) async throws -> TestResponse {
        let body = ByteBuffer(string: "name=\(name)&password=correct+horse+battery")
        return try await client.execute(uri: "/login", method: .post, body: body)
      }
      for name in ["owner%001", "owner%00", "%00owner"] {
        let refused = try await login(name)
        #expect(refused.status == .badRequest && refused.headers[.setCookie] == nil)
        #expect(try error(refused)["message"] as? String == APIError.nul.message)
      }
      #expect(try await login("owner%01").status == .unauthorized)
      #expect(try await login("owner").status == .seeOther)
    }
    #expect(try fixture.catalog.account(name: "owner\0001", password: "correct horse battery") == nil)
    #expect(try fixture.catalog.account(named: "owner\0") == nil)
  }

  @Test(arguments: [
    "/api/v1/apps/1%00", "/api/v1/apps?x=%00", "/apps/1/events?event=a%00b", "/shared/a%00", "/login?next=%00",
  ])
  func `an address with a NUL is refused, except where apps send`(uri: String) async throws {
    let fixture = try Fixture()
    let cookie = try fixture.cookie()
    try await fixture.routed { client in
      let refused = try await client.execute(uri: uri, method: .get, headers: [.cookie: cookie])
      #expect(refused.status == .badRequest)
      #expect(String(buffer: refused.body).contains("NUL character (%00)"))
      let hit = try await client.execute(uri: "/collect?v=1&tid=UA-1-1&cid=1&t=event&ea=a%00b", method: .get)
      #expect(hit.status == .ok)
    }
  }
}
