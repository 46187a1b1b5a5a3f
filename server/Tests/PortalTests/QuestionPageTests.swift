import Questions
import Reports
import ReportsTestSupport
import Testing
import Warehouse

@testable import Portal

@Suite struct QuestionPageTests {
  private let sample: SamplePages

  init() throws { sample = try SamplePages("Play") }

  /// The questions that a page asks.
  private func asked(_ page: QuestionPage, _ parameters: [String: String]) async throws -> [Question] {
    var asked: [Question] = []
    _ = try await sample.pages.question(
      page, parameters, app: sample.app, apps: [], days: Day(number: 0)...Day(number: 1), from: sample.source
    ) { question in
      asked.append(question)
      return try #require(
        AnsweredQuestion(question, SampleAnswers.result(question.kind), milliseconds: 0))
    }
    return asked
  }

  @Test func `a funnel of the form is the question of its steps`() async throws {
    let asked = try await asked(
      .funnels,
      [
        "k1": "screen", "n1": "Home", "n2": "Play", "k3": "crash", "window": "2h", "range": "7d", "by": "user",
        "f1": "property:Length", "o1": "gt", "v1": "10", "f2": "country", "v2": "DE",
      ])
    let filters: [QuestionFilter] = [
      .compare(.gt, .property("Length"), 10), .isOneOf(.country, [.text("DE")]),
    ]
    #expect(
      asked == [
        .funnel(
          FunnelQuestion(
            scope: QuestionScope(range: .days(7), filters: filters, person: .user),
            steps: [Selector(.screen("Home")), Selector(.event("Play")), Selector(.kind(.crash))],
            window: 7_200_000))
      ])
  }

  @Test func `Explore asks for the metric over time, by value, and for the lines of the largest values`() async throws {
    let asked = try await asked(.explore, ["metric": "crashes", "breakdown": "version", "interval": "week"])
    let metrics: [QuestionMetric] = [.plain(.crashes)]
    let timeline = QueryQuestion(
      metrics: metrics, groups: [.init(.time(.week))], includesTotals: true, includesTimeLabels: true)
    #expect(
      asked.prefix(2) == [
        .query(timeline),
        .query(QueryQuestion(metrics: metrics, groups: [.init(.version)], includesTotalRows: true, limit: 50)),
      ])
    #expect(asked.dropFirst(2).allSatisfy { $0.scope.filters.count == 1 })
    #expect(asked.count == 5)
  }

  @Test func `a number in a filter of a property means the number and the text`() async throws {
    let asked = try await asked(.paths, ["f1": "property:Length", "v1": "10"])
    #expect(asked.first?.scope.filters == [.isOneOf(.property("Length"), [.text("10"), .number(10)])])
  }

  @Test func `a page without enough in its form asks nothing and says what is missing`() async throws {
    #expect(try await asked(.funnels, ["n1": "Home"]).isEmpty)
    #expect(try await sample.question(.funnels, ["n1": "Home"]).contains("Choose two steps"))
  }

  @Test func `a fault in an address is shown above the form, which keeps its values`() async throws {
    let page = try await sample.question(.explore, ["range": "someday", "n0": "Kept", "k0": "event"])
    #expect(page.contains("role=\"alert\"") && page.contains("$.date_range"))
    #expect(PageScanner(page).tags.contains { $0["name"] == "n0" && $0["value"] == "Kept" })
  }

  @Test func `a question beyond its limits is explained on its page`() async throws {
    let page = try await sample.pages.question(
      .paths, [:], app: sample.app, apps: [], days: Day(number: 0)...Day(number: 1), from: sample.source
    ) { _ in throw QuestionError("Ask for fewer days.", at: "$", code: .tooSlow) }
    #expect(page.contains("<p class=\"notice\" role=\"alert\">Ask for fewer days.</p>"))
  }

  @Test func `figures lead to the people behind them, for readers who may see them`() async throws {
    let parameters = ["n1": "A", "n2": "B", "f1": "country", "v1": "DE"]
    let link = "/apps/1/people?group=funnel&amp;step=2&amp;dropped=1&amp;n1=A&amp;n2=B&amp;f1=country&amp;v1=DE"
    #expect(try await sample.question(.funnels, parameters).contains("href=\"\(link)\""))
    var reader = sample.pages
    reader.reader = PortalReader(canEdit: false, seesPersonalData: false, isOwner: false)
    let page = try await reader.question(
      .funnels, parameters, app: sample.app, apps: [], days: Day(number: 0)...Day(number: 1), from: sample.source
    ) { try #require(AnsweredQuestion($0, SampleAnswers.result($0.kind), milliseconds: 0)) }
    #expect(!page.contains("/people"))
  }

  @Test func `the people behind a figure are those of its form`() async throws {
    let parameters = ["n1": "A", "n2": "B", "group": "funnel", "step": "2", "dropped": "1"]
    let funnel = FunnelQuestion(steps: [Selector(.event("A")), Selector(.event("B"))])
    #expect(
      try await asked(.people, parameters) == [
        .persons(PersonsQuestion(group: .funnel(funnel, step: 2, dropped: true)))
      ])
    let cohort = ["group": "cohort", "of": "2026-10-29", "after": "1", "interval": "week"]
    #expect(
      try await asked(.people, cohort) == [
        .persons(PersonsQuestion(group: .cohort(RetentionQuestion(), of: "2026-10-26", after: 1)))
      ])
  }

  @Test(arguments: [[:], ["range": "7d"]])
  func `downloads lead to the page's own address with a format`(parameters: [String: String]) async throws {
    let page = try await sample.pages.question(
      .retention, parameters, app: sample.app, apps: [], days: Day(number: 0)...Day(number: 1), from: sample.source
    ) { try #require(AnsweredQuestion($0, SampleAnswers.result($0.kind), milliseconds: 0)) }
    let query = parameters.isEmpty ? "" : "range=7d&amp;"
    #expect(page.contains("href=\"/apps/\(sample.app.id)/retention?\(query)format=csv\""))
  }

  @Test func `each page has the command that asks the same`() async throws {
    let page = try await sample.question(.funnels, ["n1": "It's", "n2": "B"])
    let text = PageScanner(page).text
    #expect(text.contains("/api/v1/apps/1/funnel"))
    #expect(text.contains("It"))
    #expect(text.contains("Authorization: Bearer $TOKEN"))
  }
}
