import Foundation
import ReportsTestSupport
import ServerBase
import TernEvents
import Testing
import Warehouse
import WarehouseContract

@testable import Reports

/// Imported figures in the overview of a view.
@Suite struct ImportedDayTests {
  private let days = ["2026-05-29", "2026-05-30", "2026-05-31"].compactMap { Day($0) }

  private func report(_ imported: [ImportedFigure]) async throws -> Report {
    let view = View(
      id: ViewID(1), app: AppID(1), name: "Web",
      zones: [View.Zone(.utc, start: Timestamp(millisecondsSince1970: 0))],
      first: View.Rules(lateness: .cutoff, filters: [], settings: ViewSettings()))
    var request = try ReportRequest("overview", of: .view(view), parameters: ["days": "7"], now: ReportRequestTests.now)
    request.imported = imported
    // The store has counted hits of one day.
    return try await request.report(from: SampleViews(base: NaiveWarehouse(), "", 3, day: days[1]))
  }

  @Test func `imported days are a list of their own, without those that have hits, and change no other list`()
    async throws
  {
    let figures = days.flatMap { day in
      [
        ImportedFigure(day: day, metric: "Avg. Session Duration", text: "00:01:10"),
        ImportedFigure(day: day, metric: "Users", text: "1,234"),
      ]
    }
    let plain = try await report([])
    let report = try await report(figures + [ImportedFigure(day: days[2], metric: "\u{1B}<b>", text: "<1")])
    #expect(report.content.lists.dropLast(2) == plain.content.lists[...])
    let json = try JSONSerialization.jsonObject(with: try report.json()) as? [String: Any]
    let rows = try #require(json?["imported"] as? [[String: Any]])
    #expect(
      rows.compactMap { $0["date"] as? String } == ["2026-05-29", "2026-05-29"]
        + Array(repeating: "2026-05-31", count: 3))
    #expect(
      rows.compactMap { $0["value"] as? Int } == [70_000, 1_234, 70_000, 1_234] && rows[4]["value"] as? String == "<1")
    #expect((try JSONSerialization.jsonObject(with: plain.json()) as? [String: Any])?["imported"] == nil)
    let table = try #require(report.content.pageTables.last)
    #expect(table.name == "imported" && table.title.hasPrefix("Imported"))
    #expect(table.columns.map(\.title).first == "Date" && table.columns.map(\.title).contains("Users"))
    #expect(table.rows.count == 2 && table.rows.allSatisfy { $0.count == table.columns.count })
    #expect(try !report.text(.table).contains("\u{1B}"))
    #expect(try report.text(.csv).contains(",Users,1234\r\n"))
  }
}
