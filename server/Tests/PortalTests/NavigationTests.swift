import Foundation
import Reports
import Testing
import Warehouse

@testable import Portal

/// The menu, and the tabs of its entries.
struct NavigationTests {
  @Test func `the menu has at most twelve entries, and each page of an entry is a tab of it`() async throws {
    for page in try await SamplePages("Demo Player").all() where page.html.contains("class=\"menu\"") {
      let menu = page.html.components(separatedBy: "<nav class=\"menu\"")[1].components(separatedBy: "</nav>")[0]
      let entries = PageScanner(menu).tags.filter { $0.name == "a" }
      #expect((2...12).contains(entries.count), "\(page.name)")
      // The search is in no entry: it is above them.
      let current = page.name.hasPrefix("find") ? 0 : 1
      #expect(entries.filter { $0["aria-current"] != nil }.count == current, "\(page.name)")
    }
    let audience = PageScanner(try await SamplePages("e").report("languages", ["days": "7"]))
    let tabs = audience.tags.drop { $0["class"] != "sections" }.dropFirst().prefix { $0.name == "a" }
    #expect(
      tabs.map { $0["href"] } == [
        "/apps/1/versions?days=7", "/apps/1/devices?days=7", "/apps/1/countries?days=7", "/apps/1/languages?days=7",
        "/apps/1/people?days=7",
      ])
    #expect(tabs.filter { $0["aria-current"] == "page" }.map { $0["href"] } == ["/apps/1/languages?days=7"])
  }

  @Test func `readers without rights see the entries and tabs that they may open`() async throws {
    var sample = try SamplePages("e")
    sample.reader = PortalReader(canEdit: false, seesPersonalData: false, isOwner: false)
    let links = PageScanner(try await sample.report("versions")).tags.compactMap { $0["href"] }
    for hidden in ["people", "live", "settings", "setup", "limits", "links"] {
      #expect(!links.contains("/apps/1/\(hidden)"), "\(hidden)")
    }
    for open in ["dropped", "segments", "views", "countries"] { #expect(links.contains("/apps/1/\(open)"), "\(open)") }
  }

  @Test func `each page of a report belongs to a report of an app, and no two to the same`() {
    let names = PageList.reports.map { $0.report.name }
    #expect(Set(names).count == names.count)
    #expect(Set(names).isSubset(of: ReportRegistry.standard.app.map(\.name)))
  }
}
