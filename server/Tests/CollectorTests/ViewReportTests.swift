import AppCatalog
import Foundation
import HTTPTypes
import Hummingbird
import Ingest
import NIOCore
import Portal
import Reports
import TernEvents
import Testing
import Warehouse
import WarehouseSQLite

@testable import TernServer

/// Tests reports of views from the hit to the API and the pages.
@Suite struct ViewReportTests {
  private static let now = Timestamp(millisecondsSince1970: 1_715_767_200_000)  // 2024-05-15T10:00:00Z

  private func over(
    _ body: @escaping @Sendable (TestClient, App, HTTPFields, Catalog) async throws -> Void
  ) async throws {
    let directory = FileManager.default.temporaryDirectory.appending(path: "tern-views-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let catalog = try Catalog(directory: directory)
    let token = try catalog.createToken(name: "test", scopes: [.manage]).secret
    let app = try catalog.createApp(name: "A")
    let warehouse = try SQLiteWarehouse(directory: directory, catalog: catalog)
    let dependencies = CollectorDependencies(of: warehouse, catalog, wallTime: { Self.now })
    let collector = try CollectorApplication(
      dependencies: dependencies, address: "http://127.0.0.1:8787",
      settings: CollectorSettings())
    let headers: HTTPFields = [
      .authorization: "Bearer \(token)",
      .cookie: "tern_session=\(try catalog.ownerSession())",
    ]
    try await TestClient(collector, logger: dependencies.logger).use {
      try await body($0, app, headers, catalog)
    }
    try await warehouse.close()
    try catalog.close()
  }

  private func send(_ client: TestClient, _ app: App, _ more: String) async throws {
    let hit = "/collect?v=1&tid=\(app.trackingID)&cid=1&\(more)"
    #expect(try await client.execute(uri: hit, method: .get).status == .ok)
  }

  @Test func `the pages of a view have one menu, changes of totals, pictures and a way out`() async throws {
    try await over { client, app, headers, catalog in
      // Ten hours ago was the day before in this zone.
      let view = try catalog.createView(app: app.id, name: "Net", timeZone: "America/New_York", lateness: .none)
      try await send(client, app, "t=screenview&cd=Home&qt=36000000")
      try await send(client, app, "t=screenview&cd=Film&qt=35990000")
      try await send(client, app, "t=screenview&cd=Shop&pa=detail&pr1id=1&pr1nm=Film")
      try await send(client, app, "t=screenview&cd=Paid&pa=purchase&ti=T1&tr=9.5&pr1id=1&pr1nm=Film&pr1pr=9.5")
      func page(_ report: String, days: Int = 2) async throws -> String {
        let uri = "/apps/\(app.id)/\(report)?view=\(view.id)&days=\(days)"
        return String(buffer: try await client.execute(uri: uri, method: .get, headers: headers).body)
      }
      let overview = try await page("overview")
      #expect(overview.contains("without today, compared with <bdi>12 May 2024</bdi>"))
      #expect(overview.contains("class=\"change up\""))
      #expect(overview.matches(of: /<figure class="chart">/).count == 3, "users, sessions and hours")
      for name in ["overview", "flow", "shopping", "realtime", "hits"] {
        let html = try await page(name)
        #expect(html.contains("href=\"/apps/\(app.id)?days=2\">Leave the view</a>"), "\(name)")
        #expect(html.matches(of: /aria-label="Groups of this view’s reports"/).count == 1)
        for group in ["Audience", "Behavior", "Ecommerce", "Hits"] {
          #expect(html.contains(">\(group)</a>"), "\(name)")
        }
        #expect(html.matches(of: /aria-current="page">/).count >= 1)
        // Of other groups, the reports are one level down.
        #expect(html.contains(">Landing screens</a>") == (name == "flow"), "\(name)")
      }
      #expect(try await page("flow").contains("<div class=\"flow\""))
      #expect(try await page("shopping").contains("<figure class=\"funnel\""))
      #expect(try await page("ecommerce").matches(of: /<figure class="chart">/).count == 2, "transactions and revenue")
      let realtime = try await page("realtime")
      #expect(realtime.contains("<figure class=\"chart\">") && !realtime.contains("Range of days"))
      #expect(try await page("hits").contains("<section class=\"panel list sheet records\">"))
      let secret = try catalog.createLink(app: app.id, report: "overview", query: "view=\(view.id)", sites: []).secret
      let shared = String(buffer: try await client.execute(uri: "/shared/\(secret)", method: .get).body)
      #expect(shared.contains("Net · Overview · last 30 days") && !shared.contains("Leave the view"))
      #expect(!shared.contains("Landing screens"))
    }
  }

  @Test func `every report of a view has three formats and a page, with the same metrics`() async throws {
    try await over { client, app, headers, catalog in
      let view = try catalog.createView(app: app.id, name: "NY <b>", timeZone: "America/New_York")
      try await send(client, app, "t=screenview&cd=Home%3Cscript%3E&av=1.0&an=App")
      try await send(client, app, "t=event&ec=Video&ea=Play&el=x&ev=3&cd1=gold")
      try await send(client, app, "t=screenview&cd=Old&qt=36000000&av=1.0")
      for report in ReportRegistry.standard.view {
        let name = report.name
        let path = "/api/v1/apps/\(app.id)/reports/\(name)?view=\(view.id)&days=3"
        for format in ReportFormat.allCases {
          let answer = try await client.execute(
            uri: path + "&format=\(format.rawValue)", method: .get, headers: headers)
          #expect(answer.status == .ok, "\(name) \(format)")
          #expect(answer.headers[.contentType] == format.contentType)
        }
        let page = try await client.execute(
          uri: "/apps/\(app.id)/\(name)?view=\(view.id)&days=3", method: .get, headers: headers)
        #expect(page.status == .ok, "\(name)")
        let html = String(buffer: page.body)
        #expect(html.contains("<h1><bdi>\(report.title)</bdi></h1>") && html.contains("America/New_York"))
        #expect(!html.contains("<script>") && !html.contains("NY <b>"))
      }
      let screens = try object(
        try await client.execute(
          uri: "/api/v1/apps/\(app.id)/reports/screens?view=\(view.id)", method: .get, headers: headers))
      let rows = try #require(screens["screens"] as? [[String: Any]])
      #expect(rows.map { $0["screen"] as? String } == ["Home<script>"])
      #expect(rows.first?["views"] as? Int == 1 && screens["timeZone"] as? String == "America/New_York")
      let late = try object(
        try await client.execute(
          uri: "/api/v1/apps/\(app.id)/reports/late?view=\(view.id)", method: .get, headers: headers))
      let lateRows = try #require(late["late"] as? [[String: Any]])
      #expect(lateRows.map { $0["hits"] as? Int } == [1] && lateRows.first?["date"] as? String == "2024-05-14")
      #expect(lateRows.first?["version"] as? String == "1.0")
    }
  }

  @Test func `custom dimensions and metrics show their names and scopes, and amounts their currency`() async throws {
    try await over { client, app, headers, catalog in
      let settings = ViewSettings(hasQuotas: true, currency: "EUR", identity: .explicitUser)
      let view = try catalog.createView(app: app.id, name: "V", timeZone: "UTC", settings: settings)
      // The catalog uses the system's clock, which is later than all hits, so only names apply to them.
      try catalog.define(app: app.id, kind: .dimension, index: 1, name: "Plan <i>", scope: .session)
      try catalog.define(app: app.id, kind: .metric, index: 1, name: "Paid", type: .currency)
      try await send(client, app, "t=screenview&cd=A&cd1=gold&cm1=2.5&uid=u")
      try await send(client, app, "t=screenview&cd=A&cd1=gold&cm1=2.5")
      let path = "reports/custom?view=\(view.id)"
      let report = try object(
        try await client.execute(uri: "/api/v1/apps/\(app.id)/\(path)", method: .get, headers: headers))
      let dimension = try #require((report["dimensions"] as? [[String: Any]])?.first)
      #expect(dimension["name"] as? String == "Plan <i>" && dimension["dimension"] as? String == "cd1")
      #expect(dimension["scope"] as? String == "hit" && dimension["value"] as? String == "gold")
      #expect(dimension["hits"] as? Int == 1 && dimension["sessions"] as? Int == 1)
      let metric = try #require((report["metrics"] as? [[String: Any]])?.first)
      #expect(metric["name"] as? String == "Paid" && metric["type"] as? String == "EUR")
      #expect(metric["sum"] as? String == "2.50" && report["currency"] as? String == "EUR")
      let page = try await client.execute(
        uri: "/apps/\(app.id)/custom?view=\(view.id)", method: .get, headers: headers)
      #expect(String(buffer: page.body).contains("Plan &lt;i&gt;"))
      let money = try await client.execute(
        uri: "/apps/\(app.id)/ecommerce?view=\(view.id)", method: .get, headers: headers)
      #expect(String(buffer: money.body).contains("Revenue (EUR)"), "in tiles, too")
      #expect(String(buffer: money.body).contains("Refunded (EUR)"))
      let list = try await client.execute(uri: "/apps/\(app.id)/views", method: .get, headers: headers)
      #expect(
        String(buffer: list.body).contains("at most 500 hits per session · users by uid without unification · EUR"))
    }
  }

  @Test func `the hit inspector explains every rejected, dropped or truncated field`() async throws {
    try await over { client, app, headers, catalog in
      let view = try catalog.createView(app: app.id, name: "UTC", timeZone: "UTC")
      try await send(client, app, "t=timing&utc=Load%20a%3Db%26c%2541+utl%3Dx&utt=soon&uip=203.0.113.77")
      try await send(client, app, "t=screenview&cd=Fine&qt=3600000")
      try await send(
        client, app, "t=event&ec=Video&ea=Play&ev=-3&cd0=x&cn=\(String(repeating: "n", count: 101))&!ev=no")
      let path = "/api/v1/apps/\(app.id)/reports/hits?view=\(view.id)"
      let report = try object(try await client.execute(uri: path, method: .get, headers: headers))
      let hits = try #require(report["hits"] as? [[String: Any]])
      #expect(hits.map { ($0["faults"] as? String)?.isEmpty } == [false, true])
      #expect(
        hits.first?["faults"] as? String
          == "cd0: dropped, no such index; cn: truncated to 100 bytes; ev: dropped, wrong type")
      let parameters = try #require(hits.first?["parameters"] as? [String: String])
      #expect(parameters["ec"] == "Video" && parameters["ev"] == nil && !parameters.keys.contains { $0.hasPrefix("!") })
      let refused = try #require(report["refused"] as? [[String: Any]])
      #expect(refused.count == 1 && refused.first?["reason"] as? String == "timing_missing")
      let faults = try #require(refused.first?["faults"] as? String)
      #expect(faults.contains("required for parameter 'utv'") && faults.contains("for parameter 'utt' is invalid"))
      let said = try #require(refused.first?["parameters"] as? [String: String])
      #expect(said == ["t": "timing", "utc": "Load a=b&c%41 utl=x", "uip": "203.0.113.0"])
      let page = try await client.execute(
        uri: "/apps/\(app.id)/hits?view=\(view.id)", method: .get, headers: headers)
      let html = String(buffer: page.body)
      #expect(html.contains("timing_missing") && html.contains("truncated to 100 bytes"))
      #expect(!html.contains("(no name)"), "a hit without faults shows none")
    }
  }

  @Test func `the API and the pages show since when each setting applies`() async throws {
    try await over { client, app, headers, catalog in
      let view = try catalog.createView(app: app.id, name: "V", timeZone: "UTC")
      var change = ViewChange()
      change.currency = "EUR"
      change.filters = [ViewFilter("av=2")].compactMap(\.self)
      // The catalog uses the system's clock, which is later than everything in the reports.
      let start = try #require(try catalog.changeView(view.id, change).latest.start)
      let uri = "/api/v1/apps/\(app.id)/views"
      #expect(try await client.execute(uri: uri, method: .get).status == .unauthorized)
      let list = try object(try await client.execute(uri: uri, method: .get, headers: headers))
      let told = try #require((list["views"] as? [[String: Any]])?.first)
      #expect(told["currency"] as? String == "" && told["sessionTimeoutMinutes"] as? Int == 30)
      let rules = try #require(told["rules"] as? [[String: Any]])
      #expect(rules.map { $0["since"] as? String } == [nil, start.description])
      #expect(rules.first?["since"] is NSNull && rules.last?["filters"] as? [String] == ["av=2"])
      #expect(rules.last?["currency"] as? String == "EUR")
      let page = try await client.execute(uri: "/apps/\(app.id)/views", method: .get, headers: headers)
      #expect(String(buffer: page.body).contains(#/From \d+ \w{3} \d{4}: /#))
      let path = "/apps/\(app.id)/ecommerce?view=\(view.id)"
      let before = try await client.execute(uri: path, method: .get, headers: headers)
      #expect(
        !String(buffer: before.body).contains(#/From \d+ \w{3} \d{4}: /#)
          && !String(buffer: before.body).contains("EUR"))
      let after = try await client.execute(uri: path + "&from=2024-05-01&to=\(start)", method: .get, headers: headers)
      if after.status == .ok { #expect(String(buffer: after.body).contains("((not set), EUR)")) }
    }
  }

  @Test func `an app's views are listed, those of others are not`() async throws {
    try await over { client, app, headers, catalog in
      let empty = try await client.execute(uri: "/apps/\(app.id)/views", method: .get, headers: headers)
      #expect(String(buffer: empty.body).contains("No views yet"))
      let other = try catalog.createApp(name: "B")
      let view = try catalog.createView(app: other.id, name: "Theirs", timeZone: "UTC")
      for number in ["\(view.id)", "99", "x"] {
        let answer = try await client.execute(
          uri: "/api/v1/apps/\(app.id)/reports/screens?view=\(number)", method: .get, headers: headers)
        #expect(answer.status == .notFound)
        #expect(try error(answer)["code"] as? String == "unknown_view")
        let page = try await client.execute(
          uri: "/apps/\(app.id)/screens?view=\(number)", method: .get, headers: headers)
        #expect(page.status == .notFound)
      }
      let odd = try await client.execute(
        uri: "/api/v1/apps/\(other.id)/reports/nonsense?view=\(view.id)", method: .get, headers: headers)
      #expect(odd.status == .notFound)
      let list = try await client.execute(uri: "/apps/\(other.id)/views", method: .get, headers: headers)
      #expect(String(buffer: list.body).contains("Theirs"))
    }
  }
}
