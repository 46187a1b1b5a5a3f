import Foundation
import Ingest
import ReportsTestSupport
import ServerBase
import TernEvents
import Testing
import Warehouse
import WarehouseContract

@testable import Reports

/// A report that Tern does not have: it needs only a definition and a place in a registry.
struct NewReportTests {
  static let weekdays = ReportDefinition(
    "weekdays", title: "Weekdays", explanation: "Events by day of the week.",
    navigation: ReportNavigation(.events, "Weekdays")
  ) { request, store in
    var counts = Array(repeating: 0, count: 7)
    for count in try await store.dailyCounts(app: request.app, dimension: .total, days: request.days) {
      // Day 0 was a Thursday.
      counts[((count.day.number + 3) % 7 + 7) % 7] += count.count
    }
    let names = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
    return ReportContent([
      ReportList("weekdays", columns: ["day", "events"], rows: zip(names, counts).map { [.text($0), .count($1)] })
    ])
  }

  @Test func `a registered definition is available as JSON, CSV and text`() async throws {
    let source = NaiveWarehouse()
    // 2026-05-30 was a Saturday.
    try source.add(.event, "a", on: try #require(Day("2026-05-30")))
    let standard = ReportRegistry.standard
    let reports = ReportRegistry(app: standard.app + [Self.weekdays], view: standard.view)
    let report = try await ReportRequest(
      "weekdays", of: .app(AppID(1), zone: .utc), parameters: ["days": "7"], now: ReportRequestTests.now,
      reports: reports
    ).report(from: source)
    #expect(try report.text(.csv).hasPrefix("day,events\r\nMonday,0\r\n"))
    #expect(try report.text(.csv).contains("Saturday,1\r\n"))
    #expect(try report.text(.table).hasSuffix("Saturday        1\nSunday          0\n"))
    let json = try JSONSerialization.jsonObject(with: try report.json()) as? [String: Any]
    #expect((json?["weekdays"] as? [[String: Any]])?[5]["events"] as? Int == 1)
    #expect(json?["from"] as? String == "2026-05-24")
  }

  @Test func `report names are unique, and a report reached from another one names that report`() throws {
    for reports in [ReportRegistry.standard.app, ReportRegistry.standard.view] {
      #expect(Set(reports.map(\.name)).count == reports.count)
      for parent in reports.compactMap(\.parent) { #expect(reports.contains { $0.name == parent }) }
    }
    for report in ReportRegistry.standard.app {
      #expect((report.navigation == nil) == (report.parent != nil), "\(report.name)")
      #expect(report.explanation.hasSuffix("."))
    }
  }
}
