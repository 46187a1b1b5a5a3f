import Foundation
import Questions
import Reports
import ReportsTestSupport
import Testing
import Warehouse

@testable import Portal

/// Pages whose form names values that no event ever had.
@Suite struct UnknownValuePageTests {
  private let sample: SamplePages

  init() throws { sample = try SamplePages("Play") }

  /// The visit of an app that lacks some values.
  private var visit: PageVisit { lacking.visit }

  private var lacking: SamplePages {
    var sample = sample
    sample.unknownValues = [
      NamedValue(.event, "Purchse"): ["Purchase"], NamedValue(.version, "9.9"): [], NamedValue(.property, "Lenght"): [],
    ]
    return sample
  }

  private func page(_ page: QuestionPage, _ parameters: [String: String]) async throws -> String {
    try await QuestionFormPage(
      visit, page, parameters, app: sample.app, apps: [], days: Day(number: 0)...Day(number: 1), from: sample.source,
      ask: QuestionAsker { try #require(AnsweredQuestion($0, SampleAnswers.result($0.kind), milliseconds: 0)) }
    ).html()
  }

  @Test(arguments: [
    (QuestionPage.explore, ["event": "Purchse", "f1": "version is 9.9", "f2": "country is DE"], ["n0", "f1"]),
    (.funnels, ["n1": "Play", "n2": "Purchse", "f1": "first:version is 9.9"], ["n2", "f1"]),
    (.retention, ["start": "event Play", "return": "event Purchse"], ["n2"]),
    (.paths, ["start": "event Purchse"], ["n1"]), (.lifecycle, ["f1": "version is_not 9.9"], ["f1"]),
    (.explore, ["by": "property:Lenght"], ["by"]), (.explore, ["f1": "version contains 9.9"], []),
  ])
  func `an unknown value is told beside its field, and the page shows its figures`(
    page: QuestionPage, parameters: [String: String], fields: [String]
  ) async throws {
    let html = try await self.page(page, parameters)
    let marked = PageScanner(html).tags.filter { $0["aria-invalid"] == "true" }.compactMap { $0["name"] }
    #expect(marked.sorted() == fields.sorted())
    #expect(html.contains("rows read in"), "answered all the same")
    #expect(PageScanner(html).text.contains("?unknown=allow"), "and by the command")
    if fields.contains(where: { $0.hasPrefix("n") }) {
      #expect(PageScanner(html).text.contains("never had an event named “Purchse”. Did you mean “Purchase”?"))
    }
  }

  /// The dashboard of a reader, and its part after each card's heading.
  private func dashboard(isGuest: Bool, filter: String = "") async throws -> (html: String, cards: [Substring]) {
    var lacking = lacking
    lacking.reader = PortalReader(isGuest: isGuest)
    let dashboard = Dashboard(
      id: 3, app: sample.app.id, name: "Board",
      cards: [
        DashboardCard(name: "Misspelt", page: "explore", query: "event=Purchse&f1=version+is+9.9&f2=version+is+9.9"),
        DashboardCard(name: "Right", page: "explore", query: "event=Play"),
        DashboardCard(name: "Funnel", page: "funnels", query: "s1=event+Play&s2=event+Purchse"),
      ], author: "", changed: SamplePages.now)
    let filter = ReportFilter(json: filter)
    let named = dashboard.namedValues(filter, segments: sample.segments)
    #expect(named.contains(NamedValue(.event, "Purchse")), "they are looked up")
    let html = try await DashboardPage(
      lacking.visit, dashboard, of: [dashboard], app: sample.app, apps: [], today: Day(number: 1),
      scope: DashboardScope(filter: filter),
      ask: QuestionAsker { try #require(AnsweredQuestion($0, SampleAnswers.result($0.kind), milliseconds: 0)) }
    ).html()
    return (html, html.split(separator: "<section class=\"panel").dropFirst().map { $0 })
  }

  @Test func `a card says which of its values are unknown, once, and shows its figures`() async throws {
    let (_, cards) = try await dashboard(isGuest: false)
    let words = cards.suffix(3).map { card in
      card.split(separator: "<p class=\"fault\">").dropFirst().compactMap {
        $0.split(separator: "<").first.map(String.init)
      }
    }
    let event = "This app has never had an event named “Purchse”. Did you mean “Purchase”?"
    #expect(words == [[event, "This app has never had the version “9.9”."], [], [event]])
    #expect(cards.suffix(3).allSatisfy { $0.contains("<svg") }, "its figures are there")
  }

  @Test func `the filter of a dashboard says that a value is unknown beside its field, not on each card`() async throws
  {
    let (html, _) = try await dashboard(isGuest: false, filter: #"[["is","version",["9.9"]]]"#)
    let marked = PageScanner(html).tags.filter { $0["aria-invalid"] == "true" }.compactMap { $0["name"] }
    #expect(marked == ["f1"])
    #expect(html.components(separatedBy: "the version “9.9”").count == 3, "at the field, and on the first card")
  }

  @Test func `the reader of a shared dashboard isn't told the names of others`() async throws {
    #expect(try await !dashboard(isGuest: true).html.contains("never had"))
  }

  @Test func `the list of segments and their form say which values are unknown`() async throws {
    let segment = SavedSegment(
      id: 1, app: sample.app.id, name: "Buyers",
      filters: #"[["is","version",["9.9"]],["is","country",["DE"]],["has_done",{"event":"Purchse"},{"at_least":1}]]"#,
      author: "", changed: SamplePages.now)
    let form = SegmentForm(segment)
    let event = NamedValue(.event, "Purchse")
    #expect(form.namedValues([]) == [event, NamedValue(.version, "9.9"), NamedValue(.country, "DE")])
    #expect(SegmentForm().namedValues([segment]).contains(event))
    let list = PageScanner(SegmentsPage(visit, [segment], app: sample.app, apps: []).html()).text
    #expect(list.contains("never had an event named “Purchse”. Did you mean “Purchase”?"))
    #expect(list.contains("never had the version “9.9”") && !list.contains("the country “DE”"))
    let html = SegmentsPage(visit, [segment], form: form, app: sample.app, apps: []).html()
    let marked = PageScanner(html).tags.filter { $0["aria-invalid"] == "true" }.compactMap { $0["name"] }
    #expect(marked.sorted() == ["f1", "n1"])
  }

  @Test func `a report says that a filter's value is unknown, and shows its figures`() async throws {
    var sample = sample
    sample.unknownValues = [NamedValue(.version, "9.9"): ["9.8"]]
    let filter = ReportFilter(json: #"[["is","version",["9.9"]]]"#)
    #expect(filter.namedValues == [NamedValue(.version, "9.9")])
    var request = try sample.request("events")
    request.filter = filter
    #expect(request.fault(sample.segments) == nil)
    let html = try await ReportPage(sample.visit, request, app: sample.app, from: sample.source).html()
    #expect(PageScanner(html).text.contains("never had the version “9.9”. Did you mean “9.8”?"))
    #expect(html.contains("&amp;limit=10000&amp;unknown=allow\""))
  }
}
