import Ingest
import Reports
import ReportsTestSupport
import ServerBase
import TernEvents
import Testing
import Warehouse
import WarehouseContract

@testable import Portal

@Suite struct `Comparing periods` {
  private let today = Day(number: 20_000)
  private var now: Timestamp { Timestamp(millisecondsSince1970: Int64(today.number) * 86_400_000 + 3_600_000) }

  private func request(_ days: ClosedRange<Day>, _ report: ReportDefinition = AppReports.overview) throws
    -> ReportRequest
  {
    ReportRequest(
      report, of: .app(AppID(1), zone: .utc), days: days, parameters: [.event: "Tapped"],
      zone: ReportZone(.utc), now: now)
  }

  @Test func `the previous period has as many days, and changes leave out the days that are not over on both sides`() {
    for (first, last) in (-9...2).flatMap({ first in (first...3).map { (first, $0) } }) {
      let range = today.advanced(by: first)...today.advanced(by: last)
      let comparison = Comparison(range, today: today)
      #expect(comparison.otherDays.lowerBound == range.lowerBound.advanced(by: -range.count))
      #expect((comparison.settled == nil) == (first >= 0), "no day of \(range.text) is over")
      guard let (current, other) = comparison.settled else { continue }
      #expect(current == range.lowerBound...min(range.upperBound, today.advanced(by: -1)))
      #expect(
        other.count == current.count && other == comparison.otherDays, "one period, in headings, changes and charts")
      #expect(comparison.isOpen == (last >= 0))
    }
  }

  @Test func `a segment is compared over all days of the page`() throws {
    let segment = SavedSegment(
      id: 7, app: AppID(1), name: "Germany", filters: "[]", author: "a", changed: now)
    let comparison = Comparison(today.advanced(by: -6)...today, today: today, with: segment)
    let other = comparison.other(try request(comparison.days), over: comparison.otherDays)
    #expect(other.days == comparison.days && other.filter.segment == 7)
    #expect(comparison.note("11", "12") == "12 for Germany")
  }

  @Test func `a change is a percentage with both figures, or absent if both periods are empty`() {
    let week = Comparison(today.advanced(by: -6)...today, today: today)
    func change(_ now: Double, _ before: Double) -> Change? {
      Changes(comparison: week, current: now, other: before).of { $0 }
    }
    #expect(change(112.5, 100)?.text == "+12.5 %")
    #expect(change(50, 100)?.text == "−50.0 %")
    #expect(change(0, 100)?.text == "−100.0 %")
    #expect(change(100, 100)?.text == "0.0 %")
    #expect(change(2_100, 100)?.text == "+2,000 %")
    #expect(change(5, 0)?.text == "none before" && change(5, 0)?.note == "5 without today")
    #expect(change(0, 0) == nil)
    #expect(change(1_100, 100)?.note == "1,100 without today, 100 before")
    let settled = Comparison(today.advanced(by: -7)...today.advanced(by: -1), today: today)
    #expect(Changes(comparison: settled, current: 2, other: 1).of { $0 }?.note == "1 before")
  }

  @Test func `charts show the previous period if the page asks for it`() async throws {
    let warehouse = NaiveWarehouse()
    for back in 0..<14 { try warehouse.add(.event, "Tapped", on: today.advanced(by: -back), install: 1) }
    let app = App(
      id: AppID(1), name: "Sample", key: "k", appSecret: "s", trackingID: "UA-1-1", zone: .utc, created: now)
    for report in [AppReports.overview, AppReports.event] {
      var request = try request(today.advanced(by: -6)...today, report)
      let visit = PageVisit(try PortalServer(address: "https://tern.example"))
      #expect(
        try await !ReportPage(visit, request, app: app, from: warehouse).html().contains("key c1 past"),
        "\(report.name)")
      request.comparison = .periodBefore
      let html = try await ReportPage(visit, request, app: app, from: warehouse).html()
      #expect(html.contains("<span class=\"key c1 past\">"), "\(report.name)")
      #expect(html.contains("compare=before"), "\(report.name)")
    }
  }

  @Test func `an unchanged app shows no change in the morning, when today has few events`() async throws {
    let warehouse = NaiveWarehouse()
    for back in 0..<14 {
      for install in 1...(back == 0 ? 1 : 10) {
        try warehouse.add(.event, "Tapped", on: today.advanced(by: -back), install: install)
      }
    }
    let app = App(
      id: AppID(1), name: "Sample", key: "k", appSecret: "s", trackingID: "UA-1-1", zone: .utc, created: now)
    for report in [AppReports.overview, AppReports.event, AppReports.events] {
      let request = try request(today.advanced(by: -6)...today, report)
      let html = try await ReportPage(
        PageVisit(try PortalServer(address: "https://tern.example")), request, app: app, from: warehouse
      ).html()
      #expect(html.contains("class=\"change flat\""), "\(report.name)")
      #expect(!html.contains("class=\"change down\"") && !html.contains("class=\"change up\""), "\(report.name)")
      #expect(html.contains("without today, compared with <bdi>21 Sep – 26 Sep 2024</bdi>"), "\(report.name)")
      #expect(!html.contains("27 Sep 2024"), "\(report.name) names one period")
    }
  }

  @Test func `a figure per day divides by the days since the first one`() async throws {
    let warehouse = NaiveWarehouse()
    for back in 0..<3 {
      for _ in 0..<6 { try warehouse.add(.event, "Tapped", on: today.advanced(by: -back), install: 1) }
    }
    let app = App(
      id: AppID(1), name: "Sample", key: "k", appSecret: "s", trackingID: "UA-1-1", zone: .utc, created: now)
    let visit = PageVisit(try PortalServer(address: "https://tern.example"))
    let request = try request(today.advanced(by: -29)...today)
    #expect(try await ReportPage(visit, request, app: app, from: warehouse).html().contains("6.0 per day since 2 Oct"))
    // An app that was only quiet at first existed.
    try warehouse.add(.event, "Tapped", on: today.advanced(by: -100), install: 1)
    let html = try await ReportPage(visit, request, app: app, from: warehouse).html()
    #expect(html.contains("0.6 per day") && !html.contains("per day since"))
  }
}
