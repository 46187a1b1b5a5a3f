import Foundation
import Ingest
import Reports
import ReportsTestSupport
import TernBase
import TernEvents
import Testing
import Warehouse
import WarehouseContract

@testable import Portal

struct PageTests {
  private func seeded(_ name: String, _ parameters: [String: String] = [:]) async throws -> String {
    let sample = try SamplePages("Demo Player")
    let today = try sample.request("overview").today
    let source = try NaiveWarehouse.seeded(1, ending: today)
    return try await ReportPage(sample.visit, try sample.request(name, parameters), app: sample.app, from: source)
      .html()
  }

  @Test func `every page names its app and time zone and marks the current entry`() async throws {
    let serverPages = [
      "home", "login", "error", "users", "account", "welcome", "tokens", "audit", "shared", "unsubscribing",
      "unsubscribed", "storage",
    ]
    for page in try await SamplePages("Demo Player").all() where !serverPages.contains(page.name) {
      #expect(page.html.contains("Demo Player"), "\(page.name)")
      #expect(page.html.contains("Europe/Berlin"), "\(page.name)")
      #expect(PageScanner(page.html).tags.filter { $0["aria-current"] == "page" }.count == 1, "\(page.name)")
      #expect(PageScanner(page.html).tags.filter { $0.name == "h1" }.count == 1, "\(page.name)")
    }
  }

  @Test func `the overview shows the metrics of the report`() async throws {
    let sample = try SamplePages("Demo Player")
    let report = try await OverviewMetrics(try sample.request("overview"), from: sample.source)
    #expect(report.totals.events == 3)
    let html = try await sample.report("overview")
    let tiles = html.matches(
      of: /<div class="tilehead"><h2>([^<]+)<\/h2>.*?<p class="value">(?:<a [^>]*>)?([^<]+)</.dotMatchesNewlines())
    #expect(
      tiles.map { "\($0.1) \($0.2)" } == [
        "Active users \(report.totals.users)", "Sessions \(report.totals.sessions)", "Events 3",
        "Sessions per user 3.0",
      ])
    let text = PageScanner(html).text
    for days in ["1 May – 30 May 2026", "Sat, 30 May 2026"] { #expect(text.contains(days)) }
  }

  @Test func `a chart has a column for every day, and the same numbers as a table`() async throws {
    for days in [1, 2, 7, 30, 90, 731] {
      let page = try await seeded("event", ["days": String(days), "event": "Search"])
      let tips = page.components(separatedBy: "<div class=\"tip\">").count - 1
      #expect(tips == days)
      let rows = page.components(separatedBy: "<tr><th scope=\"row\">").count - 1
      #expect(rows == days)
    }
  }

  @Test func `links keep the range: relative while it ends today, fixed otherwise`() async throws {
    func events(_ parameters: [String: String]) async throws -> [String] {
      PageScanner(try await SamplePages("e").report("overview", parameters)).tags.compactMap { $0["href"] }
        .filter { $0.hasPrefix("/apps/1/events") }
    }
    #expect(Set(try await events([:])) == ["/apps/1/events"])
    #expect(Set(try await events(["days": "7"])) == ["/apps/1/events?days=7"])
    #expect(
      Set(try await events(["from": "2026-05-28", "to": "2026-05-29"])) == [
        "/apps/1/events?from=2026-05-28&amp;to=2026-05-29"
      ])
  }

  @Test func `the quick range in use is marked, and the form repeats the event`() async throws {
    let page = PageScanner(try await SamplePages("e").report("event", ["days": "90"]))
    #expect(
      page.tags.filter { $0["aria-current"] == "true" }.compactMap { $0["href"] } == [
        "/apps/1/events?days=90", "/apps/1/event?event=e&amp;days=90",
      ])
    #expect(page.tags.contains { $0.name == "input" && $0["name"] == "event" && $0["value"] == "e" })
    #expect(page.tags.contains { $0.name == "form" && $0["method"] == "get" && $0["action"] == "/apps/1/event" })
  }

  @Test func `an app without data shows the code to paste, with its own key and address`() async throws {
    let sample = try SamplePages("k3y")
    let text = PageScanner(
      try await ReportPage(sample.visit, try sample.request("overview"), app: sample.app, from: NaiveWarehouse()).html()
    )
    .text
    for line in [
      "TernClient(", "key: &quot;k3y&quot;".replacing("&quot;", with: "\""), "https://tern.example/k3y", "tern track",
      "--key k3y", "AppCenter.logUrl = ", "curl https://tern.example/k3y/collect",
    ] {
      #expect(text.contains(line), "\(line)")
    }
    #expect(try await sample.report("overview").contains("TernClient(") == false)
  }

  @Test func `the sample code is valid for any key`() async throws {
    let sample = try SamplePages("a\"b\\c'd $(x)")
    let page = SetupPage(sample.visit, app: sample.app, apps: [], first: nil).html()
    #expect(page.contains(#"key: <span class="s">"a\&quot;b\\c&#39;d $(x)"</span>"#))
    #expect(page.contains(#"--key &#39;a&quot;b\c&#39;\&#39;&#39;d $(x)&#39;"#))
  }

  @Test func `the page of keys has the code for clients of other systems, with a key that each takes`() throws {
    let sample = try SamplePages("k3y")
    var app = sample.app
    app.writeKeys = ["wk_1", "A-SH-1", "0123456789abcdef0123456789abcdef"]
    func text(_ app: App) -> String {
      let page = PageScanner(SetupPage(sample.visit, app: app, apps: [], first: nil).html())
      #expect(page.problems.isEmpty)
      return page.text.replacing("&quot;", with: "\"").replacing("&#39;", with: "'")
    }
    let shown = text(app)
    for line in app.writeKeys + [
      #"Posthog("wk_1", host="https://tern.example/k3y")"#, "write_key: 'wk_1', host: 'tern.example', port: 443",
      #"sentry_sdk.init(dsn="https://wk_1@tern.example/k3y/1")"#, #"Aptabase("A-SH-1", base_url="#,
      #"APIKey: "0123456789abcdef0123456789abcdef", Endpoints"#,
    ] {
      #expect(shown.contains(line), "\(line)")
    }
    app.writeKeys = []
    let plain = text(app)
    #expect(plain.contains(#"Posthog("k3y", host="#) && plain.contains(#"Aptabase("A-SH-KEY", "#))
  }

  @Test func `the live page names its stream and carries the rows for readers without a script`() async throws {
    let sample = try SamplePages("e")
    let page = PageScanner(try await sample.report("live"))
    let last = sample.warehouse.lastRow
    let panel = try #require(page.tags.first { $0["data-stream"] != nil })
    #expect(panel["data-stream"] == "/apps/1/live/events?after=\(last)")
    #expect(panel["data-zone"] == "Europe/Berlin")
    #expect(page.tags.filter { $0["data-id"] == "\(last)" }.count == 1)
    #expect(page.text.contains("12:00:00"), "the app's time zone")
    #expect(page.text.contains("Reload"))
  }

  @Test func `the live page counts what has arrived in the last minute`() async throws {
    let sample = try SamplePages("e")
    let page = PageScanner(try await sample.report("live"))
    let panel = try #require(page.tags.first { $0["data-ages"] != nil })
    let ages = try #require(panel["data-ages"]).split(separator: " ").compactMap { Int($0) }
    // Both errors and the file; the other rows of the day are a whole minute old.
    #expect(ages == [0, 0, 0])
    #expect(page.text.contains("3 in the last minute"))
  }

  @Test func `a mistake in the range is said beside its fields, which keep what was written`() async throws {
    var sample = try SamplePages("e")
    let error = ReportError(.invalidDate, "\"2026-13-01\" is not a valid date for from.")
    sample.rangeMistake = RangeMistake(error, in: ["from": "2026-13-01", "to": "2026-05-04"])
    let page = PageScanner(try await sample.report("events"))
    #expect(page.text.contains("is not a valid date for from."))
    let fields = page.tags.filter { $0["aria-describedby"] == "mistake" }
    #expect(fields.map { $0["value"] } == ["2026-13-01", "2026-05-04"])
    #expect(fields.allSatisfy { $0["aria-invalid"] == "true" })
    #expect(page.tags.contains { $0["id"] == "mistake" && $0["role"] == "alert" })
    #expect(RangeMistake(ReportError(.unknownEvent, ""), in: [:]) == nil)
  }

  @Test func `the page of keys shows if the first event has arrived`() async throws {
    let sample = try SamplePages("Video <b>")
    let waiting = PageScanner(SetupPage(sample.visit, app: sample.app, apps: [], first: nil).html())
    #expect(waiting.text.contains("Waiting for the first event"))
    #expect(waiting.tags.contains { $0["data-state"] == "wait" })
    let event = try #require(try await sample.source.recent(app: sample.app.id, limit: 1).first)
    let arrived = PageScanner(SetupPage(sample.visit, app: sample.app, apps: [], first: event).html())
    #expect(arrived.tags.contains { $0["data-state"] == "on" } && arrived.problems.isEmpty)
    #expect(arrived.text.contains("Events arrive:") && arrived.text.contains("30 May 2026"))
  }

  @Test func `two apps with one name are pointed out`() throws {
    let sample = try SamplePages("e")
    var twin = sample.app
    #expect(!AppSettingsPage(sample.visit, app: sample.app, apps: [twin]).html().contains("this name, too"))
    twin.id = AppID(7)
    #expect(
      AppSettingsPage(sample.visit, app: sample.app, apps: [sample.app, twin]).html().contains(
        "App 7 has this name, too."))
  }

  @Test(arguments: ["https://evil.example/", "//evil.example", "/\\evil.example", "", "apps/1", "/\t/evil.example"])
  func `login continues only to paths of this server`(next: String) async throws {
    let page = PageScanner(LoginPage(try PortalServer(address: ""), next: next).html())
    #expect(!page.tags.contains { $0["name"] == "next" })
  }

  @Test func `every error page has a title and a link back`() async throws {
    let server = try PortalServer(address: "")
    for status in [400, 401, 403, 404, 429, 500, 503, 418] {
      let page = PageScanner(ErrorPage(server, status: status).html())
      #expect(page.text.contains(String(status)))
      #expect(page.tags.contains { $0["href"] == "/" })
    }
  }

  @Test(arguments: [
    (ReportError.Code.invalidRange, "Invalid date range", "Overview", "/apps/1"),
    (.missingEvent, "Choose an event", "All events", "/apps/1/events"),
    (.unknownError, "This error does not exist", "All errors", "/apps/1/errors"),
    (.unknownView, "This view does not exist", "All views", "/apps/1/views"),
    (.unknownReport, "Page not found", "Overview", "/apps/1"),
  ])
  func `the error page of a report says what to do and links there`(
    code: ReportError.Code, heading: String, link: String, address: String
  ) throws {
    let remedies: [ReportError.Code: String] = [.missingEvent: "events", .unknownError: "errors"]
    let error = ReportError(code, "The start is after the end.", remedy: remedies[code])
    let page = PageScanner(ErrorPage(try PortalServer(address: ""), error, status: 400, app: AppID(1)).html())
    #expect(page.text.contains(heading) && page.text.contains(link))
    #expect(page.tags.contains { $0["href"] == address })
    #expect(page.text.contains("The start is after the end.") == (code == .invalidRange))
  }

  @Test func `a single install and a single occurrence are singular`() async throws {
    #expect(counted(1, "install") == "1 install" && counted(0, "install") == "0 installs")
    #expect(times(1) == "once" && times(1_234) == "1,234 times")
    let sample = try SamplePages("queue_full")
    try sample.warehouse.add(
      DeviceLedger(tracked: 1, delivered: 1, waiting: 0, inFlight: 0, dropped: 0), at: SamplePages.now)
    #expect(PageScanner(try await sample.report("dropped")).text.contains("As reported by the 1 install seen"))
  }

  @Test func `the overview and the ranking pages combine the users of few keys, however many there are`() async throws {
    let sample = try SamplePages("e")
    let today = try sample.request("overview").today
    for key in 0..<500 {
      try sample.warehouse.add(
        .event, "event \(key)", on: today, install: key,
        device: IncomingDevice(country: "C\(key)", appVersion: "\(key)"))
    }
    for (name, most) in [("overview", 8 + 24 + 24 + 3 + 1), ("events", 200)] {
      let store = CountingStore(sample.source)
      _ = try await ReportPage(sample.visit, try sample.request(name), app: sample.app, from: store).html()
      #expect(store.unitedKeys == most, "\(name)")
    }
  }

  @Test func `an event page with more values than it shows links to all of them`() async throws {
    for (values, isLinked) in [(5, false), (11, true)] {
      let sample = try SamplePages("e")
      let today = try sample.request("overview").today
      for value in 1..<values {
        try sample.warehouse.add(
          .event, "e", on: today, properties: [.init(name: "e", value: .string("value \(value)"))])
      }
      let page = try await sample.report("event", ["event": "e"])
      #expect(page.contains(">All values</a>") == isLinked)
      #expect(page.contains("by=property:e") == isLinked)
    }
  }

  @Test func `values that hardly ever occur are not called frequent`() async throws {
    let sample = try SamplePages("e")
    let today = try sample.request("overview").today
    for number in 0..<1_100 {
      try sample.warehouse.add(.event, "f", on: today, properties: [.init(name: "id", value: .string("v\(number)"))])
    }
    let text = PageScanner(try await sample.report("event", ["event": "f"])).text
    #expect(text.contains("No value is frequent: each is less than 0.1 % of all."))
    #expect(!text.contains("Most frequent") && !text.contains("0.0 %"))
  }

  @Test func `times on pages are in the app's zone, without milliseconds`() async throws {
    let sample = try SamplePages("e")
    for page in ["errors", "error"] {
      let text = PageScanner(
        try await sample.report(page, page == "error" ? ["occurrence": String(sample.occurrence)] : [:])
      ).text
      #expect(text.contains("30 May 2026, 12:00:00") || text.contains("30 May 2026, 11:59:00"), "\(page)")
      #expect(!text.contains("2026-05-30T"), "\(page)")
    }
  }

  @Test func `the list of errors shows their messages`() async throws {
    let sample = try SamplePages("e")
    let error = IncomingError(event: 0, type: "CodecError", message: "codecMissing(hevc)", fingerprint: 2)
    try sample.warehouse.add(error, .crash, at: SamplePages.now)
    #expect(PageScanner(try await sample.report("errors")).text.contains("codecMissing(hevc)"))
  }

  @Test func `the page of an occurrence says why there is no stack trace`() async throws {
    struct WithoutStack: ForwardingStore {
      let base: any MetricsStore
      var isTextKept: Bool

      func error(app: AppID, id: Int64) async throws -> ErrorDetail? {
        var detail = try await base.error(app: app, id: id)
        detail?.stack = ""
        detail?.trace = ErrorStack()
        detail?.isTextKept = isTextKept
        return detail
      }
    }
    let sample = try SamplePages("e")
    let request = try sample.request("error", ["occurrence": String(sample.occurrence)])
    for (isKept, text) in [(true, "No stack trace"), (false, "deleted to make room for newer errors")] {
      let source = WithoutStack(base: sample.source, isTextKept: isKept)
      let page = PageScanner(try await ReportPage(sample.visit, request, app: sample.app, from: source).html()).text
      #expect(page.contains(text))
      #expect(page.contains("No stack trace") == isKept)
    }
  }

  @Test func `dropped events explain every reason of clients and the server`() async throws {
    let reasons: [DropReason] = [
      .queueFull, .expired, .damaged, .tooLarge, .storageFailed, .rejected, .disabled, .erased,
    ]
    for reason in reasons {
      #expect(
        !(try await SamplePages(reason.description).report("dropped").contains("comes from the client")), "\(reason)")
    }
    for reason in RejectionReason.allCases {
      let page = PageScanner(try await SamplePages("rejected:" + reason.rawValue).report("dropped"))
      #expect(page.text.contains("Rejected by this server"))
      #expect(!page.text.contains("comes from the client"), "\(reason)")
    }
    #expect(try await SamplePages("something_new").report("dropped").contains("comes from the client"))
  }

  @Test func `the page of dropped events shows the events waiting on devices, once a device has reported them`()
    async throws
  {
    let sample = try SamplePages("queue_full")
    #expect(!PageScanner(try await sample.report("dropped")).text.contains("Waiting on devices"))
    for warehouse in [sample.warehouse, NaiveWarehouse()] {
      for install in 1...1_234 {
        let ledger =
          install > 1
          ? DeviceLedger(tracked: 0, delivered: 0, waiting: 0, inFlight: 0, dropped: 0)
          : DeviceLedger(tracked: 90_000, delivered: 80_000, waiting: 7_777, inFlight: 1_111, dropped: 1_112)
        try warehouse.add(ledger, install: install, at: SamplePages.now)
      }
      let page = PageScanner(
        try await ReportPage(sample.visit, try sample.request("dropped"), app: sample.app, from: warehouse).html())
      for text in ["Waiting on devices", "7,777", "1,111", "80,000", "90,000", "1,112", "1,234 installs", "12:00:00"] {
        #expect(page.text.contains(text), "\(text)")
      }
    }
  }

  @Test func `events stored without their name are not counted as dropped`() async throws {
    let sample = try SamplePages("name_limit")
    let report = try await DroppedMetrics(try sample.request("dropped"), from: sample.source)
    #expect(report.total == 0)
    #expect(report.reasons.isEmpty)
    #expect(report.unnamed > 0)
    let page = PageScanner(try await sample.report("dropped"))
    #expect(page.text.contains("No dropped events"))
    #expect(page.text.contains("Too many names"))
    #expect(!page.text.contains("Dropped on the device"))
    #expect(!PageScanner(try await SamplePages("queue_full").report("dropped")).text.contains("Too many names"))
  }

  @Test func `absurd counts in a client's drop report are shown without breaking the page`() async throws {
    let sample = try SamplePages("queue_full")
    let store = SaturatedStore(base: sample.source)
    #expect(try await DroppedMetrics(try sample.request("dropped"), from: store).total == .max)
    let page = try await ReportPage(sample.visit, try sample.request("dropped"), app: sample.app, from: store).html()
    #expect(page.contains("9,223,372,036,854,775,807"))
  }

  @Test func `every report and page can show the largest numbers`() async throws {
    let sample = try SamplePages("Demo Player")
    let source = ExtremeStore(base: sample.source)
    for name in ReportRegistry.standard.app.map(\.name) {
      for days in ["1", "2", "7", "731"] {
        let request = try sample.request(name, ["days": days])
        for format in ReportFormat.allCases {
          #expect(try await !request.report(from: source).text(format).isEmpty, "\(name) \(format)")
        }
        let page = try await ReportPage(sample.visit, request, app: sample.app, from: source).html()
        #expect(PageScanner(page).problems.isEmpty, "\(name)")
      }
    }
    let home = try await HomePage(sample.visit, [sample.app], now: SamplePages.now, from: source).html()
    #expect(PageScanner(home).problems.isEmpty)
  }

  @Test(arguments: ExtremeStore.numbers)
  func `every report and page of a view can show the largest numbers`(number: Int64) async throws {
    let sample = try SamplePages("Demo Player")
    let source = SampleViews(
      base: sample.warehouse, "", number, day: try sample.request("dropped").today, time: number)
    // A divisor of -1, by which the smallest integer cannot be divided.
    var odd = source
    for table in ViewTable.allCases {
      for index in (odd.metrics.tables[table] ?? []).indices {
        odd.metrics.tables[table]?[index].numbers[0] = -1
      }
    }
    for (name, source) in ReportRegistry.standard.view.map(\.name).flatMap({ name in [source, odd].map { (name, $0) } })
    {
      let request = try sample.viewRequest(name)
      for format in ReportFormat.allCases {
        #expect(try await !request.report(from: source).text(format).isEmpty, "\(name) \(format)")
      }
      let page = PageScanner(try await sample.viewReport(name, from: source))
      #expect(page.problems.isEmpty, "\(name)")
      let scripts = page.tags.compactMap { $0["src"] }.filter { $0.hasPrefix("/assets/refresh.js?v=") }
      #expect(scripts.count == (name == "realtime" ? 1 : 0), "only real-time refreshes itself")
      #expect(page.tags.contains { $0["data-refresh"] != nil }, "the element that the script replaces")
    }
  }

  @Test func `assets have types and tags, and pages link to existing ones`() async throws {
    for name in PortalAssets.assets.keys {
      let asset = try #require(PortalAssets.asset(named: name))
      #expect(!asset.bytes.isEmpty)
      #expect(asset.etag.hasPrefix("\"") && asset.etag.hasSuffix("\""))
    }
    for name in ["", "../tern.css", "layout.mustache", "TERN.CSS"] { #expect(PortalAssets.asset(named: name) == nil) }
    for page in try await SamplePages("e").all() {
      let links = PageScanner(page.html).tags.flatMap { [$0["href"], $0["src"]] }.compactMap { $0 }
      for link in links where link.hasPrefix("/assets/") {
        let parts = link.dropFirst("/assets/".count).components(separatedBy: "?v=")
        #expect(PortalAssets.asset(named: parts[0])?.etag == "\"\(parts[1])\"")
      }
    }
  }

  @Test func `the style sheet and the scripts load nothing from other servers`() async throws {
    for name in PortalAssets.assets.keys where name != "favicon.svg" {
      let text = String(decoding: try #require(PortalAssets.asset(named: name)).bytes, as: UTF8.self)
      for word in ["http:", "https:", "@import", "url(", "innerHTML", "insertAdjacentHTML", "eval("] {
        #expect(!text.contains(word), "\(name): \(word)")
      }
    }
  }
}
