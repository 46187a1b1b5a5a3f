import AppCatalog
import HTTPTypes
import NIOCore
import TernEvents
import Testing
import Warehouse

/// The page and the API that change the time zone of an app with events.
@Suite struct ZonePageTests {
  private func page(_ client: TestClient, _ uri: String, _ cookie: String) async throws -> String {
    String(buffer: try await client.execute(uri: uri, method: .get, headers: [.cookie: cookie]).body)
  }

  private func post(
    _ client: TestClient, _ form: String, _ cookie: String
  ) async throws -> TestResponse {
    try await client.execute(
      uri: "/apps/1/zone", method: .post, headers: [.cookie: cookie, .origin: "http://localhost"],
      body: ByteBuffer(string: form))
  }

  @Test func `the time zone changes once that is confirmed, and pages say how far the counts are`() async throws {
    let fixture = try Fixture()
    let (catalog, app, cookie) = (fixture.catalog, fixture.app.id, try fixture.cookie())
    try await fixture.routed { client in
      _ = try await client.execute(
        uri: "/v1/events", method: .post, headers: fixture.keyed, body: ByteBuffer(string: line("Play")))
      #expect(try await page(client, "/apps/1/settings", cookie).contains("href=\"/apps/1/zone\""))
      #expect(try await page(client, "/apps/1/zone", cookie).contains("Count all days again"))
      for (form, mistake) in [
        ("timeZone=Asia/Tokyo", "check “Count all days again”"),
        ("timeZone=Mars/Olympus&confirm=1", "There is no time zone"),
        ("timeZone=Europe/Berlin&confirm=1", "This is the time zone of the app already"),
        ("timeZone=&confirm=1", "There is no time zone"),
      ] {
        let response = try await post(client, form, cookie)
        let html = String(buffer: response.body)
        #expect(response.status == .badRequest && html.contains("id=\"mistake\""), "\(form)")
        #expect(html.contains(mistake), "\(form)")
      }
      #expect(try catalog.nextJob() == nil)
      let response = try await post(client, "timeZone=Asia/Tokyo&confirm=1", cookie)
      #expect(response.status == .seeOther && response.headers[.location] == "/apps/1/zone")
      let job = try #require(try catalog.nextJob())
      #expect(job.kind == .changeZone && job.app == app)
      try catalog.note(DataJob.Progress(text: "3 of 9 days done."), ofJob: job.id)
      let secret = try catalog.createLink(app: app, report: "events", query: "", sites: []).secret
      for uri in ["/apps/1", "/apps/1/settings", "/apps/1/zone", "/apps/1/explore", "/shared/\(secret)"] {
        let html = try await page(client, uri, cookie)
        #expect(html.contains("all days are being counted again: 3 of 9 days done."), "\(uri)")
      }
      #expect(try await !page(client, "/apps/1/zone", cookie).contains("<form method=\"post\" action=\"/apps/1/zone\""))
      #expect(try await page(client, "/apps/1/zone", cookie).contains("data-reload=\"5\""))
      for zone in ["UTC", "Asia/Tokyo"] {
        // A page that reloads must not be the answer to a form, which browsers would ask to send again.
        let response = try await post(client, "timeZone=\(zone)&confirm=1", cookie)
        #expect(response.status == .seeOther && response.headers[.location] == "/apps/1/zone", "\(zone)")
      }
      #expect(try await page(client, "/apps/1/zone", cookie).contains("again in Asia/Tokyo"))
      #expect(
        try await page(client, "/apps/1/zone", cookie).contains("When that is done, you can choose another time zone"))
      #expect(try catalog.app(app)?.timeZone == "Asia/Tokyo")
      try catalog.finishJob(job.id, DataJob.Result(isFailed: true, message: "The file is damaged."))
      #expect(try await page(client, "/apps/1", cookie).contains("has failed: The file is damaged."))
      #expect(try catalog.nextJob() == nil, "the days are counted once")
      #expect(try await post(client, "timeZone=Asia/Tokyo&confirm=1", cookie).status == .seeOther, "it is repeated")
      try catalog.finishJob(try #require(try catalog.nextJob()).id, DataJob.Result(message: "Done."))
      #expect(try await !page(client, "/apps/1", cookie).contains("counted again"))
    }
  }

  @Test func `a program changes the time zone and follows the counts`() async throws {
    let fixture = try Fixture()
    let catalog = fixture.catalog
    try await fixture.routed { client in
      func patch(_ zone: String) async throws -> TestResponse {
        try await client.execute(
          uri: "/api/v1/apps/1", method: .patch, headers: fixture.authorized,
          body: ByteBuffer(string: #"{"timeZone":"\#(zone)"}"#))
      }
      #expect(try await patch("Mars").status == .badRequest)
      let same = String(buffer: try await patch("Europe/Berlin").body)
      #expect(!same.contains("recounting") && same.contains("Europe"))
      #expect(try catalog.nextJob() == nil)
      let changed = try await patch("Asia/Tokyo")
      #expect(changed.status == .ok && String(buffer: changed.body).contains("recounting"))
      let job = try #require(try catalog.nextJob())
      let apps = try await client.execute(uri: "/api/v1/apps", method: .get, headers: fixture.authorized)
      #expect(String(buffer: apps.body).contains("Tokyo") && String(buffer: apps.body).contains("recounting"))
      #expect(try await patch("Asia/Tokyo").status == .ok)
      let other = try await patch("UTC")
      #expect(other.status == .badRequest && String(buffer: other.body).contains("Wait until that is done"))
      #expect(try catalog.app(AppID(1))?.timeZone == "Asia/Tokyo")
      try catalog.finishJob(job.id, DataJob.Result(message: "Done."))
      #expect(try catalog.nextJob() == nil, "the same time zone counts the days once")
      let done = try await client.execute(uri: "/api/v1/apps", method: .get, headers: fixture.authorized)
      #expect(!String(buffer: done.body).contains("recounting"))
    }
  }

  @Test func `a change of several settings with a mistake changes none of them`() async throws {
    let fixture = try Fixture()
    let (catalog, cookie) = (fixture.catalog, try fixture.cookie())
    try await fixture.routed { client in
      for body in [
        #"{"name":"Renamed","timeZone":"Mars"}"#, #"{"name":"Renamed","newNamesPerDay":100001}"#,
        #"{"name":"Renamed","newNamesPerDay":5,"keep":"soon"}"#, #"{"newNamesPerDay":5,"trackingId":"G-1"}"#,
      ] {
        let response = try await client.execute(
          uri: "/api/v1/apps/1", method: .patch, headers: fixture.authorized, body: ByteBuffer(string: body))
        #expect(response.status == .badRequest, "\(body)")
      }
      for form in [
        "name=Renamed&newNames=100001", "name=Renamed&keeping=soon", "newNames=5&trackingId=G-1",
        "newNames=5&keeping=90d&timeZone=Mars",
      ] {
        let response = try await client.execute(
          uri: "/apps/1/settings", method: .post, headers: [.cookie: cookie, .origin: "http://localhost"],
          body: ByteBuffer(string: form))
        #expect(response.status == .badRequest, "\(form)")
      }
    }
    #expect(try catalog.apps().first == fixture.app)
    #expect(try catalog.newNamesPerDay(of: fixture.app.id) == nil)
  }
}
