import AppCatalog
import HTTPTypes
import NIOCore
import TernBase
import TernEvents
import Testing
import Warehouse

@testable import HTTP
@testable import TernServer

/// Dashboards and notes in the portal and in the API.
@Suite struct DashboardTests {
  private func post(
    _ client: TestClient, _ uri: String, _ form: String, _ cookie: String
  ) async throws -> TestResponse {
    try await client.execute(
      uri: uri, method: .post, headers: [.cookie: cookie, .origin: "http://localhost"], body: ByteBuffer(string: form))
  }

  private func send(
    _ client: TestClient, _ method: HTTPRequest.Method, _ uri: String, _ json: String = "",
    _ headers: HTTPFields
  ) async throws -> TestResponse {
    try await client.execute(
      uri: uri, method: method, headers: headers, body: json.isEmpty ? nil : ByteBuffer(string: json))
  }

  @Test func `a question is saved from its page, moved, and removed`() async throws {
    let fixture = try Fixture()
    let (catalog, app, cookie) = (fixture.catalog, fixture.app.id, try fixture.cookie())
    @Sendable func names() throws -> [[String]] { try catalog.dashboards(app: app).map { $0.cards.map(\.name) } }
    try await fixture.routed { client in
      let page = try await client.execute(
        uri: "/apps/1/funnels?n1=a&n2=b&x=y", method: .get, headers: [.cookie: cookie])
      #expect(String(buffer: page.body).contains("name=\"query\" value=\"s1=event+a&amp;s2=event+b\""))
      let saved = try await post(
        client, "/apps/1/dashboards", "do=save&page=funnels&query=n1%3Da%26n2%3Db%26x%3Dy&name=Checkout&dashboard=",
        cookie)
      #expect(saved.status == .seeOther && saved.headers[.location] == "/apps/1/dashboards/2")
      #expect(
        try catalog.dashboards(app: app).last?.cards.first?.query == "s1=event+a&s2=event+b",
        "unknown parameters are left out")
      let second = try await post(
        client, "/apps/1/dashboards", "do=save&page=explore&query=&name=Users&dashboard=2", cookie)
      #expect(second.status == .seeOther)
      let wrong = try await post(
        client, "/apps/1/dashboards", "do=save&page=explore&query=&name=Users&dashboard=abc", cookie)
      #expect(wrong.status == .notFound)
      #expect(try names().last == ["Checkout", "Users"])
      let shown = try await client.execute(uri: "/apps/1/dashboards/2", method: .get, headers: [.cookie: cookie])
      let html = String(buffer: shown.body)
      #expect(html.contains("href=\"/apps/1/funnels?s1=event+a&amp;s2=event+b\""))
      let moved = try await post(client, "/apps/1/dashboards/2", "do=move&card=1&name=Users&to=0", cookie)
      #expect(moved.headers[.location] == "/apps/1/dashboards/2#place0", "the page shows the card where it is now")
      #expect(try names().last == ["Users", "Checkout"])
      _ = try await post(client, "/apps/1/dashboards/2", "do=move&card=0&name=Users&to=1", cookie)
      let german = "/apps/1/dashboards/2?days=7&f1=country+is+DE"
      let filtered = try await client.execute(uri: german, method: .get, headers: [.cookie: cookie])
      #expect(
        String(buffer: filtered.body).contains("method=\"post\" action=\"\(german.replacing("&", with: "&amp;"))\""))
      let renamed = try await post(client, german, "do=rename&name=Sales", cookie)
      #expect(renamed.headers[.location] == german, "editing keeps the filter and the days")
      _ = try await post(client, "/apps/1/dashboards/2", "do=remove&card=0&name=Checkout", cookie)
      #expect(try catalog.dashboards(app: app).map(\.name) == ["At a glance", "Sales"])
      #expect(try names().last == ["Users"])
      for mistake in [
        "do=remove&card=0&name=Checkout", "do=remove&card=1&name=Users", "do=rename&name=",
        "do=nothing", "do=delete", "do=move&card=0&name=Users&to=1", "do=move&card=0&name=Users&to=-1",
        "do=move&card=0&name=Users", "do=nothing&card=0&name=Users",
      ] {
        #expect(try await post(client, "/apps/1/dashboards/2", mistake, cookie).status == .badRequest, "\(mistake)")
      }
      #expect(try names().last == ["Users"])
      _ = try await post(client, "/apps/1/dashboards/2", "do=delete&confirm=1", cookie)
      #expect(try catalog.dashboards(app: app).map(\.name) == ["At a glance"])
      let gone = try await client.execute(uri: "/apps/1/dashboards/2", method: .get, headers: [.cookie: cookie])
      #expect(gone.status == .notFound)
    }
  }

  @Test func `a card must ask a complete question that names no person`() async throws {
    let fixture = try Fixture()
    let cookie = try fixture.cookie()
    try await fixture.routed { client in
      for query in [
        "page=nowhere&query=", "page=funnels&query=n1%3Da", "page=people&query=", "page=explore&query=days%3Dnever",
        "page=explore&query=f1%3Duser%26v1%3Dann", "page=explore&query=by%3Duser",
      ] {
        let response = try await post(client, "/apps/1/dashboards", "do=save&name=x&dashboard=&\(query)", cookie)
        #expect(response.status == .badRequest, "\(query)")
      }
    }
    #expect(try fixture.catalog.dashboards(app: fixture.app.id).count == 1)
  }

  @Test func `a card that cannot be answered says so, and the others are there`() async throws {
    let fixture = try Fixture()
    let cookie = try fixture.cookie()
    // As a later version might have saved it.
    _ = try fixture.catalog.createDashboard(
      app: fixture.app.id, name: "Mixed",
      cards: [
        DashboardCard(name: "New", page: "new", query: ""),
        DashboardCard(name: "Bad", page: "explore", query: "days=x"),
        DashboardCard(name: "Good", page: "lifecycle", query: ""),
      ])
    try await fixture.routed { client in
      let page = try await client.execute(uri: "/apps/1/dashboards/2", method: .get, headers: [.cookie: cookie])
      let html = String(buffer: page.body)
      #expect(page.status == .ok)
      #expect(html.contains("has no page") && html.contains(">Choose a date range.</p>"))
      #expect(html.matches(of: /<h2>/).count == 3)
      #expect(html.contains("href=\"/apps/1/lifecycle\""))
    }
  }

  @Test func `readers see dashboards and notes, and cannot change them`() async throws {
    let fixture = try Fixture()
    let catalog = fixture.catalog
    let ann = try catalog.invite(name: "ann", role: .viewer, apps: nil, seesPersonalData: false).account
    let session = try catalog.createLoginSession(of: ann.id, lasting: .seconds(86_400), address: "", browser: "")
    let cookie = "tern_session=\(session)"
    _ = try catalog.createAnnotation(app: fixture.app.id, day: Day(number: 20_000), text: "Campaign")
    try await fixture.routed { client in
      for page in ["/apps/1/dashboards", "/apps/1/annotations"] {
        let response = try await client.execute(uri: page, method: .get, headers: [.cookie: cookie])
        #expect(response.status == .ok)
        #expect(!String(buffer: response.body).contains("method=\"post\" action=\"/apps"), "\(page)")
        #expect(try await post(client, page, "do=create&name=x&day=2026-01-01&text=x", cookie).status == .forbidden)
      }
      let page = try await client.execute(uri: "/apps/1/explore", method: .get, headers: [.cookie: cookie])
      #expect(!String(buffer: page.body).contains("Save to a dashboard"))
    }
  }

  @Test func `notes are written and deleted in the portal`() async throws {
    let fixture = try Fixture(wallTime: { Timestamp(millisecondsSince1970: 1_777_678_200_000) })
    let (catalog, app, cookie) = (fixture.catalog, fixture.app.id, try fixture.cookie())
    try await fixture.routed { client in
      // Without an event, the overview draws no chart.
      let event = ByteBuffer(string: line("Play", at: Timestamp(millisecondsSince1970: 1_777_678_200_000)))
      _ = try await client.execute(uri: "/v1/events", method: .post, headers: fixture.keyed, body: event)
      let added = try await post(
        client, "/apps/1/annotations", "do=create&day=2026-05-01&text=+Campaign+", cookie)
      #expect(added.status == .seeOther)
      let note = try #require(try catalog.annotations(app: app).first)
      #expect(note.text == "Campaign" && note.day.description == "2026-05-01")
      let overview = try await client.execute(uri: "/apps/1", method: .get, headers: [.cookie: cookie])
      #expect(String(buffer: overview.body).contains("<b>1 May 2026</b> <bdi>Campaign</bdi>"))
      for mistake in ["do=create&day=May&text=x", "do=create&day=2026-05-01&text=", "do=nothing"] {
        #expect(try await post(client, "/apps/1/annotations", mistake, cookie).status == .badRequest, "\(mistake)")
      }
      _ = try await post(client, "/apps/1/annotations", "do=delete&id=\(note.id)", cookie)
      #expect(try catalog.annotations(app: app).isEmpty)
    }
  }

  @Test func `programs manage dashboards and notes`() async throws {
    let fixture = try Fixture()
    let headers = fixture.authorized
    try await fixture.routed { client in
      let path = "/api/v1/apps/1/dashboards"
      let made = try await send(
        client, .post, path,
        #"{"name": "Sales", "cards": [{"name": "A", "page": "explore", "query": "metric=users"}]}"#,
        headers)
      #expect(made.status == .created)
      #expect(try object(made)["id"] as? Int == 2)
      let bad = try await send(
        client, .post, path, #"{"name": "x", "cards": [{"name": "A", "page": "funnels", "query": ""}]}"#, headers)
      #expect(bad.status == .badRequest)
      #expect(String(buffer: bad.body).contains("$.cards[0]"))
      let noFilters = #"{"name": "x", "cards": [{"name": "A", "page": "explore", "query": "metric=users&filters=x"}]}"#
      #expect(try await send(client, .post, path, noFilters, headers).status == .badRequest)
      #expect(try await send(client, .post, path, "{}", headers).status == .badRequest)
      #expect(
        try await send(client, .put, "\(path)/2", #"{"name": "Money", "cards": []}"#, headers).status == .ok)
      #expect(try await send(client, .put, "\(path)/9", #"{"name": "x", "cards": []}"#, headers).status == .notFound)
      let list = try #require(
        try object(try await send(client, .get, path, "", headers))["dashboards"] as? [[String: Any]])
      #expect(list.compactMap { $0["name"] as? String } == ["At a glance", "Money"])
      #expect(try await send(client, .delete, "\(path)/2", "", headers).status == .noContent)
      #expect(try await send(client, .delete, "\(path)/2", "", headers).status == .notFound)

      let notes = "/api/v1/apps/1/annotations"
      let note = try await send(client, .post, notes, #"{"day": "2026-05-01", "text": "Campaign"}"#, headers)
      #expect(note.status == .created)
      #expect(try await send(client, .post, notes, #"{"day": "May", "text": "x"}"#, headers).status == .badRequest)
      let found = try #require(
        try object(try await send(client, .get, notes, "", headers))["annotations"] as? [[String: Any]])
      #expect(found.first?["day"] as? String == "2026-05-01")
      #expect(found.first?["author"] as? String == "token test")
      #expect(try await send(client, .delete, "\(notes)/1", "", headers).status == .noContent)
      #expect(try await send(client, .delete, "\(notes)/1", "", headers).status == .notFound)
    }
  }

  @Test func `a dashboard shows answers of the last minute again`() async throws {
    let uptime = Locked(Duration.seconds(1_000))
    var settings = CollectorSettings()
    // On a busy machine, questions wait for their turn longer than readers should.
    settings.limits.maximumReportWait = .seconds(3_600)
    let fixture = try Fixture(settings, uptime: { uptime.withLock { $0 } })
    let cookie = try fixture.cookie()
    try await fixture.routed { client in
      func asked() async throws -> Int {
        let page = try await client.execute(uri: "/apps/1/dashboards", method: .get, headers: [.cookie: cookie])
        #expect(page.status == .ok)
        return fixture.questions.asked.count
      }
      let first = try await asked()
      #expect(first >= 6)
      uptime.withLock { $0 += .seconds(59) }
      #expect(try await asked() == first)
      uptime.withLock { $0 += .seconds(2) }
      let again = try await asked()
      #expect(again == 2 * first)
      // The three cards of Explore, both sides of each one's change, and the lines of one by version.
      #expect(fixture.questions.together.first == 10)
      let explore = try await client.execute(uri: "/apps/1/explore", method: .get, headers: [.cookie: cookie])
      #expect(explore.status == .ok)
      #expect(fixture.questions.asked.count > again, "other pages ask anew")
    }
  }
}
