import AppCatalog
import HTTPTypes
import NIOCore
import Questions
import TernEvents
import Testing
import Warehouse

@testable import HTTP

/// Links to pages, questions and dashboards, which anyone can open.
@Suite struct SharingTests {
  private func post(
    _ client: TestClient, _ uri: String, _ form: String, _ cookie: String
  ) async throws -> TestResponse {
    try await client.execute(
      uri: uri, method: .post, headers: [.cookie: cookie, .origin: "http://localhost"], body: ByteBuffer(string: form))
  }

  private func page(_ client: TestClient, _ uri: String, _ cookie: String? = nil) async throws -> String {
    String(
      buffer: try await client.execute(
        uri: uri, method: .get, headers: cookie.map { [.cookie: $0] } ?? [:]
      ).body)
  }

  /// Follows *Share* on a page, creates the link, and returns its path.
  private func share(_ client: TestClient, _ uri: String, _ cookie: String) async throws -> String {
    let link = try #require(try await page(client, uri, cookie).firstMatch(of: /href="([^"]+)">Share</)?.1)
    let form = try await page(client, String(link).replacing("&amp;", with: "&"), cookie)
    let values = form.matches(of: /<input type="hidden" name="(report|query)" value="([^"]*)">/)
    #expect(values.map { String($0.1) } == ["report", "query"], "\(uri)")
    let parameters = values.map { "\($0.1)=\(encoded(String($0.2)))" }.joined(separator: "&")
    let html = String(buffer: try await post(client, "/apps/1/links", "do=create&\(parameters)", cookie).body)
    return String(try #require(html.firstMatch(of: /<code>http:\/\/localhost(\/shared\/[^<]+)<\/code>/)?.1))
  }

  private func encoded(_ text: String) -> String {
    let plain = text.replacing("&amp;", with: "&").replacing("&quot;", with: "\"")
    return plain.utf8.map { "%" + ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  @Test(arguments: [
    (
      "/apps/1?f1=country+is+DE&f2=version+is+3.3.0&compare=before",
      "Overview · Germany · 3.3.0 · compared with the previous period · last 30 days"
    ),
    (
      "/apps/1/explore?event=Play&by=version&f1=country+is+DE&days=7&compare=before",
      "Explore · Users of the event Play by version · Germany · compared with the previous period · last 7 days"
    ),
    ("/apps/1/funnels?s1=event+Add&s2=event+Buy&f1=country+is_not+DE", "· country is not Germany · last 30 days"),
    ("/apps/1/retention?from=2026-01-01&to=2026-01-31", "· 1 Jan – 31 Jan 2026"),
    ("/apps/1/paths", "Paths · "), ("/apps/1/lifecycle", "Lifecycle · "),
    ("/apps/1/dashboards/1", "Dashboard · At a glance"),
    ("/apps/1/dashboards/1?f1=country+is+DE", "Dashboard · At a glance · Germany"),
    ("/apps/1/dashboards/1?days=7&f1=country+is+DE", "Dashboard · At a glance · Germany · last 7 days"),
  ])
  func `a page is shared with its filter, comparison and period, and named in words`(
    uri: String, name: String
  ) async throws {
    let fixture = try Fixture()
    let (catalog, cookie) = (fixture.catalog, try fixture.cookie())
    try await fixture.routed { client in
      _ = try await client.execute(
        uri: "/v1/events", method: .post, headers: fixture.keyed, body: ByteBuffer(string: line("Play")))
      let path = try await share(client, uri, cookie)
      let html = try await page(client, path)
      let heading = try #require(html.firstMatch(of: /<h1><bdi>([^<]+)<\/bdi>/)?.1)
      #expect(String(heading).contains(name), "\(heading)")
      #expect(try await page(client, "/apps/1/links", cookie).contains("<bdi>\(heading)</bdi>"))
      let entry = try #require(try catalog.audit(before: nil, limit: 1).first)
      #expect(entry.subject == "1: app 1, \(heading)")
      #expect(html.contains("<li class=\"chip\"><bdi>country is Germany</bdi>") == uri.contains("is+DE"))
      if uri.contains("compare=before") { #expect(html.contains("compared with <bdi>")) }
      // Nothing on the page leads anywhere, and nothing can be asked.
      for part in ["href=\"/apps", "<form", "curl", "/logout", "Filter by", "All events", fixture.app.key] {
        #expect(!html.contains(part), "\(part)")
      }
      let asked = Set(fixture.questions.asked.map { String(describing: $0) })
      for more in ["days=400", "f1=country+is+FR", "by=user", "dashboard=2", "metric=events", "segment=1"] {
        #expect(try await page(client, "\(path)?\(more)") == html, "\(more)")
      }
      #expect(Set(fixture.questions.asked.map { String(describing: $0) }) == asked)
      _ = try await post(client, "/apps/1/links", "do=revoke&id=1", cookie)
      #expect(try await client.execute(uri: path, method: .get).status == .notFound)
      #expect(try catalog.audit(before: nil, limit: 1).first?.subject == "1: \(heading)")
    }
  }

  @Test func `an answer is asked once for all readers of a link within a minute`() async throws {
    let fixture = try Fixture()
    let cookie = try fixture.cookie()
    try await fixture.routed { client in
      for uri in ["/apps/1/explore?by=version", "/apps/1/dashboards/1"] {
        let path = try await share(client, uri, cookie)
        _ = try await page(client, path)
        let count = fixture.questions.asked.count
        for _ in 0..<3 { _ = try await page(client, path) }
        #expect(fixture.questions.asked.count == count, "\(uri)")
      }
    }
  }

  @Test func `a link to what can't be shown any more leads to a page that says why`() async throws {
    let fixture = try Fixture()
    let (catalog, cookie, app) = (fixture.catalog, try fixture.cookie(), fixture.app.id)
    _ = try catalog.createSegment(app: app, name: "Germany", filters: #"[["is","country",["DE"]]]"#)
    try await fixture.routed { client in
      _ = try await client.execute(
        uri: "/v1/events", method: .post, headers: fixture.keyed, body: ByteBuffer(string: line("Play")))
      var paths: [String] = []
      for query in ["?segment=1", "?compare=segment-1", "/explore?segment=1", "/explore?compare=segment-1"] {
        paths.append(try await share(client, "/apps/1\(query)", cookie))
      }
      #expect(try catalog.removeSegment(1, app: app))
      for path in paths {
        let response = try await client.execute(uri: path, method: .get)
        let html = String(buffer: response.body)
        #expect(
          response.headers[.contentType]?.hasPrefix("text/html") == true && response.status != .internalServerError)
        #expect(html.contains("This segment no longer exists.") && !html.contains("href=\"/\""), "\(path)")
      }
      let plain = try await share(client, "/apps/1", cookie)
      for format in ["xml", "html", ""] {
        let response = try await client.execute(uri: "\(plain)?format=\(format)", method: .get)
        #expect(response.status == .badRequest, "\(format)")
        #expect(response.headers[.contentType]?.hasPrefix("application/json") == true, "\(format)")
      }
      let ended = try await client.execute(uri: "/shared/none", method: .get)
      #expect(ended.status == .notFound && !String(buffer: ended.body).contains("href=\"/\""))
      #expect(ended.headers[.robots] == "noindex, nofollow")
    }
  }

  @Test func `a shared page has the colour scheme that its address names, or that of the browser`() async throws {
    let fixture = try Fixture()
    let cookie = try fixture.cookie()
    try await fixture.routed { client in
      _ = try await client.execute(
        uri: "/v1/events", method: .post, headers: fixture.keyed, body: ByteBuffer(string: line("Play")))
      for place in ["/apps/1", "/apps/1/explore", "/apps/1/dashboards/1"] {
        let path = try await share(client, place, cookie)
        func head(_ query: String) async throws -> String {
          let page = String(buffer: try await client.execute(uri: path + query, method: .get).body)
          return String(page.split(separator: "</head>", maxSplits: 1)[0])
        }
        for query in ["", "?theme=", "?theme=blue"] {
          let page = try await head(query)
          #expect(page.contains("name=\"color-scheme\" content=\"light dark\""), "\(place)\(query)")
          #expect(page.contains("media=\"(prefers-color-scheme: dark)\""), "\(place)\(query)")
        }
        let (light, dark) = (try await head("?theme=light"), try await head("?theme=dark"))
        #expect(light.contains("content=\"light\"") && !light.contains("dark.css"), "\(place)")
        #expect(dark.contains("content=\"dark\"") && dark.contains("media=\"all\""), "\(place)")
      }
    }
  }

  @Test func `what shows persons, is incomplete or does not exist can't be shared`() async throws {
    let fixture = try Fixture()
    let (catalog, cookie, app) = (fixture.catalog, try fixture.cookie(), fixture.app.id)
    _ = try catalog.createSegment(app: app, name: "Ann", filters: #"[["is","user",["ann"]]]"#)
    let other = try catalog.createApp(name: "Other", timeZone: "UTC")
    let foreign = try catalog.createDashboard(app: other.id, name: "Secret", cards: [])
    try await fixture.routed { client in
      for mistake in [
        "report=people", "report=explore&query=by%3Duser", "report=explore&query=f1%3Duser%2Bis%2Bann",
        "report=explore&query=segment%3D1", "report=explore&query=compare%3Dsegment-1",
        "report=overview&query=compare%3Dsegment-1", "report=overview&query=compare%3Dsegment-7", "report=funnels",
        "report=retention&query=days%3Dx", "report=explore&query=by%3Dcolour", "report=dashboards",
        "report=dashboards&query=dashboard%3D\(foreign.id)", "report=dashboards&query=dashboard%3D99",
        "report=settings", "report=links",
      ] {
        let response = try await post(client, "/apps/1/links", "do=create&\(mistake)", cookie)
        #expect(response.status == .badRequest, "\(mistake)")
      }
      for uri in ["/apps/1/people", "/apps/1/funnels", "/apps/1/live"] {
        #expect(try await !page(client, uri, cookie).contains(">Share<"), "\(uri)")
      }
    }
    #expect(try catalog.links(app: nil).isEmpty)
  }

  @Test func `a shared question shows nobody's data after its segment names a person`() async throws {
    let fixture = try Fixture()
    let (catalog, cookie, app) = (fixture.catalog, try fixture.cookie(), fixture.app.id)
    _ = try catalog.createSegment(app: app, name: "Germany", filters: #"[["is","country",["DE"]]]"#)
    try await fixture.routed { client in
      let path = try await share(client, "/apps/1/lifecycle?segment=1&compare=segment-1", cookie)
      _ = try catalog.changeSegment(1, app: app, name: "Ann", filters: #"[["is","user",["ann"]]]"#)
      let html = try await page(client, path)
      #expect(!html.contains("Ann") && !html.contains("<svg"))
      #expect(html.contains("This segment no longer exists."), "guests have no form beside which to read it")
      #expect(fixture.questions.asked.allSatisfy { !$0.showsPersonalData })
    }
  }

  @Test func `a link ends with its dashboard, and a property's value stays out of the audit log`() async throws {
    let fixture = try Fixture()
    let (catalog, cookie, app) = (fixture.catalog, try fixture.cookie(), fixture.app.id)
    let dashboard = try catalog.createDashboard(app: app, name: "Sales", cards: [])
    try await fixture.routed { client in
      let path = try await share(client, "/apps/1/dashboards/\(dashboard.id)", cookie)
      _ = try await share(client, "/apps/1/dashboards/\(dashboard.id)?f1=country+is+DE", cookie)
      _ = try catalog.changeDashboard(dashboard.id, app: app) { $0.name = "Revenue" }
      #expect(try await page(client, path).contains("Dashboard · Revenue"))
      _ = try catalog.removeDashboard(dashboard.id, app: app)
      #expect(try await client.execute(uri: path, method: .get).status == .notFound)
      #expect(try catalog.links(app: app).isEmpty)
      _ = try await share(client, "/apps/1/explore?f1=property:Mail+is+ann@example.com", cookie)
    }
    let subject = try #require(try catalog.audit(before: nil, limit: 1).first).subject
    #expect(subject.contains("· by Mail ·") && !subject.contains("ann"))
  }
}
