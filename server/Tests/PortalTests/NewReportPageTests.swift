import Reports
import ReportsTestSupport
import ServerBase
import TernEvents
import Testing
import Warehouse

@testable import Portal

/// The page and the navigation of a report that Tern does not have.
struct NewReportPageTests {
  private static let weekends = ReportDefinition(
    "weekends", title: "Weekends", explanation: "Events on Saturdays and Sundays.",
    navigation: ReportNavigation(.events, "Weekends")
  ) { request, store in
    let counts = try await store.dailyCounts(app: request.app, dimension: .total, days: request.days)
    // Day 0 was a Thursday.
    return ReportContent([
      ReportList(
        "weekends", columns: ["date", "events"],
        rows: counts.filter { [2, 3].contains($0.day.number % 7) }.map { [.day($0.day), .count($0.count)] })
    ])
  }

  private static let daily = ReportDefinition("daily", title: "Daily", explanation: "Events and sessions.") {
    request, _ in
    ReportContent([
      ReportList(
        "totals", columns: ["events", "sessions", "users", "hits"],
        rows: [[.count(1_111), .count(2), .share(0.5), .duration(61_000)]]),
      ReportList(
        "daily", columns: ["date", "events", "state", "sessions"],
        rows: request.days.map { [.day($0), .count(7), .text("final"), .count(3)] }),
    ])
  }

  private static let systems = ReportDefinition(
    "systems", title: "Systems", explanation: "Operating systems.",
    navigation: ReportNavigation(.audience, "Systems only"),
    rankings: [Ranking("systems", noun: "system", dimension: .os)])

  private func page(_ name: String) async throws -> PageScanner {
    let standard = ReportRegistry.standard
    let reports = ReportRegistry(app: standard.app + [Self.weekends, Self.daily, Self.systems], view: standard.view)
    let sample = try SamplePages("e")
    let visit = PageVisit(try PortalServer(address: "", reports: reports))
    let request = try ReportRequest(
      name, of: .app(sample.app.id, zone: ZoneRules("Europe/Berlin")!), parameters: [:], now: SamplePages.now,
      reports: reports)
    return PageScanner(try await ReportPage(visit, request, app: sample.app, from: sample.source).html())
  }

  @Test func `a registered definition adds a page with its lists and a navigation entry`() async throws {
    let page = try await page("weekends")
    #expect(page.problems.isEmpty)
    // 2026-05-30, the day of the request, was a Saturday.
    #expect(page.text.contains("30 May 2026") && page.text.contains("Events on Saturdays and Sundays."))
    #expect(page.tags.filter { $0.name == "th" && $0["scope"] == "row" }.count == 1)
    let links = page.tags.filter { $0["aria-current"] == "page" }.compactMap { $0["href"] }
    #expect(links == ["/apps/1/weekends"])
    #expect(page.tags.contains { $0["href"] == "/api/v1/apps/1/reports/weekends?format=csv&amp;limit=10000" })
  }

  @Test func `a list with a row for every day has a chart of its numbers, other lists have none`() async throws {
    let page = try await page("daily")
    #expect(page.problems.isEmpty)
    #expect(page.tags.filter { $0["class"] == "tip" }.count == 30)
    #expect(
      page.tags.filter { $0["class"]?.hasPrefix("key c") == true }.count == 2 * 31,
      "events and sessions, in the legend and per day")
    #expect(try await !self.page("weekends").tags.contains { $0["class"] == "tip" })
  }

  @Test func `a list that is one row of numbers is shown as tiles instead of a wide table`() async throws {
    let page = try await page("daily")
    #expect(page.tags.filter { $0["class"] == "tile" }.count == 4)
    #expect(page.tags.filter { $0.name == "table" }.count == 1)
    for text in ["1,111", "50.0 %", "01:01"] { #expect(page.text.contains(text)) }
  }

  @Test func `a registered ranking adds a page with trends`() async throws {
    let page = try await page("systems")
    #expect(page.problems.isEmpty)
    #expect(page.tags.contains { $0["class"]?.hasPrefix("spark") == true })
    #expect(page.text.contains("Systems only"))
  }
}
