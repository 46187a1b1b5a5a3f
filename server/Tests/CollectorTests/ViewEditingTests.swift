import AppCatalog
import HTTPTypes
import NIOCore
import Testing
import Warehouse

/// Views and limits, changed in the portal and through the API.
@Suite struct ViewEditingTests {
  private func post(
    _ client: TestClient, _ uri: String, _ form: String, _ cookie: String
  ) async throws -> TestResponse {
    try await client.execute(
      uri: uri, method: .post, headers: [.cookie: cookie, .origin: "http://localhost"], body: ByteBuffer(string: form))
  }

  private static let form =
    "name=Web+%3Ci%3E&timeZone=Europe%2FLisbon&lateness=none&sessionTimeout=45&campaignDays=90&currency=EUR"
    + "&filters=av%3D2.0%0D%0Aan%21%3DInternal%0D%0A&quotas=1"

  @Test func `an editor creates, changes and deletes a view`() async throws {
    let fixture = try Fixture()
    let (catalog, cookie) = (fixture.catalog, try fixture.cookie())
    try await fixture.routed { client in
      let created = try await post(client, "/apps/1/views", "do=create&identity=user&\(Self.form)", cookie)
      #expect(created.status == .seeOther && created.headers[.location] == "/apps/1/views?done=created")
      let view = try #require(try catalog.views(app: fixture.app.id).first)
      #expect(view.name == "Web <i>" && view.timeZone == "Europe/Lisbon" && view.latest.lateness == .none)
      #expect(view.latest.filters.map(\.description) == ["av=2.0", "an!=Internal"])
      #expect(
        view.latest.settings
          == ViewSettings(
            sessionTimeout: .seconds(2_700), campaignDays: 90, hasQuotas: true, currency: "EUR", identity: .user))
      let list = try await client.execute(uri: "/apps/1/views", method: .get, headers: [.cookie: cookie])
      #expect(String(buffer: list.body).contains("href=\"/apps/1/views/1\""))
      let page = String(
        buffer: try await client.execute(uri: "/apps/1/views/1", method: .get, headers: [.cookie: cookie]).body)
      #expect(page.contains("name=\"sessionTimeout\" value=\"45\"") && page.contains("Web &lt;i&gt;"))
      #expect(page.contains("value=\"none\" selected") && page.contains(">av=2.0\nan!=Internal</textarea>"))

      let audit = try catalog.audit(limit: 100).count
      let same = "do=change&unification=1&\(Self.form)"
      #expect(try await post(client, "/apps/1/views/1", same, cookie).status == .seeOther)
      #expect(try catalog.audit(limit: 100).count == audit, "an unchanged form changes nothing")
      let renamed = same.replacing("Web", with: "Net").replacing("Lisbon", with: "Berlin")
      #expect(try await post(client, "/apps/1/views/1", renamed, cookie).status == .seeOther)
      let changed = try #require(try catalog.view(ViewID(1)))
      #expect(changed.name == "Net <i>" && changed.timeZone == "Europe/Berlin" && changed.changes.isEmpty)

      let closing = renamed.replacing("lateness=none", with: "lateness=cutoff")
      let refused = try await post(client, "/apps/1/views/1", closing, cookie)
      #expect(refused.status == .badRequest)
      #expect(String(buffer: refused.body).contains("check “Close the open days”"))
      #expect(String(buffer: refused.body).contains("value=\"cutoff\" selected"), "the form keeps what was entered")
      #expect(try await post(client, "/apps/1/views/1", closing + "&final=1", cookie).status == .seeOther)
      #expect(try catalog.view(ViewID(1))?.latest.lateness == .cutoff)

      #expect(try await post(client, "/apps/1/views/1", "do=delete&confirm=net", cookie).status == .badRequest)
      let deleted = try await post(client, "/apps/1/views/1", "do=delete&confirm=Net+%3Ci%3E", cookie)
      #expect(deleted.status == .seeOther && deleted.headers[.location] == "/apps/1/views?done=deleted")
      #expect(try catalog.views(app: nil).isEmpty)
      let job = try catalog.nextJob()
      #expect(job?.kind == .deleteView && job?.argument == "1")
      #expect(try await post(client, "/apps/1/views/1", same, cookie).status == .notFound)
    }
  }

  @Test func `a form with a mistake keeps its values and says what to do`() async throws {
    let fixture = try Fixture()
    let cookie = try fixture.cookie()
    try await fixture.routed { client in
      for (field, value, words) in [
        ("filters=av%3D2.0", "filters=nonsense", "is not a filter"), ("Timeout=45", "Timeout=x", "not a whole number"),
        ("Timeout=45", "Timeout=999999999999", "240"), ("campaignDays=90", "campaignDays=0", "731"),
        ("currency=EUR", "currency=euro", "three capital letters"), ("Lisbon", "Nowhere", "no time zone"),
        ("filters=av", "filters=zz", "can’t filter by"), ("name=Web", "name=%01", "control characters"),
      ] {
        let form = "do=create&\(Self.form)".replacing(field, with: value)
        let response = try await post(client, "/apps/1/views", form, cookie)
        let page = String(buffer: response.body).replacing("&#39;", with: "’").replacing("'", with: "’")
        #expect(response.status == .badRequest && page.contains(words), "\(value)")
        #expect(page.contains("value=\"90\"") || value.hasPrefix("campaign"), "\(value)")
      }
      #expect(try await post(client, "/apps/1/views", "do=nothing", cookie).status == .badRequest)
      #expect(try fixture.catalog.views(app: nil).isEmpty)
    }
  }

  @Test func `the settings change the limit of new names, and a new app takes its old identifiers`() async throws {
    let fixture = try Fixture()
    let (catalog, app, cookie) = (fixture.catalog, fixture.app, try fixture.cookie())
    try await fixture.routed { client in
      #expect(try await post(client, "/apps/1/settings", "newNames=25", cookie).status == .seeOther)
      #expect(try catalog.newNamesPerDay(of: app.id) == 25)
      let page = try await client.execute(uri: "/apps/1/settings", method: .get, headers: [.cookie: cookie])
      #expect(String(buffer: page.body).contains("value=\"25\""))
      #expect(try await post(client, "/apps/1/settings", "name=Player", cookie).status == .seeOther)
      #expect(try catalog.newNamesPerDay(of: app.id) == 25, "a form without the field keeps the limit")
      #expect(try await post(client, "/apps/1/settings", "newNames=100001", cookie).status == .badRequest)
      #expect(try await post(client, "/apps/1/settings", "keeping=90d", cookie).status == .seeOther)
      #expect(try catalog.apps().first?.keeping == .days(90))
      #expect(try await post(client, "/apps/1/settings", "keeping=5w", cookie).status == .badRequest)
      #expect(try await post(client, "/apps/1/settings", "newNames=3", cookie).status == .seeOther)
      #expect(try catalog.apps().first?.keeping == .days(90), "a form without the field keeps the rows")
      #expect(try await post(client, "/apps/1/settings", "keeping=forever", cookie).status == .seeOther)
      #expect(try catalog.apps().first?.keeping == nil)
      #expect(try await post(client, "/apps/1/settings", "newNames=", cookie).status == .seeOther)
      #expect(try catalog.newNamesPerDay(of: app.id) == nil)
      let secret = "6f9a1c52-0d4e-4a0b-9f5e-2f1f3f6f7a10"
      let form = "name=Old&timeZone=UTC&appSecret=\(secret)&trackingId=UA-12345-6"
      #expect(try await post(client, "/apps", form, cookie).status == .seeOther)
      #expect(try catalog.app(appSecret: secret)?.trackingID == "UA-12345-6")
      #expect(try await post(client, "/apps", form, cookie).status == .badRequest, "another app has them")
    }
  }

  @Test func `programs create, change and delete views and change apps`() async throws {
    let fixture = try Fixture()
    let (catalog, headers) = (fixture.catalog, fixture.authorized)
    try await fixture.routed { client in
      @Sendable func send(_ method: HTTPRequest.Method, _ path: String, _ json: String = "") async throws
        -> TestResponse
      {
        try await client.execute(
          uri: "/api/v1/apps/1\(path)", method: method, headers: headers,
          body: json.isEmpty ? nil : ByteBuffer(string: json))
      }
      let created = try await send(
        .post, "/views",
        #"{"name":"Web","timeZone":"UTC","lateness":"none","filters":["av=2"],"currency":"EUR","userID":true}"#)
      #expect(created.status == .created)
      let view = try object(created)
      #expect(view["id"] as? Int == 1 && view["unification"] as? Bool == true && view["currency"] as? String == "EUR")
      let changed = try await send(.patch, "/views/1", #"{"name":"Net","filters":[],"sessionTimeoutMinutes":60}"#)
      #expect(changed.status == .ok)
      let rules = try #require(try object(changed)["rules"] as? [[String: Any]])
      #expect(rules.count == 2 && rules.last?["sessionTimeoutMinutes"] as? Int == 60)
      #expect(rules.last?["currency"] as? String == "EUR" && (rules.last?["filters"] as? [String])?.isEmpty == true)
      for (json, words) in [
        (#"{"lateness":"cutoff"}"#, "endsOpenDays"), (#"{"userID":false}"#, "another view"),
        (#"{"lateness":"late"}"#, "cutoff, window, none"), (#"{"sessionTimeoutMinutes":-5}"#, "240"),
        (#"{"sessionTimeoutMinutes":9223372036854775807}"#, "240"), ("[]", "JSON object"), ("{", "JSON object"),
      ] {
        let refused = try await send(.patch, "/views/1", json)
        #expect(refused.status == .badRequest, "\(json)")
        let message = try #require(try error(refused)["message"] as? String)
        #expect(message.contains(words), "\(json)")
      }
      let closed = try await send(.patch, "/views/1", #"{"lateness":"cutoff","endsOpenDays":true}"#)
      #expect(closed.status == .ok)
      #expect(try catalog.view(ViewID(1))?.latest.lateness == .cutoff)
      #expect(try await send(.delete, "/views/1").status == .noContent)
      #expect(try await send(.delete, "/views/1").status == .notFound)
      #expect(try await send(.patch, "/views/1", "{}").status == .notFound)

      #expect(try object(try await send(.patch, "", #"{"keep":"13mo"}"#))["keep"] as? String == "13mo")
      #expect(try catalog.app(fixture.app.id)?.keeping == .months(13))
      #expect(try catalog.audit(limit: 1).first?.subject == "1: keep 13mo")
      let app = try await send(.patch, "", #"{"name":"New","newNamesPerDay":7}"#)
      #expect(try object(app)["name"] as? String == "New")
      #expect(try catalog.newNamesPerDay(of: fixture.app.id) == 7)
      #expect(try await send(.patch, "", "{}").status == .ok)
      #expect(try catalog.newNamesPerDay(of: fixture.app.id) == 7)
      #expect(try await send(.patch, "", #"{"newNamesPerDay":null}"#).status == .ok)
      #expect(try catalog.newNamesPerDay(of: fixture.app.id) == nil)
      #expect(try await send(.patch, "", #"{"name":""}"#).status == .badRequest)
    }
  }
}
