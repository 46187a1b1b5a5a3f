import AppCatalog
import Foundation
import HTTPTypes
import Ingest
import NIOCore
import Portal
import Questions
import Reports
import ServerBase
import TernBase
import TernEvents
import Testing
import Warehouse
import WarehouseContract
import WarehouseSQLite

/// Reports of the rows that pass filters.
@Suite struct FilteredReportTests {
  private static let reports = ["events", "screens", "versions", "devices", "countries", "languages", "errors"]

  @Test(arguments: 0..<4 as Range<UInt64>)
  func `without filters, reports from rows equal those from stored counts`(seed: UInt64) async throws {
    let directory = FileManager.default.temporaryDirectory.appending(path: "tern-filtered-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let catalog = try Catalog(directory: directory)
    let app = try catalog.createApp(name: "Player", timeZone: "Europe/Berlin")
    let warehouse = try SQLiteWarehouse(directory: directory, catalog: catalog)
    let now = Timestamp(millisecondsSince1970: 1_780_135_200_000)
    var traffic = RandomTraffic(seed: seed, apps: [app.id], center: now, days: 10, isOrdered: true)
    // Questions round integers above 2^53, and reports from counts don't.
    traffic.hasExtremeProperties = false
    for _ in 0..<60 {
      let (batch, app) = traffic.next()
      _ = try await warehouse.commit(batch, app: app)
    }
    try await warehouse.flush()
    let today = ReportZone(app.zone).day(of: now)
    let reader = warehouse.reader
    let asked = Locked(0)
    let ask = QuestionAsker(together: { questions in
      asked.withLock { $0 += questions.count }
      let calendar = try #require(QuestionCalendar(app.timeZone))
      let results = try await reader.answers(questions, app: app.id, calendar: calendar, today: today)
      return try zip(questions, results).map { question, result in
        try #require(AnsweredQuestion(.query(question), result, milliseconds: 0))
      }
    }) { question in
      let calendar = try #require(QuestionCalendar(app.timeZone))
      let resolved = question.resolved(today: today)
      let result = try await reader.answer(resolved, app: app.id, calendar: calendar, today: today)
      return try #require(AnsweredQuestion(resolved, result, milliseconds: 0))
    }
    let rows = FilteredMetrics(reader, filters: [], ask: ask) { scope in
      let calendar = try #require(QuestionCalendar(app.timeZone))
      return try await reader.errors(in: scope, app: app.id, calendar: calendar, today: today)
    }
    func request(_ name: String, _ parameters: [String: String] = [:]) throws -> ReportRequest {
      try ReportRequest(name, of: .app(app.id, zone: app.zone), parameters: parameters, now: now)
    }
    for name in Self.reports {
      let request = try request(name)
      let stored = try await request.report(from: reader).text(.json)
      #expect(try await request.report(from: rows).text(.json) == stored, "\(name), seed \(seed)")
    }
    var overview = try await OverviewMetrics(try request("overview"), from: reader)
    #expect(overview.totals.events > 0 && overview.totals.users > 0)
    for index in overview.days.indices { (overview.days[index].wau, overview.days[index].mau) = (nil, nil) }
    (overview.totals.wau, overview.totals.mau) = (nil, nil)
    #expect(try await OverviewMetrics(try request("overview"), from: rows) == overview, "seed \(seed)")
    let days = try request("overview").days
    #expect(asked.withLock { $0 } == 0)
    let prepared = try await rows.preparing(
      [.overview(days), .largest(.version, days, limit: 5), .largest(.event, days, limit: 5)], app: app.id)
    #expect(asked.withLock { $0 } == 3)
    #expect(try await OverviewMetrics(try request("overview"), from: prepared) == overview, "seed \(seed)")
    for dimension in [Dimension.version, .event] {
      let stored = try await reader.largest(app: app.id, dimension: dimension, days: days, limit: 5)
      #expect(try await prepared.largest(app: app.id, dimension: dimension, days: days, limit: 5) == stored)
    }
    #expect(asked.withLock { $0 } == 3)
    let events = try await reader.totals(
      app: app.id, dimension: .event, days: try request("events").days, limit: 3)
    for event in events {
      let one = try request("event", ["event": event.key])
      let stored = try await EventMetrics(one, from: reader)
      #expect(try await EventMetrics(one, from: rows) == stored, "\(event.key), seed \(seed)")
      let reads: [MetricsRead] = [
        .total(.event, key: event.key, one.days), .series(.event, key: event.key, one.days),
        .properties(event: event.key, one.days),
      ]
      let prepared = try await rows.preparing(reads, app: app.id)
      #expect(try await EventMetrics(one, from: prepared) == stored, "\(event.key), seed \(seed)")
    }
    try await warehouse.close()
    try catalog.close()
  }

  @Test func `errors are counted and listed among the rows that pass, with the same status`() async throws {
    let directory = FileManager.default.temporaryDirectory.appending(path: "tern-filtered-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let catalog = try Catalog(directory: directory)
    let app = try catalog.createApp(name: "Player", timeZone: "Europe/Berlin")
    let warehouse = try SQLiteWarehouse(directory: directory, catalog: catalog)
    let now = Timestamp(millisecondsSince1970: 1_780_135_200_000)
    for (number, version) in ["1.0", "1.0", "2.0"].enumerated() {
      var batch = IncomingBatch(
        source: .native, received: now, installs: ["i\(number)"], devices: [IncomingDevice(appVersion: version)],
        events: [IncomingEvent(index: 0, kind: .crash, duplicateKey: nil, time: now, name: "Oops")])
      batch.errors = [
        IncomingError(
          event: 0, id: "\(number)", type: "Oops", message: "", place: "a.b", stack: "", fingerprint: 7, raw: [])
      ]
      _ = try await warehouse.commit(batch, app: app.id)
    }
    let (reader, today) = (warehouse.reader, ReportZone(app.zone).day(of: now))
    func store(_ version: String) -> FilteredMetrics {
      FilteredMetrics(
        reader, filters: [.isOneOf(.version, [.text(version)])], ask: QuestionAsker { _ in throw CancellationError() }
      ) { scope in
        let calendar = try #require(QuestionCalendar(app.timeZone))
        return try await reader.errors(in: scope, app: app.id, calendar: calendar, today: today)
      }
    }
    func request(_ name: String, _ parameters: [String: String] = [:]) throws -> ReportRequest {
      try ReportRequest(name, of: .app(app.id, zone: app.zone), parameters: parameters, now: now)
    }
    let all = try await ErrorsMetrics(try request("errors"), from: reader).crashes
    #expect(all.map(\.count) == [3])
    let old = try await ErrorsMetrics(try request("errors"), from: store("1.0")).crashes
    #expect(old.map(\.count) == [2] && old.map(\.users) == [2] && old[0].versions.map(\.key) == ["1.0"])
    let one = try await ErrorMetrics(try request("error", ["group": String(all[0].id)]), from: store("2.0"))
    #expect(one.group?.count == 1 && one.occurrences.map(\.device.appVersion) == ["2.0"])
    #expect(try await ErrorsMetrics(try request("errors"), from: store("3.0")).crashes.isEmpty)
    try await warehouse.close()
    try catalog.close()
  }

  private func query(_ filters: String) -> String {
    "filters=\(PercentCoding.encode(filters))"
  }

  private func text(_ uri: String, _ client: TestClient, _ cookie: String) async throws -> String {
    let response = try await client.execute(uri: uri, method: .get, headers: [.cookie: cookie])
    #expect(response.status == .ok, "\(uri)")
    return String(buffer: response.body)
  }

  @Test func `a filtered report asks about the rows that pass`() async throws {
    let fixture = try Fixture()
    try await fixture.routed { client in
      let filters = query(#"[["is","country",["DE"]]]"#)
      let response = try await client.execute(
        uri: "/api/v1/apps/1/reports/events?\(filters)", method: .get, headers: fixture.authorized)
      #expect(response.status == .ok)
      #expect(!fixture.questions.asked.isEmpty)
      #expect(fixture.questions.asked.allSatisfy { $0.scope.filters.first == .isOneOf(.country, [.text("DE")]) })
      #expect(!fixture.questions.asked.isEmpty)
      for (path, status) in [
        ("dropped?\(filters)", HTTPResponse.Status.badRequest), ("events?filters=x", .badRequest),
        ("errors?\(filters)", .ok), ("live?\(filters)", .ok),
        ("live?\(query(#"[["has_done",{"event":"Play"}]]"#))", .badRequest),
        ("events?\(query(#"[],"range":"7d""#))", .badRequest),
        ("events?\(query(#"[["gt","property:Length",1e400]]"#))", .badRequest),
        ("events?segment=7", .badRequest), ("errors", .ok), ("event?event=Nowhere", .notFound),
        ("event?event=Play&\(filters)", .ok),
      ] {
        let response = try await client.execute(
          uri: "/api/v1/apps/1/reports/\(path)", method: .get, headers: fixture.authorized)
        #expect(response.status == status, "\(path)")
      }
    }
  }

  @Test func `a page keeps its filter in every link, and says where it does not apply`() async throws {
    let fixture = try Fixture()
    let cookie = try fixture.cookie()
    _ = try fixture.catalog.createSegment(
      app: fixture.app.id, name: "Germany", filters: #"[["is","country",["DE"]]]"#)
    try await fixture.routed { client in
      func page(_ uri: String) async throws -> String { try await text(uri, client, cookie) }
      // Without an event, pages show sample code instead of reports.
      let events = "/apps/1/events?f1=version&o1=is&v1=3.3.0&segment=1"
      _ = try await client.execute(
        uri: "/v1/events", method: .post, headers: fixture.keyed,
        body: ByteBuffer(string: line("Play")))
      let html = try await page(events)
      let (kept, json) = ("f1=version+is+3.3.0", query(#"[["is","version",["3.3.0"]]]"#))
      #expect(html.contains("Filter: version is 3.3.0, Germany"))
      #expect(html.contains("href=\"/apps/1/versions?\(kept)&amp;segment=1\""))
      let dropped = try await page("/apps/1/dropped?\(kept)")
      #expect(dropped.contains("counted by day and reason alone"))
      #expect(html.contains("/reports/events?\(json)&amp;segment=1&amp;format=csv"))
      #expect(dropped.contains("/reports/dropped?format=csv"), "a file has no filter that the API refuses")
      #expect(try await !page("/apps/1/dropped").contains("counted by day and reason alone"))
      #expect(!html.contains("earlier days are empty"))
      try fixture.catalog.changeApp(fixture.app.id, AppChange(keeping: KeepingPeriod("90d")))
      #expect(try await page(events).contains("earlier days are empty"))
      #expect(try await !page("/apps/1/events").contains("earlier days are empty"))
    }
  }

  @Test(arguments: [
    ("", "f1=colour+is+red", "f1", "There is no “colour”"), ("/events", "f1=country+gt+3", "f1", "Only a property"),
    ("/live", "f1=country+is+DE&f2=property:Length+gt+x", "f2", "Enter a number"),
    ("/versions", "segment=7", "segment", "This segment no longer exists."),
    ("", "compare=segment-7", "compare", "This segment no longer exists."),
  ])
  func `a mistake in a report's filter is said beside its field, without figures`(
    page: String, query: String, field: String, words: String
  ) async throws {
    let fixture = try Fixture()
    let cookie = try fixture.cookie()
    try await fixture.routed { client in
      _ = try await client.execute(
        uri: "/v1/events", method: .post, headers: fixture.keyed, body: ByteBuffer(string: line("Unseen")))
      let response = try await client.execute(
        uri: "/apps/1\(page)?\(query)", method: .get, headers: [.cookie: cookie])
      #expect(response.status == .badRequest)
      let html = String(buffer: response.body)
      let fault = try #require(html.firstMatch(of: /id="fault-([^"]+)"[^>]*>([^<]+)</))
      #expect(String(fault.1) == field && fault.2.contains(words), "\(fault.0)")
      #expect(!html.contains("Unseen") && fixture.questions.asked.isEmpty)
    }
  }

  @Test func `a page without a filter is compared with a segment, over the same days`() async throws {
    let fixture = try Fixture()
    let cookie = try fixture.cookie()
    _ = try fixture.catalog.createSegment(
      app: fixture.app.id, name: "Germany", filters: #"[["is","country",["DE"]]]"#)
    try await fixture.routed { client in
      func page(_ uri: String) async throws -> String { try await text(uri, client, cookie) }
      _ = try await client.execute(
        uri: "/v1/events", method: .post, headers: fixture.keyed, body: ByteBuffer(string: line("Play")))
      #expect(try await !page("/apps/1").contains("class=\"key c1 past\""))
      #expect(fixture.questions.asked.isEmpty)
      for uri in ["/apps/1?", "/apps/1/event?event=Play&"] {
        let html = try await page("\(uri)compare=segment-1")
        #expect(html.contains("compared with <bdi>Germany</bdi>"), "\(uri)")
        #expect(html.contains("class=\"key c1 past\""), "\(uri)")
        #expect(html.contains("href=\"/apps/1/versions?compare=segment-1\""), "\(uri)")
        #expect(html.contains("/reports/overview?format=csv") || html.contains("event=Play&amp;format=csv"), "\(uri)")
      }
      #expect(try await page("/apps/1/versions?compare=segment-1").contains("compared with <bdi>Germany</bdi>"))
      #expect(fixture.questions.asked.allSatisfy { $0.scope.filters.flatMap(\.dimensions).contains(.country) })
    }
  }

  @Test func `a filtered overview asks together for each period and each list`() async throws {
    let fixture = try Fixture()
    let cookie = try fixture.cookie()
    try await fixture.routed { client in
      _ = try await client.execute(
        uri: "/v1/events", method: .post, headers: fixture.keyed, body: ByteBuffer(string: line("Play")))
      let filters = query(#"[["is","country",["DE"]]]"#)
      let response = try await client.execute(uri: "/apps/1?\(filters)", method: .get, headers: [.cookie: cookie])
      #expect(response.status == .ok)
    }
    #expect(fixture.questions.asked.count == 6 && fixture.questions.together == [6])
  }

  @Test func `a filtered page can be shared unless its filters name persons`() async throws {
    let fixture = try Fixture()
    let (catalog, app) = (fixture.catalog, fixture.app)
    _ = try catalog.createSegment(app: app.id, name: "Germany", filters: #"[["is","country",["DE"]]]"#)
    _ = try catalog.createSegment(app: app.id, name: "Ann", filters: #"[["is","user",["ann"]]]"#)
    for refused in [
      ("events", query(#"[["is","user",["ann"]]]"#)),
      ("events", query(#"[["has_done",{"any":true,"filters":[["set","install"]]}]]"#)),
      ("events", "segment=2"), ("events", "segment=7"), ("events", "filters=x"), ("dropped", "segment=1"),
    ] {
      #expect(throws: WarehouseError.self, "\(refused)") {
        try catalog.share(refused.0, query: refused.1, of: app, sites: [], lasting: nil, now: WallClock.system())
      }
    }
    let secret = try catalog.share(
      "events", query: "segment=1&\(query(#"[["is","version",["3.3.0"]]]"#))", of: app, sites: [], lasting: nil,
      now: WallClock.system())
    try await fixture.routed { client in
      _ = try await client.execute(
        uri: "/v1/events", method: .post, headers: fixture.keyed, body: ByteBuffer(string: line("Play")))
      func page() async throws -> (HTTPResponse.Status, String) {
        let page = try await client.execute(uri: "/shared/\(secret)", method: .get)
        return (page.status, String(buffer: page.body))
      }
      let (status, html) = try await page()
      #expect(status == .ok && html.contains("<h1><bdi>Events · 3.3.0 · Germany · last 30 days</bdi></h1>"))
      for chip in ["version is 3.3.0", "Germany"] { #expect(html.contains("<li class=\"chip\"><bdi>\(chip)</bdi>")) }
      #expect(fixture.questions.asked.allSatisfy { $0.scope.filters.flatMap(\.dimensions).contains(.country) })
      #expect(!fixture.questions.asked.isEmpty && !html.contains("<form class=\"ask\""))
      // The segment is another one later.
      _ = try catalog.changeSegment(1, app: app.id, name: "Bob", filters: #"[["is","user",["ann"]]]"#)
      #expect(try await page().0 == .badRequest)
    }
  }
}
