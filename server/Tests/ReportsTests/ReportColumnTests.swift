import ReportsTestSupport
import ServerBase
import TernEvents
import Testing
import Warehouse
import WarehouseContract

@testable import Reports

/// The columns of reports and the facts about them.
struct ReportColumnTests {
  private struct Facts: Hashable {
    var meaning: String?
    var unit: ReportColumn.Unit?
  }

  @Test func `a column of views has one meaning and one unit in all lists, also in those that only name it`()
    async throws
  {
    let view = View(
      id: ViewID(1), app: AppID(1), name: "Web",
      zones: [View.Zone(.utc, start: Timestamp(millisecondsSince1970: 0))],
      first: View.Rules(lateness: .cutoff, filters: [], settings: ViewSettings()))
    let store = SampleViews(base: NaiveWarehouse(), "", 3, day: try #require(Day("2026-05-30")))
    var facts: [String: Set<Facts>] = [:]
    for definition in ReportRegistry.standard.view {
      let request = try ReportRequest(
        definition.name, of: .view(view), parameters: ["days": "7"], now: ReportRequestTests.now)
      for list in try await request.report(from: store).content.pageTables {
        for column in list.columns {
          facts[column.name, default: []].insert(Facts(meaning: column.meaning, unit: column.unit))
        }
      }
    }
    #expect(facts.filter { $0.value.count > 1 }.isEmpty)
    #expect(facts["users"] == [Facts(meaning: "Users, each counted once.")])
    #expect(facts["revenue"]?.first?.unit == .money && facts["language"]?.first?.unit == .code(.languages))
    // All columns with a meaning are there: the reports of views have 57 of them.
    #expect(facts.values.count { $0.contains { $0.meaning != nil } } == 57)
  }
}
