import AppCatalog
import HTTPTypes
import NIOCore
import TernEvents
import Testing
import Warehouse

/// Tests the forms for users, tokens, shared links, the own account and settings.
@Suite struct ManagementTests {
  private func post(
    _ client: TestClient, _ uri: String, _ form: String, _ cookie: String
  ) async throws -> TestResponse {
    try await client.execute(
      uri: uri, method: .post, headers: [.cookie: cookie, .origin: "http://localhost"], body: ByteBuffer(string: form))
  }

  /// The secret that a page shows once.
  private func secret(_ response: TestResponse) throws -> String {
    let page = String(buffer: response.body)
    let match = try #require(page.firstMatch(of: /not shown again.*?<code>([^<]+)<\/code>/.dotMatchesNewlines()))
    return String(match.1)
  }

  @Test func `an owner invites, changes and removes a user`() async throws {
    let fixture = try Fixture()
    let (catalog, cookie) = (fixture.catalog, try fixture.cookie())
    try await fixture.routed { client in
      let invited = try await post(client, "/users", "do=invite&name=Ann&role=viewer&app-1=1", cookie)
      let link = try secret(invited)
      #expect(link.hasPrefix("http://localhost/welcome?code="))
      #expect(String(buffer: invited.body).matches(of: /<select name="([^"]+)"/).map(\.1) == ["role"])
      let ann = try #require(try catalog.account(named: "ann"))
      #expect(ann.apps == [AppID(1)] && ann.role == .viewer && !ann.seesPersonalData)
      let edit = try await post(client, "/users", "do=edit&id=\(ann.id)", cookie)
      #expect(String(buffer: edit.body).contains("name=\"app-1\" value=\"1\" checked"))
      _ = try await post(client, "/users", "do=change&id=\(ann.id)&role=editor&personal=1", cookie)
      #expect(try catalog.account(named: "ann")?.role == .editor)
      #expect(try catalog.account(named: "ann")?.apps == nil)
      let again = try secret(try await post(client, "/users", "do=link&id=\(ann.id)", cookie))
      #expect(again != link)
      let page = try await client.execute(uri: "/users", method: .get, headers: [.cookie: cookie])
      #expect(!String(buffer: page.body).contains("code="), "links are shown once")
      _ = try await post(client, "/users", "do=remove&id=\(ann.id)", cookie)
      #expect(try catalog.account(named: "ann") == nil)
      for mistake in ["do=remove&id=1", "do=invite&name=&role=viewer", "do=invite&name=x&role=king", "do=nothing"] {
        #expect(try await post(client, "/users", mistake, cookie).status == .badRequest, "\(mistake)")
      }
      #expect(try catalog.accounts().map(\.name) == ["owner"])
    }
    let actors = Set(try catalog.audit(limit: 100).filter { $0.action.hasPrefix("user") }.map(\.actor.name))
    #expect(actors == ["owner"])
  }

  @Test func `the settings of an app have a tab for each of their pages`() async throws {
    let fixture = try Fixture()
    let cookie = try fixture.cookie()
    try await fixture.routed { client in
      func tabs(_ uri: String) async throws -> [(link: String, isCurrent: Bool)] {
        let page = String(buffer: try await client.execute(uri: uri, method: .get, headers: [.cookie: cookie]).body)
        let list = try #require(page.firstMatch(of: /<nav class="sections" aria-label="Settings">(.*?)<\/nav>/)).1
        return list.matches(of: /<a href="([^"]+)"( aria-current="page")?>/).map { (String($0.1), $0.2 != nil) }
      }
      let links = try await tabs("/apps/1/settings").map(\.link)
      #expect(links.first == "/apps/1/settings" && links.count >= 8 && Set(links).count == links.count, "\(links)")
      for link in links { #expect(try await tabs(link).filter(\.isCurrent).map(\.link) == [link]) }
    }
  }

  @Test func `an owner creates and revokes a token`() async throws {
    let fixture = try Fixture()
    let cookie = try fixture.cookie()
    try await fixture.routed { client in
      let created = try await post(client, "/tokens", "do=create&name=CI&scope=read&app=1&days=30", cookie)
      let secret = try secret(created)
      let token = try #require(try fixture.catalog.token(secret))
      #expect(token.app == AppID(1) && token.scopes == [.read] && token.expires != nil)
      #expect(try await post(client, "/tokens", "do=revoke&id=\(token.id)", cookie).status == .seeOther)
      #expect(try fixture.catalog.token(secret) == nil)
      for mistake in [
        "do=create&name=x&scope=all", "do=create&name=x&scope=read&days=x", "do=create&name=x&scope=write",
      ] {
        #expect(try await post(client, "/tokens", mistake, cookie).status == .badRequest, "\(mistake)")
      }
    }
  }

  @Test func `a person changes their password with the current one, and ends their own sessions only`() async throws {
    let fixture = try Fixture()
    let (catalog, cookie) = (fixture.catalog, try fixture.cookie())
    let ann = try catalog.invite(name: "ann", role: .viewer, apps: nil, seesPersonalData: false).account
    let foreign = try catalog.createLoginSession(of: ann.id, lasting: .seconds(86_400), address: "", browser: "")
    let second = try catalog.ownerSession()
    try await fixture.routed { client in
      let first = try await post(client, "/account", "do=password&password=correct+horse+battery", cookie)
      #expect(first.status == .seeOther)
      #expect(try catalog.loginSession(second) == nil, "other sessions of the account end")
      let wrong = try await post(client, "/account", "do=password&current=wrong&password=0123456789", cookie)
      #expect(wrong.status == .badRequest)
      #expect(try catalog.account(name: "owner", password: "correct horse battery") != nil)
      let short = try await post(client, "/account", "do=password&current=correct+horse+battery&password=x", cookie)
      #expect(short.status == .badRequest)
      let id = try #require(try catalog.loginSession(foreign)).id
      _ = try await post(client, "/account", "do=end&id=\(id)", cookie)
      #expect(try catalog.loginSession(foreign) != nil)
      _ = try await post(client, "/users", "do=end&id=\(id)", cookie)
      #expect(try catalog.loginSession(foreign) == nil, "an owner may end any session")
      let page = String(
        buffer: try await client.execute(uri: "/account", method: .get, headers: [.cookie: cookie]).body)
      #expect(page.contains("This session"))
    }
  }

  @Test func `an editor shares a page, which anyone with the link can read until it is revoked`() async throws {
    let fixture = try Fixture()
    let (catalog, cookie) = (fixture.catalog, try fixture.cookie())
    try await fixture.routed { client in
      let form = "do=create&report=events&query=days%3D7&sites=https://wiki.example.com+https://b.example&days=30"
      let link = try secret(try await post(client, "/apps/1/links", form, cookie))
      let path = try #require(link.firstMatch(of: /\/shared\/.+/)).0
      let page = try await client.execute(uri: String(path), method: .get)
      #expect(page.status == .ok)
      let text = String(buffer: page.body)
      #expect(text.contains("Player &amp; &lt;Friends&gt;"))
      #expect(!text.contains("href=\"/apps") && !text.contains("/logout") && !text.contains(fixture.app.key))
      let policy = page.headers[.contentSecurityPolicy] ?? ""
      #expect(policy.contains("; frame-ancestors https://wiki.example.com https://b.example; "))
      #expect(page.headers[.setCookie] == nil)
      let data = try await client.execute(uri: "\(path)?format=csv", method: .get)
      #expect(data.headers[.contentType]?.hasPrefix("text/csv") == true)
      // A name with the secret would hand the link on with the file.
      let name = try #require(data.headers[.contentDisposition])
      #expect(name.hasPrefix("attachment; filename=\"Player-Friends-events-20"))
      #expect(!name.contains(path.dropFirst("/shared/".count)))
      let api = try await client.execute(uri: "/api/v1/apps", method: .get)
      #expect(api.status == .unauthorized, "the link opens nothing else")
      let id = try #require(try catalog.links(app: AppID(1)).first).id
      _ = try await post(client, "/apps/1/links", "do=revoke&id=\(id)", cookie)
      #expect(try await client.execute(uri: String(path), method: .get).status == .notFound)
      for mistake in [
        "report=live", "report=error&query=group%3D1", "report=nonsense", "report=events&query=days%3Dx",
        "report=events&sites=*", "report=events&days=0",
      ] {
        let response = try await post(client, "/apps/1/links", "do=create&\(mistake)", cookie)
        #expect(response.status == .badRequest, "\(mistake)")
      }
      #expect(try catalog.links(app: nil).isEmpty)
    }
  }

  @Test func `a shared page without sites can't be framed`() async throws {
    let fixture = try Fixture()
    let secret = try fixture.catalog.createLink(app: fixture.app.id, report: "overview", query: "", sites: []).secret
    try await fixture.routed { client in
      let page = try await client.execute(uri: "/shared/\(secret)", method: .get)
      #expect(page.status == .ok)
      #expect(page.headers[.contentSecurityPolicy]?.contains("frame-ancestors 'none'") == true)
      #expect(!String(buffer: page.body).contains(fixture.app.key), "not even in an app without events")
    }
  }

  @Test func `an owner deletes an app by typing its name`() async throws {
    let fixture = try Fixture()
    let (catalog, cookie) = (fixture.catalog, try fixture.cookie())
    try await fixture.routed { client in
      let settings = try await client.execute(uri: "/apps/1/settings", method: .get, headers: [.cookie: cookie])
      #expect(String(buffer: settings.body).contains("action=\"/apps/1/delete\""))
      for mistake in ["", "confirm=", "confirm=player+%26+%3Cfriends%3E", "confirm=1"] {
        let refused = try await post(client, "/apps/1/delete", mistake, cookie)
        #expect(refused.status == .badRequest && String(buffer: refused.body).contains("enter its name"))
      }
      #expect(try catalog.nextJob() == nil)
      let deleted = try await post(client, "/apps/1/delete", "confirm=Player+%26+%3CFriends%3E", cookie)
      #expect(deleted.status == .seeOther && deleted.headers[.location] == "/?done=app-deletion")
    }
    #expect(try catalog.nextJob() == DataJob(id: 1, kind: .deleteApp, app: AppID(1), argument: ""))
    let entry = try #require(try catalog.audit(limit: 1).first)
    #expect(entry.action == "app deleted" && entry.actor.name == "owner" && entry.subject.contains("Player"))
  }

  @Test func `the settings page changes an app's name and identifiers`() async throws {
    let fixture = try Fixture()
    let cookie = try fixture.cookie()
    try await fixture.routed { client in
      let secret = "0f8fad5b-d9cb-469f-a165-70867728950e"
      let form = "name=New+name&appSecret=\(secret)&trackingId=UA-12345-6"
      #expect(try await post(client, "/apps/1/settings", form, cookie).status == .seeOther)
      let page = try await client.execute(uri: "/apps/1/settings", method: .get, headers: [.cookie: cookie])
      for text in ["New name", secret, "UA-12345-6"] { #expect(String(buffer: page.body).contains(text)) }
      let mistake = try await post(client, "/apps/1/settings", "name=X&trackingId=G-1", cookie)
      #expect(mistake.status == .badRequest && String(buffer: mistake.body).contains("G-1"))
      #expect(try fixture.catalog.apps().first?.name == "New name")
    }
  }

  @Test func `the settings page changes the keys of other systems, and a new app can have some`() async throws {
    let fixture = try Fixture()
    let (catalog, cookie) = (fixture.catalog, try fixture.cookie())
    @Sendable func keys() throws -> [String]? { try catalog.apps().first?.writeKeys }
    try await fixture.routed { client in
      #expect(try await post(client, "/apps/1/settings", "writeKeys=+wk_1++shop.example", cookie).status == .seeOther)
      #expect(try keys() == ["wk_1", "shop.example"])
      let page = try await client.execute(uri: "/apps/1/settings", method: .get, headers: [.cookie: cookie])
      #expect(String(buffer: page.body).contains("value=\"wk_1 shop.example\""))
      #expect(try await post(client, "/apps/1/settings", "name=Player", cookie).status == .seeOther)
      #expect(try keys() == ["wk_1", "shop.example"], "a form without the field keeps them")
      #expect(try await post(client, "/apps/1/settings", "writeKeys=a+a", cookie).status == .badRequest)
      #expect(try await post(client, "/apps", "name=Taken&writeKeys=wk_1", cookie).status == .badRequest)
      #expect(try await post(client, "/apps", "name=Second&writeKeys=wk_2", cookie).status == .seeOther)
      #expect(try catalog.app(writeKey: "wk_2")?.name == "Second")
      #expect(try await post(client, "/apps/1/settings", "writeKeys=", cookie).status == .seeOther)
      #expect(try keys() == [])
    }
  }

  @Test func `the audit page lists what happened, in pages`() async throws {
    let fixture = try Fixture()
    for number in 0..<250 { try fixture.catalog.record(.exported, "guess <\(number)>") }
    try fixture.catalog.recordFailedLogin("<name>")
    let cookie = try fixture.cookie()
    try await fixture.routed { client in
      func page(_ uri: String) async throws -> String {
        String(buffer: try await client.execute(uri: uri, method: .get, headers: [.cookie: cookie]).body)
      }
      let first = try await page("/audit")
      #expect(first.contains("guess &lt;249&gt;") && !first.contains("guess &lt;20&gt;"))
      #expect(first.contains("Failed logins") && first.contains("&lt;name&gt;"))
      let older = try #require(first.firstMatch(of: /\/audit\?before=\d+/)).0
      #expect(try await page(String(older)).contains("guess &lt;20&gt;"))
      #expect(try await post(client, "/audit", "do=prune&days=", cookie).status == .ok)
      #expect(try await page("/audit").contains("guess &lt;249&gt;"))
      let pruned = try await post(client, "/audit", "do=prune&days=1", cookie)
      #expect(String(buffer: pruned.body).contains("0 entries were deleted."))
    }
  }
}
