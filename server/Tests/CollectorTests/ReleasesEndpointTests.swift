import AppCatalog
import HTTPTypes
import NIOCore
import Testing
import Warehouse

@testable import HTTP
@testable import TernServer

/// The page of releases, whose conversions a team keeps.
@Suite struct ReleasesEndpointTests {
  private func post(_ client: TestClient, _ form: String, _ cookie: String) async throws -> TestResponse {
    try await client.execute(
      uri: "/apps/1/releases", method: .post, headers: [.cookie: cookie, .origin: "http://localhost"],
      body: ByteBuffer(string: form))
  }

  @Test func `the conversions of the page are kept for everyone`() async throws {
    let fixture = try Fixture()
    let (catalog, app, cookie) = (fixture.catalog, fixture.app.id, try fixture.cookie())
    try await fixture.routed { client in
      let kept = try await post(
        client, "c1=event+Purchase&c2=none&query=c1%3Devent%2BPurchase%26f1%3Dcountry%2Bis%2BDE%26x%3Dy", cookie)
      #expect(kept.status == .seeOther)
      #expect(kept.headers[.location] == "/apps/1/releases?c1=event+Purchase&f1=country+is+DE")
      #expect(try catalog.releaseConversions(app: app) == ["event Purchase"])
      for refused in [
        "c1=x", "c1=funnel+s1%3Devent%2BA", "c1=funnel+s1%3Devent%2BA%26s2%3Devent%2BB%26f1%3Duser%2Bis%2Ba",
      ] {
        #expect(try await post(client, refused, cookie).status == .badRequest, "\(refused)")
      }
      #expect(try catalog.releaseConversions(app: app) == ["event Purchase"])
    }
  }

  @Test func `the first page of an app without data is the sample code, and the overview keeps its address`()
    async throws
  {
    let fixture = try Fixture()
    let cookie = try fixture.cookie()
    try await fixture.routed { client in
      for address in ["/apps/1/releases", "/apps/1"] {
        let page = try await client.execute(uri: address, method: .get, headers: [.cookie: cookie])
        #expect(page.status == .ok && String(buffer: page.body).contains("/apps/1/live"), "\(address)")
      }
      let home = try await client.execute(uri: "/", method: .get, headers: [.cookie: cookie])
      #expect(String(buffer: home.body).contains("href=\"/apps/1/releases\""))
    }
  }
}
