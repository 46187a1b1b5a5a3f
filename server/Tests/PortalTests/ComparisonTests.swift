import Ingest
import Reports
import ReportsTestSupport
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
      report, of: .app(AppID(1), timeZone: "UTC"), days: days, parameters: [.event: "Tapped"],
      zone: try ReportZone("UTC"), now: now)
  }

  @Test func `only days that are over are compared, with as many days before them`() throws {
    for (first, last) in (-9...2).flatMap({ first in (first...3).map { (first, $0) } }) {
      let range = today.advanced(by: first)...today.advanced(by: last)
      let comparison = Comparison(try request(range))
      #expect((comparison == nil) == (first >= 0), "no day of \(range.text) is over")
      guard let comparison else { continue }
      #expect(comparison.current.days == range.lowerBound...min(range.upperBound, today.advanced(by: -1)))
      #expect(comparison.other.length == comparison.current.length)
      #expect(comparison.other.days.upperBound.advanced(by: 1) == range.lowerBound)
    }
  }

  @Test func `a change is a percentage, or absent if both periods are empty`() throws {
    let week = try #require(Comparison(try request(today.advanced(by: -6)...today)))
    func text(_ now: Double, _ before: Double) -> String? { Change(now, before: before, in: week)?.text }
    #expect(text(112.5, 100) == "+12.5 %")
    #expect(text(50, 100) == "−50.0 %")
    #expect(text(0, 100) == "−100.0 %")
    #expect(text(100, 100) == "0.0 %")
    #expect(text(2_100, 100) == "+2,000 %")
    #expect(text(5, 0) == "new")
    #expect(text(0, 0) == nil)
  }

  @Test func `charts show the period before if the page asks for it`() async throws {
    let warehouse = NaiveWarehouse()
    for back in 0..<14 { try warehouse.add(.event, "Tapped", on: today.advanced(by: -back), install: 1) }
    let app = App(
      id: AppID(1), name: "Sample", key: "k", appSecret: "s", trackingID: "UA-1-1", timeZone: "UTC", created: now)
    for report in [AppReports.overview, AppReports.event] {
      var request = try request(today.advanced(by: -6)...today, report)
      let pages = try PortalPages(collector: "https://tern.example")
      #expect(try await !pages.report(request, app: app, from: warehouse).contains("key c1 past"), "\(report.name)")
      request.comparison = .periodBefore
      let html = try await pages.report(request, app: app, from: warehouse)
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
      id: AppID(1), name: "Sample", key: "k", appSecret: "s", trackingID: "UA-1-1", timeZone: "UTC", created: now)
    for report in [AppReports.overview, AppReports.event, AppReports.events] {
      let request = try request(today.advanced(by: -6)...today, report)
      let html = try await PortalPages(collector: "https://tern.example").report(request, app: app, from: warehouse)
      #expect(html.contains("class=\"change flat\""), "\(report.name)")
      #expect(!html.contains("class=\"change down\"") && !html.contains("class=\"change up\""), "\(report.name)")
      #expect(html.contains("Changes compare 28 Sep – 3 Oct 2024 with 22 Sep – 27 Sep 2024."), "\(report.name)")
    }
  }
}
