import Foundation
import Ingest
import Questions
import Reports
import ReportsTestSupport
import TernBase
import Testing
import Warehouse

@testable import Portal

/// The filter on pages of errors, of live rows and of dashboards.
struct FilterPageTests {
  private static let country = #"[["is", "country", ["DE"]]]"#

  private func links(_ html: String) -> [String] {
    PageScanner(html).tags.compactMap { $0["href"] }.map { $0.replacing("&amp;", with: "&") }
  }

  @Test func `errors have the form, and their crash-free figures are those of the rows that pass`() async throws {
    let sample = try SamplePages("Play")
    let request = try sample.request("errors", ["filters": Self.country])
    let asked = Locked<[Question]>([])
    let page = try await ReportPage(
      sample.visit, request, app: sample.app, from: sample.source,
      ask: QuestionAsker { question in
        asked.withLock { $0.append(question) }
        return try #require(AnsweredQuestion(question, SampleAnswers.result(question), milliseconds: 0))
      }
    ).html()
    #expect(asked.withLock { $0 }.count == 2)
    #expect(asked.withLock { $0 }.allSatisfy { $0.scope.filters == [.isOneOf(.country, [.text("DE")])] })
    #expect(page.contains("country is Germany") && page.contains("Filter: country is Germany"))
    #expect(!page.contains("compared with"))
    #expect(links(page).contains("/apps/1/errors?status=all&f1=country+is+DE"))
    #expect(links(page).contains("/apps/1/error?group=2&f1=country+is+DE"))
  }

  @Test func `what an error is broken down by adds itself to the filter, and an occurrence has no form`() async throws {
    let sample = try SamplePages("Play")
    let page = try await sample.report("error", ["filters": Self.country])
    #expect(links(page).contains("/apps/1/error?group=2&f1=country+is+DE&f2=model+is+Play"))
    #expect(links(page).contains("/apps/1/people?group=error&error=2&f1=country+is+DE&f2=model+is+Play"))
    let occurrence = try await sample.report("error", ["occurrence": String(sample.occurrence)])
    #expect(page.contains("class=\"ask\"") && !occurrence.contains("class=\"ask\""))
  }

  @Test func `each value of a live row adds itself to the filter, which the stream has, too`() async throws {
    let sample = try SamplePages("Play")
    let page = try await sample.report("live", ["filters": Self.country])
    let found = links(page)
    for row in ["event+is+Play", "screen+is+Play", "property:Play+is+Play", "model+is+Play", "user+is+Play"] {
      #expect(found.contains("/apps/1/live?f1=country+is+DE&f2=\(row)"), "\(row)")
    }
    let panel = try #require(PageScanner(page).tags.first { $0["data-stream"] != nil })
    #expect(panel["data-stream"]?.hasSuffix("&amp;f1=country+is+DE") == true)
    #expect(!page.contains("leaves that out"))
    let done = try await sample.report("live", ["filters": #"[["has_done", {"event": "Play"}]]"#])
    #expect(PageScanner(done).text.contains("can’t be filtered by has done Play"))
  }

  private func dashboard(
    _ cards: [DashboardCard], _ filter: ReportFilter, range: QuestionRange? = nil
  ) async throws -> (html: String, asked: [Question]) {
    let sample = try SamplePages("Play")
    let board = Dashboard(id: 4, app: sample.app.id, name: "Board", cards: cards, author: "", changed: SamplePages.now)
    let asked = Locked<[Question]>([])
    let html = try await DashboardPage(
      sample.visit, board, of: [board], app: sample.app, apps: [sample.app], today: Day(number: 20_000),
      scope: DashboardScope(filter: filter, range: range),
      ask: QuestionAsker { question in
        asked.withLock { $0.append(question) }
        return try #require(AnsweredQuestion(question, SampleAnswers.result(question.kind), milliseconds: 0))
      }
    ).html()
    return (html, asked.withLock { $0 })
  }

  @Test func `a dashboard's filter goes to every card, in addition to the card's own`() async throws {
    let cards = [
      DashboardCard(name: "Users", page: "explore", query: "f1=version+is+2.0"),
      DashboardCard(name: "Checkout", page: "funnels", query: "s1=event+A&s2=event+B&f1=country+is+DE"),
    ]
    let (html, asked) = try await dashboard(cards, ReportFilter(json: Self.country, segment: 1))
    let country = QuestionFilter.isOneOf(.country, [.text("DE")])
    for question in asked {
      #expect(question.scope.filters.contains(country))
      #expect(question.scope.filters.contains { $0 != country && $0.dimensions == [.country] }, "the segment")
    }
    let version = QuestionFilter.isOneOf(.version, [.text("2.0")])
    #expect(asked.contains { $0.scope.filters.contains(version) })
    let found = links(html)
    #expect(found.contains("/apps/1/explore?segment=1&f1=version+is+2.0&f2=country+is+DE"))
    #expect(found.contains("/apps/1/dashboards/4?view=full&f1=country+is+DE&segment=1"))
    #expect(found.contains("/apps/1/events?f1=country+is+DE&segment=1"), "other pages keep the filter")
    #expect(found.contains("/apps/1/dashboards/4?segment=1"), "the chip removes its filter")
    let plain = try await dashboard(cards, ReportFilter())
    #expect(links(plain.html).contains("/apps/1/explore?f1=version+is+2.0"))
  }

  @Test func `the days of a dashboard are those of every card, and one link gives each card its own again`()
    async throws
  {
    let cards = [
      DashboardCard(name: "Users", page: "explore", query: "days=90"),
      DashboardCard(name: "Checkout", page: "funnels", query: "s1=event+A&s2=event+B&from=2024-01-01&to=2024-02-01"),
    ]
    let (html, asked) = try await dashboard(cards, ReportFilter(json: Self.country), range: .days(7))
    let today = Day(number: 20_000)
    for question in asked {
      #expect(question.scope.range.resolved(today: today).count <= 7)
      #expect(question.scope.range.resolved(today: today).lowerBound >= today.advanced(by: -13))
    }
    let found = links(html)
    #expect(found.contains("/apps/1/explore?days=7&f1=country+is+DE"))
    #expect(found.contains("/apps/1/funnels?days=7&s1=event+A&s2=event+B&f1=country+is+DE"))
    #expect(found.contains("/apps/1/events?days=7&f1=country+is+DE"), "other pages keep the days")
    #expect(found.contains("/apps/1/dashboards/4?view=full&days=7&f1=country+is+DE"))
    #expect(found.contains("/apps/1/dashboards/4?f1=country+is+DE"), "the cards' own days")
    #expect(found.contains("/apps/1/dashboards/4?days=30&f1=country+is+DE"))
    #expect(found.contains("/apps/1/dashboards/4?days=7"), "the chip keeps the days")
    let standard = try await dashboard(cards, ReportFilter(), range: .days(30))
    #expect(links(standard.html).contains("/apps/1/explore"), "30 days are the page's own")
  }

  @Test(arguments: [
    ["days": "never"], ["from": "2024-02-01", "to": "2024-01-01"], ["from": "May", "to": "2024-01-01"],
  ])
  func `days that are none are refused in the control, and cards have their own`(parameters: [String: String]) {
    let scope = DashboardScope(in: parameters)
    #expect(scope.range == nil && scope.mistake != nil)
    let board = Dashboard(id: 4, app: AppID(1), name: "", cards: [], author: "", changed: SamplePages.now)
    let control = RangeControl(board, scope, today: Day(number: 20_000))
    #expect(control.mistake?.isEmpty == false && control.from == parameters["from"] ?? "")
    #expect(
      DashboardScope(in: ["from": "2024-01-01", "to": "2024-01-31"]).range?.resolved(today: Day(number: 0)).count == 31)
  }

  @Test func `a card keeps more filters than a form has rows, and a second segment`() throws {
    let rows = (0..<FilterRow.numbers.count).map { FilterRow("property:p\($0)", value: "x") }
    let card = QuestionForm(.explore, ["segment": "2"], segments: []).filtered(by: FilterRows(rows))
    let form = card.adding(ReportFilter(json: Self.country, segment: 1))
    #expect(form.rows == rows && form["segment"] == "2")
    #expect(form.plainFilters.count == rows.count + 2)
    #expect(card.adding(ReportFilter()).query() == card.query())
  }

  @Test func `a mistake in a dashboard's filter is said beside its field`() async throws {
    let card = DashboardCard(name: "Users", page: "explore", query: "")
    let (html, _) = try await dashboard([card], ReportFilter(json: #"[["is", "colour", ["red"]]]"#))
    #expect(html.contains("id=\"fault-f1\""))
  }

  @Test func `the filter of a dashboard's form becomes a short address`() {
    let fields = ["apply": "1", "f1": "country", "o1": "is", "v1": "Germany", "segment": "3"]
    let board = Dashboard(id: 4, app: AppID(1), name: "", cards: [], author: "", changed: SamplePages.now)
    #expect(board.address(DashboardScope(in: fields)) == "/apps/1/dashboards/4?f1=country+is+DE&segment=3")
    let dated = fields.merging(["days": "7"]) { $1 }
    #expect(board.address(DashboardScope(in: dated)) == "/apps/1/dashboards/4?days=7&f1=country+is+DE&segment=3")
    #expect(board.address() == "/apps/1/dashboards/4")
  }
}
