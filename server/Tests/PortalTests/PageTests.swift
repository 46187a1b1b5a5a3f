import Foundation
import Ingest
import Reports
import ReportsTestSupport
import TernEvents
import Testing
import Warehouse

@testable import Portal

struct PageTests {
  private func seeded(_ name: String, _ parameters: [String: String] = [:]) async throws -> String {
    let sample = try SamplePages("Demo Player")
    let today = try sample.request("overview").today
    var source = MemoryFigures.seeded(1, ending: today)
    source.latest = sample.source.latest
    return try await sample.pages.report(try sample.request(name, parameters), app: sample.app, from: source)
  }

  @Test func `every page names its app, its time zone and what is current`() async throws {
    for page in try await SamplePages("Demo Player").all() where !["home", "login", "error"].contains(page.name) {
      #expect(page.html.contains("Demo Player"), "\(page.name)")
      #expect(page.html.contains("Europe/Berlin"), "\(page.name)")
      #expect(PageScanner(page.html).tags.filter { $0["aria-current"] == "page" }.count == 1, "\(page.name)")
      #expect(PageScanner(page.html).tags.filter { $0.name == "h1" }.count == 1, "\(page.name)")
    }
  }

  @Test func `the overview shows the figures of the report`() async throws {
    let sample = try SamplePages("Demo Player")
    let report = try await OverviewReport(try sample.request("overview"), from: sample.source)
    #expect(report.totals.events == 3)
    let text = PageScanner(try await sample.report("overview")).text
    for figure in ["Active users", "Sessions", "Events", "1 May – 30 May 2026", "Sat, 30 May 2026"] {
      #expect(text.contains(figure))
    }
  }

  @Test func `a chart has a column for every day, and the same figures as a table`() async throws {
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
        "/apps/1/event?event=e&amp;days=90"
      ])
    #expect(page.tags.contains { $0.name == "input" && $0["name"] == "event" && $0["value"] == "e" })
    #expect(page.tags.contains { $0.name == "form" && $0["method"] == "get" && $0["action"] == "/apps/1/event" })
  }

  @Test func `an app without data shows the code to paste, with its own key and address`() async throws {
    let sample = try SamplePages("k3y")
    let text = PageScanner(
      try await sample.pages.report(try sample.request("overview"), app: sample.app, from: MemoryFigures())
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

  @Test func `pasted code means what the page shows, whatever the key`() throws {
    let sample = try SamplePages("a\"b\\c'd $(x)")
    let page = sample.pages.settings(app: sample.app)
    #expect(page.contains(#"key: <span class="s">"a\&quot;b\\c&#39;d $(x)"</span>"#))
    #expect(page.contains(#"--key &#39;a&quot;b\c&#39;\&#39;&#39;d $(x)&#39;"#))
  }

  @Test func `the live page names its stream and carries the rows for readers without a script`() async throws {
    let page = PageScanner(try await SamplePages("e").report("live"))
    let panel = try #require(page.tags.first { $0["data-stream"] != nil })
    #expect(panel["data-stream"] == "/apps/1/live/events?after=7")
    #expect(panel["data-zone"] == "Europe/Berlin")
    #expect(page.tags.filter { $0["data-id"] == "7" }.count == 1)
    #expect(page.text.contains("12:00:00"), "the app's time zone")
    #expect(page.text.contains("Look again"))
  }

  @Test(arguments: ["https://evil.example/", "//evil.example", "/\\evil.example", "", "apps/1", "/\t/evil.example"])
  func `login goes only to paths of this server`(next: String) throws {
    let page = PageScanner(try PortalPages(collector: "").login(next: next))
    #expect(!page.tags.contains { $0["name"] == "next" })
  }

  @Test func `every error has a title and a way back`() throws {
    let pages = try PortalPages(collector: "")
    for status in [400, 401, 403, 404, 429, 500, 503, 418] {
      let page = PageScanner(pages.error(status: status))
      #expect(page.text.contains(String(status)))
      #expect(page.tags.contains { $0["href"] == "/" })
    }
  }

  @Test func `losses explain every reason that clients and the server give`() async throws {
    let reasons: [DropReason] = [
      .queueFull, .expired, .damaged, .tooLarge, .storageFailed, .rejected, .disabled, .erased,
    ]
    for reason in reasons {
      #expect(!(try await SamplePages(reason.description).report("losses").contains("gave this reason")), "\(reason)")
    }
    for reason in RejectionReason.allCases {
      let page = PageScanner(try await SamplePages("rejected:" + reason.rawValue).report("losses"))
      #expect(page.text.contains("Refused by this server"))
      #expect(!page.text.contains("gave this reason"), "\(reason)")
    }
    #expect(try await SamplePages("something_new").report("losses").contains("gave this reason"))
  }

  @Test func `what waits on devices is shown beside the losses, once a device has told`() async throws {
    let sample = try SamplePages("queue_full")
    #expect(!PageScanner(try await sample.report("losses")).text.contains("Waiting on devices"))
    var source = sample.source
    source.ledger = LedgerFigures(
      installs: 1_234, tracked: 90_000, delivered: 80_000, waiting: 7_777, inFlight: 1_111, dropped: 1_112,
      updated: SamplePages.now)
    for source in [
      source,
      {
        source.rows = []; return source
      }(),
    ] {
      let page = PageScanner(try await sample.pages.report(try sample.request("losses"), app: sample.app, from: source))
      for text in ["Waiting on devices", "7,777", "1,111", "80,000", "90,000", "1,112", "1,234 installs", "12:00:00"] {
        #expect(page.text.contains(text), "\(text)")
      }
    }
  }

  @Test func `events that are kept but not by name are told apart from losses`() async throws {
    let sample = try SamplePages("name_limit")
    let report = try await LossesReport(try sample.request("losses"), from: sample.source)
    #expect(report.total == 0)
    #expect(report.losses.isEmpty)
    #expect(report.unnamed > 0)
    let page = PageScanner(try await sample.report("losses"))
    #expect(page.text.contains("Nothing was lost"))
    #expect(page.text.contains("Kept, but not by name"))
    #expect(!page.text.contains("Dropped on the device"))
    #expect(!PageScanner(try await SamplePages("queue_full").report("losses")).text.contains("Kept, but not by name"))
  }

  @Test func `counts beyond all reason, as a client may report its own losses, are shown and stop nothing`()
    async throws
  {
    let sample = try SamplePages("queue_full")
    var source = sample.source
    for index in source.rows.indices where source.rows[index].loss != nil {
      source.rows[index].loss = ("queue_full", .max / 2)
    }
    source.rows.append(.init(day: try sample.request("losses").today, loss: ("expired", .max / 2)))
    let report = try await LossesReport(try sample.request("losses"), from: SaturatedFigures(source))
    #expect(report.total == .max)
    let page = try await sample.pages.report(
      try sample.request("losses"), app: sample.app, from: SaturatedFigures(source))
    #expect(page.contains("9,223,372,036,854,775,807"))
  }

  @Test func `figures and values as large as numbers go are in every report and on every page`() async throws {
    let sample = try SamplePages("Demo Player")
    let source = ExtremeFigures(base: sample.source)
    for name in ReportName.allCases {
      for days in ["1", "2", "7", "731"] {
        let request = try sample.request(name.rawValue, ["days": days])
        for format in ReportFormat.allCases {
          #expect(try await !request.report(from: source).text(format).isEmpty, "\(name) \(format)")
        }
        let page = try await sample.pages.report(request, app: sample.app, from: source)
        #expect(PageScanner(page).problems.isEmpty, "\(name)")
      }
    }
    let home = try await sample.pages.home([sample.app], now: SamplePages.now, from: source)
    #expect(PageScanner(home).problems.isEmpty)
  }

  @Test(arguments: ExtremeFigures.numbers)
  func `figures of views as large as numbers go are in every report and on every page`(number: Int64) async throws {
    let sample = try SamplePages("Demo Player")
    var source = sample.source
    source.views = MemoryViews("", number, day: try sample.request("losses").today, time: number)
    // One that divides what cannot be divided by it.
    var odd = source
    for table in ViewTable.allCases {
      for index in (odd.views.figures.tables[table] ?? []).indices {
        odd.views.figures.tables[table]?[index].numbers[0] = -1
      }
    }
    for (name, source) in ViewReportName.allCases.flatMap({ name in [source, odd].map { (name, $0) } }) {
      let request = try ViewReportRequest(
        name: name.rawValue, view: sample.view, parameters: [:], now: SamplePages.now)
      for format in ReportFormat.allCases {
        #expect(try await !request.report(from: source).text(format).isEmpty, "\(name) \(format)")
      }
      let page = PageScanner(try await sample.viewReport(name, from: source))
      #expect(page.problems.isEmpty, "\(name)")
      let scripts = page.tags.compactMap { $0["src"] }.filter { $0.hasPrefix("/assets/realtime.js?v=") }
      #expect(scripts.count == (name == .realtime ? 1 : 0), "who is there now changes by itself")
      #expect(page.tags.contains { $0["data-refresh"] != nil }, "what the script puts anew")
    }
  }

  @Test func `assets have types and tags, and pages ask for what there is`() async throws {
    for name in ["tern.css", "live.js", "realtime.js", "favicon.svg"] {
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

  @Test func `the style sheet and the script ask no one else for anything`() throws {
    for name in ["tern.css", "live.js", "realtime.js"] {
      let text = String(decoding: try #require(PortalAssets.asset(named: name)).bytes, as: UTF8.self)
      for word in ["http:", "https:", "@import", "url(", "innerHTML", "insertAdjacentHTML", "eval("] {
        #expect(!text.contains(word), "\(name): \(word)")
      }
    }
  }
}
