import Ingest
import Questions
import Reports
import ReportsTestSupport
import TernBase
import Testing
import Warehouse

@testable import Portal

@Suite struct `The files and lines of pages that ask questions` {
  private let sample: SamplePages

  init() throws { sample = try SamplePages("Play") }

  private func dimensions(_ files: [QuestionFile]) -> [[QuestionDimension]] {
    files.map { file in
      if case .query(let query) = file.question { query.groups.map(\.dimension) } else { [] }
    }
  }

  /// A page whose questions are answered by a function.
  private func page(
    _ parameters: [String: String], _ answer: @escaping @Sendable (QueryQuestion) -> QueryAnswer
  ) async throws -> String {
    try await QuestionFormPage(
      sample.visit, .explore, parameters, app: sample.app, apps: [], days: Day(number: 0)...Day(number: 1),
      from: sample.source,
      ask: QuestionAsker { question in
        guard case .query(let query) = question else { throw CancellationError() }
        return try #require(
          AnsweredQuestion(question, QuestionResult(.query(answer(query)), rowsRead: 0), milliseconds: 0))
      }
    ).html()
  }

  @Test func `the files of Explore by country have the country, all its values, and the total`() throws {
    let files = try QuestionPage.explore.files(["by": "country", "page": "3"], segments: sample.segments)
    #expect(files.map(\.name) == ["", "values", "all"])
    #expect(dimensions(files) == [[.time(.day), .country], [.country], [.time(.day)]])
    for file in files {
      guard case .query(let query) = file.question else { continue }
      #expect(query.limit == QueryQuestion.defaultLimit && query.offset == 0, "\(file.title)")
    }
    #expect(dimensions(try QuestionPage.explore.files([:], segments: sample.segments)) == [[.time(.day)]])
    #expect(
      dimensions(try QuestionPage.explore.files(["by": "property:Length", "bins": "0, 10"], segments: sample.segments))
        == [
          [.property("Length")], [.time(.day)],
        ])
  }

  @Test func `other pages have a file for each figure, and people have all pages of their list in one`() throws {
    let funnel = ["n1": "A", "n2": "B"]
    #expect(try QuestionPage.funnels.files(funnel, segments: sample.segments).count == 1)
    #expect(
      try QuestionPage.funnels.files(funnel.merging(["by": "version"]) { $1 }, segments: sample.segments).map(\.name)
        == ["", "all"])
    #expect(try QuestionPage.funnels.files(["n1": "A"], segments: sample.segments).isEmpty)
    #expect(
      try QuestionPage.lifecycle.files([:], segments: sample.segments).map(\.question.kind) == [
        .lifecycle, .stickiness,
      ])
    #expect(
      try QuestionPage.people.files(["before": "5-7"], segments: sample.segments).map(\.question) == [
        .persons(PersonsQuestion(limit: PersonsQuestion.maximumLimit))
      ])
  }

  @Test func `a page links to its files and has the command for each`() async throws {
    let html = try await sample.question(.explore, ["by": "country"])
    for query in ["by=country&amp;format=csv", "by=country&amp;file=values&amp;format=json", "file=all&amp;format=csv"]
    {
      #expect(html.contains(query), "\(query)")
    }
    let commands = PageScanner(html).text
    #expect(commands.contains("[&quot;time:day&quot;,&quot;country&quot;]"))
    #expect(commands.contains("&quot;dimensions&quot;:[&quot;country&quot;]"))
  }

  @Test func `the other side of a comparison has files of its own`() async throws {
    let days = ["from": "2026-05-24", "to": "2026-05-29", "compare": "before", "by": "version"]
    let html = try await sample.question(.explore, days)
    #expect(html.contains("by=version&amp;from=2026-05-18&amp;to=2026-05-23&amp;format=csv"))
  }

  @Test func `files have the buckets that a page chose`() async throws {
    let html = try await page(["metric": "events", "by": "property:Length"]) { query in
      var answer = QueryAnswer()
      answer.totals = query.metrics.count == 3 ? [0, 90, 100] : [60]
      if query.groups.first?.dimension.timeUnit != nil {
        answer.timeLabels = ["1970-01-01"]
        answer.rows = [.init(dimensions: [.text("1970-01-01")], metrics: [60])]
      } else if query.groups.first?.bins.isEmpty == false {
        answer.rows = [.init(dimensions: [.text("0..10")], metrics: [60])]
      } else {
        answer.rows = (0..<50).map { .init(dimensions: [.number(Double($0))], metrics: [1]) }
        answer.totalRows = 60
      }
      return answer
    }
    #expect(html.contains("bins=0,+10,+20,+30"))
    #expect(html.contains("&quot;bins&quot;:[0,10,20,30"))
    #expect(html.contains("<span class=\"x\">≥ 100</span>"), "a bucket is labelled by its bounds")
  }

  @Test func `of many values eight have a line, versions in their order, and the others are one line`() async throws {
    let versions = ["1.0", "1.10", "1.9", "1.0b2", "2.0", "1.2", "1.3", "1.4", "1.5", "1.6"]
    let html = try await page(["metric": "events", "by": "version"]) { query in
      var answer = QueryAnswer()
      answer.totals = [100]
      answer.timeLabels = ["1970-01-01"]
      if query.groups.count == 2 {
        answer.rows = versions.map { .init(dimensions: [.text("1970-01-01"), .text($0)], metrics: [10]) }
      } else if query.groups.first?.dimension == .version {
        answer.rows = versions.map { .init(dimensions: [.text($0)], metrics: [10]) }
        answer.totalRows = versions.count
      } else {
        answer.rows = [.init(dimensions: [.text("1970-01-01")], metrics: [query.scope.filters.isEmpty ? 100 : 20])]
      }
      return answer
    }
    let keys = html.matches(of: /<span class="key c(\d)">([^<]*)</).prefix(9)
    #expect(keys.map { String($0.2) } == ["1.0b2", "1.0", "1.2", "1.3", "1.4", "1.9", "1.10", "2.0", "Other"])
    #expect(Set(keys.prefix(8).map { String($0.1) }) == Set((1...8).map(String.init)))
    #expect(keys.last.map { String($0.1) } == "9", "the others have a colour of their own")
    #expect(html.contains("8 of 10 values, the others as one line"))
    #expect(PageScanner(html).text.contains("20"))
  }

  @Test func `the number 1 and the text "1" of a property lead to pages of their own`() async throws {
    let html = try await page(["metric": "events", "by": "property:Plan"]) { query in
      var answer = QueryAnswer()
      answer.totals = [3]
      answer.timeLabels = ["1970-01-01"]
      let values: [QuestionValue] = [.number(1), .text("1")]
      answer.rows = values.map { value in
        .init(
          dimensions: query.groups.map { $0.dimension == .time(.day) ? .text("1970-01-01") : value }, metrics: [1])
      }
      return answer
    }
    let links = PageScanner(html).tags.compactMap { $0["href"] }
    for filter in ["property:Plan+is_number+1", "property:Plan+is_text+1"] {
      #expect(links.contains { $0.hasSuffix("f1=\(filter)") }, "\(filter)")
    }
  }

  @Test func `with a breakdown the earlier total stands beside the total, and not among the parts`() async throws {
    let html = try await sample.question(
      .explore, ["from": "2026-05-24", "to": "2026-05-29", "compare": "before", "by": "version"])
    #expect(!html.contains("past\">18 May"))
    #expect(html.contains("All, 18 May – 23 May 2026"))
  }

  @Test(arguments: [
    (0, "0 s"), (5, "5 s"), (12.5, "12.5 s"), (59.96, "1 min"), (125, "2 min 5 s"), (120, "2 min"), (3_605, "1 h"),
    (7_260, "2 h 1 min"), (90_000, "1 d 1 h"),
  ])
  func `durations have units`(seconds: Double, text: String) {
    #expect(durationText(seconds: seconds) == text && ChartFormat.duration.text(seconds) == text)
  }

  @Test func `a value is suggested by its name`() {
    let (country, language) = (QuestionDimension.country.suggestion("US"), QuestionDimension.language.suggestion("de"))
    #expect(country.value == "United States" && country.label == "US")
    #expect(language.value == "de" && language.label == "German")
    let version = QuestionDimension.version.suggestion("1.0")
    #expect(version.value == "1.0" && version.label == nil)
    #expect(FilterRow("country", value: QuestionDimension.country.suggestion("GB").value).value == "GB")
  }
}
