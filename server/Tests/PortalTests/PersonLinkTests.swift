import Foundation
import Ingest
import Questions
import Reports
import ReportsTestSupport
import TernEvents
import Testing
import Warehouse

@testable import Portal

/// The way from a figure of a report to the people behind it, and through a person's page.
struct PersonLinkTests {
  private static let filter = #"[["is", "country", ["DE"]]]"#

  private func links(_ sample: SamplePages, _ report: String, _ parameters: [String: String]) async throws -> [String] {
    PageScanner(try await sample.report(report, parameters)).tags.compactMap { $0["href"] }
      .filter { $0.hasPrefix("/apps/1/people?") }.map { $0.replacing("&amp;", with: "&") }
  }

  @Test(arguments: [
    ("overview", ["days=7&f1=country+is+DE", "days=7&f1=country+is+DE&f2=country+is+Play"]),
    ("events", ["days=7&f1=country+is+DE&f2=event+is+Play"]),
    ("screens", ["days=7&f1=country+is+DE&f2=screen+is+Play"]),
    ("countries", ["days=7&f1=country+is+DE&f2=country+is+Play"]),
    (
      "event",
      [
        "days=7&f1=country+is+DE&f2=event+is+Play",
        "days=7&f1=country+is+DE&f2=event+is+Play&f3=property:Play+is+Play",
      ]
    ),
  ])
  func `each count of users leads to them in one click, with filter and period`(
    report: String, expected: [String]
  ) async throws {
    let sample = try SamplePages("Play")
    let found = try await links(sample, report, ["days": "7", "filters": Self.filter])
    for link in expected { #expect(found.contains("/apps/1/people?\(link)"), "\(link) in \(found)") }
  }

  @Test(arguments: ["overview", "event"])
  func `the days of a chart of users lead to the users of each day`(report: String) async throws {
    let sample = try SamplePages("Play")
    let found = try await links(sample, report, ["days": "7"])
    let day = "from=2026-05-29&to=2026-05-29"
    // In the chart and in its table.
    #expect(found.filter { $0.contains(day) }.count == 2)
    #expect(!found.contains { $0.contains("2026-05-25") })
  }

  @Test func `figures of errors lead to those who had them`() async throws {
    let sample = try SamplePages("Play")
    let errors = try await links(sample, "errors", [:])
    #expect(errors.contains { $0.hasPrefix("/apps/1/people?group=error&error=") })
    let error = try await links(sample, "error", ["days": "7"])
    #expect(error.contains("/apps/1/people?group=error&error=2&days=7"))
    let page = try await sample.question(.people, ["group": "error", "error": "2", "days": "7"])
    #expect(page.contains("users who had this error"))
    #expect(page.contains("href=\"/apps/1/error?group=2&amp;days=7\""))
  }

  @Test func `readers who may not see people see no links to them`() async throws {
    var sample = try SamplePages("Play")
    for reader in [
      PortalReader(canEdit: false, seesPersonalData: false, isOwner: false),
      PortalReader(canEdit: false, seesPersonalData: false, isOwner: false, isGuest: true),
    ] {
      sample.reader = reader
      for report in ["overview", "events", "event", "errors"] {
        #expect(try await links(sample, report, [:]).isEmpty, "\(report)")
      }
    }
  }

  @Test func `the whole number of users behind a version without a name is that of rows without one`() async throws {
    let sample = try SamplePages("Play")
    let request = try sample.request("versions")
    #expect(sample.visit.people(request, .version, "") == "/apps/1/people?f1=version+not_set")
    #expect(sample.visit.people(request, .version, "(other)") == nil)
    #expect(sample.visit.people(request, .event, "") == nil)
    #expect(sample.visit.people(request, .dropped, "expired") == nil)
  }

  @Test func `a person's page has totals and devices, and leads both ways`() async throws {
    let sample = try SamplePages("Play")
    let cursors = (later: PersonsCursor(time: 3, row: 4), earlier: PersonsCursor(time: 1, row: 2))
    let page = try PersonPage(
      sample.visit, SampleAnswers.trail("Play"), of: .user("u"), SampleAnswers.summary("Play"), app: sample.app,
      apps: [],
      later: cursors.later, earlier: cursors.earlier
    ).html()
    let text = PageScanner(page).text
    for figure in ["1,234", "First seen", "1 Jan 1970", "Last seen", "30 May 2026", "Crashes"] {
      #expect(text.contains(figure), "\(figure)")
    }
    let links = PageScanner(page).tags.compactMap { $0["href"] }
    #expect(links.contains("/apps/1/people/users/u?after=3-4") && links.contains("/apps/1/people/users/u?before=1-2"))
    #expect(links.contains("/apps/1/people/installs/Play") && links.contains("/apps/1/people/users/Play"))
    let alone = try PersonPage(
      sample.visit, SampleAnswers.trail("Play"), of: .user("u"), SampleAnswers.summary("Play"), app: sample.app,
      apps: []
    ).html()
    #expect(!alone.contains("?after=") && !alone.contains("?before="))
  }

  @Test func `an occurrence leads to its install and its user at that time`() async throws {
    let sample = try SamplePages("Play")
    let page = try await sample.report("error", ["occurrence": String(sample.occurrence)])
    let links = PageScanner(page).tags.compactMap { $0["href"] }
    let place = "before=\(SamplePages.now.millisecondsSince1970)-\(sample.occurrence + 1)"
    #expect(links.contains("/apps/1/people/numbers/1?\(place)"))
    #expect(links.contains("/apps/1/people/users/Play?\(place)"))
  }
}
