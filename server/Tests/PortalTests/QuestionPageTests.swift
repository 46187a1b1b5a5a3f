import Foundation
import Ingest
import Questions
import Reports
import ReportsTestSupport
import TernBase
import Testing
import Warehouse

@testable import Portal

@Suite struct QuestionPageTests {
  private let sample: SamplePages

  init() throws { sample = try SamplePages("Play") }

  /// The questions that a page asks; those that it asks at the same time are in any order.
  private func asked(
    _ page: QuestionPage, _ parameters: [String: String], today: Day = Day(number: 1)
  ) async throws -> [Question] {
    let asked = Locked<[Question]>([])
    _ = try await QuestionFormPage(
      sample.visit, page, parameters, app: sample.app, apps: [], days: today.advanced(by: -1)...today,
      from: sample.source,
      ask: QuestionAsker { question in
        asked.withLock { $0.append(question) }
        return try #require(AnsweredQuestion(question, SampleAnswers.result(question.kind), milliseconds: 0))
      }
    ).html()
    return asked.withLock { $0 }
  }

  @Test func `a funnel of the form is the question of its steps`() async throws {
    let asked = try await asked(
      .funnels,
      [
        "k1": "screen", "n1": "Home", "n2": "Play", "k3": "crash", "window": "2h", "days": "7", "identity": "user",
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
    let asked = try await asked(.explore, ["metric": "crashes", "by": "version", "interval": "week"])
    let metrics: [QuestionMetric] = [.plain(.crashes)]
    let timeline = QueryQuestion(
      metrics: metrics, groups: [.init(.time(.week))], includesTotals: true, includesTimeLabels: true)
    let ranking = QueryQuestion(metrics: metrics, groups: [.init(.version)], includesTotalRows: true, limit: 50)
    guard case .query(let sampled) = SampleAnswers.result(.query).answer else {
      Issue.record("the sample is no query")
      return
    }
    let largest = sampled.rows.prefix(4).compactMap { $0.dimensions.first ?? nil }
    let lines = QueryQuestion(
      scope: QuestionScope(filters: [.any(largest.map { .isOneOf(.version, [$0]) })]), metrics: metrics,
      groups: [.init(.time(.week)), .init(.version)], limit: 100_000 * largest.count)
    #expect(!largest.isEmpty && asked.count == 3)
    for question in [timeline, ranking, lines] { #expect(asked.contains(.query(question))) }
  }

  @Test func `retention asks for twelve weeks, and links to people name them, since theirs are thirty days`()
    async throws
  {
    #expect(try await asked(.retention, [:]) == [.retention(RetentionQuestion(scope: QuestionScope(range: .days(84))))])
    let links = PageScanner(try await sample.question(.retention, [:])).tags.compactMap { $0["href"] }
    #expect(links.contains { $0.hasPrefix("/apps/1/people?days=84&amp;group=cohort") })
    #expect(links.contains("/apps/1/explore") && !links.contains { $0.hasPrefix("/apps/1/explore?days") })
    let days = PageScanner(try await sample.question(.retention, ["days": "30"])).tags.compactMap { $0["href"] }
    #expect(days.contains { $0.hasPrefix("/apps/1/people?group=cohort") })
  }

  @Test func `a range of two dates needs both`() {
    for (name, other) in [("from", "to"), ("to", "from")] {
      let form = QuestionForm(.explore, [name: "2026-05-24"], segments: [])
      let error = #expect(throws: QuestionError.self) { try form.range() }
      #expect(error.flatMap { form.fault($0)?.field } == other)
    }
  }

  @Test func `each day of a chart leads editors to the form for a note about it`() async throws {
    func links(_ reader: PortalReader) async throws -> [String] {
      var sample = sample
      sample.reader = reader
      return PageScanner(try await sample.question(.explore, [:])).tags.compactMap { $0["href"] }
        .filter { $0.contains("annotations?") }
    }
    #expect(try await links(PortalReader()).contains("/apps/1/annotations?day=2026-05-29#add"))
    #expect(try await links(PortalReader(canEdit: false)).isEmpty)
  }

  @Test func `Explore divides a figure of some rows by one of others, and names both`() async throws {
    let parameters = [
      "metric": "events", "k0": "event", "n0": "Purchase", "per": "users", "k1": "screen", "n1": "Cart",
    ]
    let quotient = DerivedMetric(
      .init(.plain(.events), of: Selector(.event("Purchase"))),
      per: .init(.plain(.users), of: Selector(.screen("Cart"))))
    #expect(
      try await asked(.explore, parameters) == [
        .query(
          QueryQuestion(
            metrics: [.derived(quotient)], groups: [.init(.time(.day))], includesTotals: true, includesTimeLabels: true)
        )
      ])
    let page = try await sample.question(.explore, parameters)
    #expect(page.contains("Events of Purchase ÷ users of Cart by day"))
    #expect(PageScanner(page).tags.contains { $0["name"] == "n1" && $0["value"] == "Cart" })
    #expect(page.contains("metric=events&amp;event=Purchase&amp;per=users&amp;perof=screen+Cart"))
    // A form whose divisor was taken back still has the fields of its rows.
    let form = QuestionForm(.explore, parameters.filter { $0.key != "per" }, segments: [])
    #expect(form.query() == "metric=events&event=Purchase")
  }

  @Test func `a number in a filter of a property means the number and the text`() async throws {
    let asked = try await asked(.paths, ["f1": "property:Length", "v1": "10"])
    #expect(asked.first?.scope.filters == [.isOneOf(.property("Length"), [.text("10"), .number(10)])])
  }

  @Test(arguments: ["session_duration_avg", "session_duration_p50", "session_duration_p90", "sessions"])
  func `pages and cards with session durations say that pauses are left out`(metric: String) async throws {
    let pauses = "Pauses of 30 minutes and more are left out."
    let isDuration = metric != "sessions"
    let page = PageScanner(try await sample.question(.explore, ["metric": metric])).text
    #expect(page.contains(pauses) == isDuration)
    var guest = sample
    guest.reader = PortalReader(isGuest: true)
    let dashboard = Dashboard(
      id: 3, app: sample.app.id, name: "Board",
      cards: [DashboardCard(name: "Card", page: "explore", query: "metric=\(metric)")], author: "",
      changed: SamplePages.now)
    let html = try await DashboardPage(
      guest.visit, dashboard, of: [dashboard], app: sample.app, apps: [sample.app], today: Day(number: 1),
      ask: QuestionAsker { try #require(AnsweredQuestion($0, SampleAnswers.result($0.kind), milliseconds: 0)) }
    ).html()
    #expect(html.contains("<p class=\"more\">Session durations: \(pauses)</p>") == isDuration)
  }

  @Test func `a page without enough in its form asks nothing and says what is missing`() async throws {
    #expect(try await asked(.funnels, ["n1": "Home"]).isEmpty)
    #expect(try await sample.question(.funnels, ["n1": "Home"]).contains("Choose two steps"))
  }

  @Test(arguments: [
    (QuestionPage.explore, ["days": "someday"], "days"), (.explore, ["by": "colour"], "by"),
    (.explore, ["metric": "avg"], "property"), (.explore, ["metric": "visits"], "metric"),
    (.explore, ["from": "2026-05-01", "to": "soon"], "to"), (.explore, ["segment": "9"], "segment"),
    (.funnels, ["n1": "A", "n2": "B", "window": "soon"], "window"), (.paths, ["depth": "x"], "depth"),
    (.retention, ["interval": "hour"], "interval"), (.lifecycle, ["f1": "country is DE", "f2": "colour is red"], "f2"),
    (.people, ["f1": "property:Length gt long"], "f1"), (.paths, ["f1": "country gt 3"], "f1"),
    (.explore, ["by": "property:Length", "bins": "0, ten, 100"], "bins"),
    (.explore, ["by": "property:Length", "bins": "nan"], "bins"),
  ])
  func `what does not exist is refused beside its field, in words`(
    page: QuestionPage, parameters: [String: String], field: String
  ) async throws {
    let html = try await sample.question(page, parameters)
    let scanner = PageScanner(html)
    let marked = scanner.tags.filter { $0["aria-invalid"] == "true" }
    #expect(marked.map { $0["name"] } == [field])
    #expect(marked.first?["aria-describedby"] == "fault-\(field)")
    #expect(scanner.tags.filter { $0["id"] == "fault-\(field)" }.count == 1)
    #expect(!html.contains("$."))
  }

  @Test func `the segment is not blamed for a filter that has no field`() async throws {
    let html = try await sample.question(.explore, ["segment": "1", "filters": #"[["sometimes"]]"#])
    #expect(!html.contains(QuestionForm.missingSegment) && !html.contains("aria-invalid"))
    #expect(html.contains("<p class=\"notice\" role=\"alert\">"))
  }

  @Test func `filters that are no JSON array are refused, not left out`() async throws {
    for filters in ["x", "{}", "[["] {
      let html = try await sample.question(.explore, ["filters": filters])
      #expect(html.contains("a JSON array") && html.contains("<p class=\"notice\" role=\"alert\">"))
    }
  }

  @Test func `buckets are said to be of equal width only if the page chose them`() async throws {
    let html = try await sample.question(.explore, ["by": "property:Length", "bins": "0, 10, 100"])
    #expect(html.contains("Numbers in buckets; the last one has all that are larger."))
  }

  @Test func `a field that is refused keeps its value, and so do the others`() async throws {
    let page = PageScanner(
      try await sample.question(.explore, ["by": "colour", "event": "Kept", "f1": "country is DE"]))
    for (name, value) in [("by", "colour"), ("n0", "Kept"), ("f1", "country is DE")] {
      #expect(page.tags.contains { $0["name"] == name && $0["value"] == value }, "\(name)")
    }
    #expect(page.text.contains("There is no “colour”."))
  }

  @Test(arguments: [
    (QuestionPage.funnels, "window", "soon", "$.window"), (.funnels, "by", "color", "$.breakdown"),
    (.retention, "interval", "hour", "$.interval"), (.paths, "depth", "1", "$.depth"),
    (.paths, "depth", "x", "$.depth"),
    (.lifecycle, "identity", "device", "$.by"), (.explore, "metric", "visits", "$.metrics[0]"),
    (.explore, "per", "visits", "$.metrics[0].per.metric"), (.explore, "perof", "event A", "$.metrics[0].per"),
    (.explore, "segment", "9", "$.filters[0][1]"), (.people, "before", "x", "$.before"),
  ])
  func `a field with a fault is named by its member of the question`(
    page: QuestionPage, field: String, value: String, path: String
  ) throws {
    let error = #expect(throws: QuestionError.self) {
      try page.question(["n1": "A", "n2": "B", field: value], segments: sample.segments)
    }
    #expect(error?.path == path)
  }

  @Test func `a question beyond its limits is explained on its page`() async throws {
    let page = try await QuestionFormPage(
      sample.visit, .paths, [:], app: sample.app, apps: [], days: Day(number: 0)...Day(number: 1), from: sample.source,
      ask: QuestionAsker { _ in throw QuestionError("Ask for fewer days.", at: "$", code: .tooSlow) }
    ).html()
    #expect(page.contains("<p class=\"notice\" role=\"alert\">Ask for fewer days.</p>"))
  }

  @Test func `figures lead to the people behind them, for readers who may see them`() async throws {
    let parameters = ["n1": "A", "n2": "B", "f1": "country", "v1": "DE"]
    let link =
      "/apps/1/people?s1=event+A&amp;s2=event+B&amp;group=funnel&amp;step=2&amp;dropped=1&amp;f1=country+is+DE"
    #expect(try await sample.question(.funnels, parameters).contains("href=\"\(link)\""))
    var reader = sample
    reader.reader = PortalReader(canEdit: false, seesPersonalData: false, isOwner: false)
    let page = try await QuestionFormPage(
      reader.visit, .funnels, parameters, app: sample.app, apps: [], days: Day(number: 0)...Day(number: 1),
      from: sample.source,
      ask: QuestionAsker { try #require(AnsweredQuestion($0, SampleAnswers.result($0.kind), milliseconds: 0)) }
    ).html()
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

  @Test(arguments: [
    ("crashes", #"["is","kind",["crash"]]"#), ("crash_free_users", #"["is","kind",["crash"]]"#),
    ("session_starts", #"["is","kind",["session_start"]]"#), ("users", nil), ("new_users", nil),
  ])
  func `the people behind a figure of Explore are those of its place, its value and its metric`(
    metric: String, filter: String?
  ) async throws {
    let parameters = [
      "group": "figure", "metric": metric, "interval": "hour", "at": "2026-10-29T14:00", "by": "version",
      "type": "text", "value": "1.0", "f1": "country", "v1": "DE",
    ]
    let kind: [QuestionFilter] =
      filter.map { $0.contains("crash") ? "crash" : "session_start" }
      .map { [.isOneOf(.kind, [.text($0)])] } ?? []
    let filters: [QuestionFilter] = [
      .isOneOf(.country, [.text("DE")]), .isOneOf(.time(.hour), [.text("2026-10-29T14:00")]),
      .isOneOf(.version, [.text("1.0")]),
    ]
    let group: PersonsQuestion.Group = metric == "new_users" ? .new(in: .init(.hour, "2026-10-29T14:00")) : .all
    #expect(
      try await asked(.people, parameters) == [
        .persons(PersonsQuestion(scope: QuestionScope(filters: filters + kind), group: group))
      ])
  }

  @Test func `figures of Explore lead to people: the total, each unit of time and each value`() async throws {
    let page = try await sample.question(.explore, ["metric": "events", "by": "version"])
    let links = PageScanner(page).tags.compactMap { $0["href"] }.filter { $0.contains("/people?") }
    let start = "/apps/1/people?metric=events&amp;by=version&amp;group=figure"
    #expect(links.first == start)
    #expect(links.contains("\(start)&amp;at=2026-05-29"))
    #expect(links.contains("\(start)&amp;at=2026-05-29&amp;type=text&amp;value=Play"))
    #expect(links.contains("\(start)&amp;type=number&amp;value=2.5"))
    #expect(links.contains("\(start)&amp;type=none"))
  }

  @Test func `figures of the lifecycle and of stickiness lead to people`() async throws {
    let page = try await sample.question(.lifecycle, ["interval": "week"])
    for query in ["group=lifecycle&amp;of=2026-10-26&amp;state=returning", "group=stickiness&amp;active=3"] {
      #expect(page.contains("/apps/1/people?interval=week&amp;\(query)\""), "\(query)")
    }
    let interval = IntervalQuestion(interval: .week)
    let lifecycle = ["interval": "week", "group": "lifecycle", "of": "2026-10-26", "state": "dormant"]
    #expect(
      try await asked(.people, lifecycle) == [
        .persons(PersonsQuestion(group: .lifecycle(interval, of: "2026-10-26", .dormant)))
      ])
    #expect(
      try await asked(.people, ["interval": "week", "group": "stickiness", "active": "3"]) == [
        .persons(PersonsQuestion(group: .stickiness(interval, intervals: 3)))
      ])
  }

  @Test func `the form above people keeps their group`() async throws {
    let group = [
      "group": "cohort", "of": "2026-10-29", "after": "1", "order": "strict", "value": "v", "start": "crash",
    ]
    let page = PageScanner(try await sample.question(.people, group))
    for (name, value) in group {
      #expect(page.tags.contains { $0["type"] == "hidden" && $0["name"] == name && $0["value"] == value }, "\(name)")
    }
  }

  @Test func `Explore compares with as many days before, and changes only over days that are over`() async throws {
    let days = ["from": "2026-05-24", "to": "2026-05-30", "compare": "before"]
    let asked = try await asked(.explore, days, today: Day(year: 2026, month: 5, day: 30))
    func dates(_ first: Int, _ last: Int) -> QuestionRange {
      .dates(Day(year: 2026, month: 5, day: first), Day(year: 2026, month: 5, day: last))
    }
    #expect(asked.count == 3)
    for range in [dates(24, 30), dates(24, 29), dates(17, 22)] {
      #expect(asked.contains { $0.scope.range == range })
    }
  }

  @Test(arguments: [QuestionPage.funnels, .retention, .paths, .lifecycle])
  func `pages compare with as many days before, and with a segment`(page: QuestionPage) async throws {
    let parameters = ["n1": "A", "n2": "B", "from": "2026-05-24", "to": "2026-05-30"]
    let alone = page == .lifecycle ? 2 : 1
    #expect(try await asked(page, parameters).count == alone)
    let before = parameters.merging(["compare": "before"]) { $1 }
    let past = QuestionRange.dates(Day(year: 2026, month: 5, day: 17), Day(year: 2026, month: 5, day: 23))
    #expect(try await asked(page, before).count { $0.scope.range == past } == alone)
    #expect(try await sample.question(page, before).contains("17 May – 22 May 2026"))
    let segment = parameters.merging(["compare": "segment-1"]) { $1 }
    let asked = try await asked(page, segment)
    #expect(asked.count { $0.scope.filters.flatMap(\.dimensions) == [.country] } == alone && asked.count == 2 * alone)
  }

  @Test(arguments: [QuestionPage.paths, .lifecycle])
  func `paths, lifecycle and stickiness show pictures with their numbers, or the numbers alone`(page: QuestionPage)
    async throws
  {
    let pictures = ["<figure class=\"chart\">", "<div class=\"flow\""]
    let drawn = try await sample.question(page, [:])
    #expect(pictures.contains { drawn.contains($0) })
    let table = try await sample.question(page, ["show": "table"])
    #expect(!pictures.contains { table.contains($0) })
    #expect(table.components(separatedBy: "<table class=\"heat\">").count > (page == .lifecycle ? 2 : 1))
  }

  @Test func `a funnel's figures of one value lead to the people with that value`() async throws {
    let parameters = ["n1": "A", "n2": "B", "by": "version"]
    let page = try await sample.question(.funnels, parameters)
    let link =
      "/apps/1/people?by=version&amp;s1=event+A&amp;s2=event+B&amp;group=funnel&amp;step=2&amp;dropped=1"
    #expect(page.contains("href=\"\(link)&amp;type="))
    let funnel = FunnelQuestion(steps: [Selector(.event("A")), Selector(.event("B"))], breakdown: .version)
    let group = parameters.merging(["group": "funnel", "step": "2"]) { $1 }
    let groups: [([String: String], QuestionValue?)] = [
      (["type": "text", "value": "1.0"], .text("1.0")), (["type": "none"], nil),
    ]
    for (value, expected) in groups {
      #expect(
        try await asked(.people, group.merging(value) { $1 }) == [
          .persons(PersonsQuestion(group: .funnel(funnel, step: 2, dropped: false, value: .some(expected))))
        ])
    }
  }

  @Test func `sessions of paths lead to the people who took them`() async throws {
    let page = try await sample.question(.paths, ["n1": "Home", "k1": "screen"])
    #expect(page.contains("group=path"))
    let (home, play) = (QuestionValue.text(ExactText("Home")), QuestionValue.text(ExactText("Play")))
    let parameters = [
      "n1": "Home", "k1": "screen", "nodes": "both", "group": "path", "step": "2", "k2": "screen", "n2": "Home",
      "k3": "event", "n3": "Play",
    ]
    #expect(
      try await asked(.people, parameters) == [
        .persons(
          PersonsQuestion(
            group: .path(
              PathsQuestion(nodes: .both, anchor: .start(Selector(.screen("Home")))),
              .init(step: 2, from: .init(isScreen: true, name: home), to: .init(isScreen: false, name: play)))))
      ])
  }

  @Test func `Explore shows a chart with its numbers, or the numbers alone`() async throws {
    let chart = try await sample.question(.explore, ["interval": "hour"])
    #expect(chart.contains("<figure class=\"chart\">") && chart.contains("Show as a table"))
    let table = try await sample.question(.explore, ["show": "table"])
    #expect(!table.contains("<figure class=\"chart\">") && table.contains("Users per day"))
  }

  @Test func `retention marks figures of intervals that are not over, and leaves them out of the curve`() async throws {
    let page = try await sample.question(.retention, ["interval": "day"])
    // The second cohort's second day is the unfinished 28 October, as is the first one's third.
    #expect(page.components(separatedBy: "<td class=\"open\">").count - 1 == 2)
    // The one finished figure: 4 of 10 in the first cohort.
    #expect(page.contains("All cohorts<b>40.0 %</b>"))
  }

  @Test func `a cohort of which the range has a part is marked, and is in no curve`() async throws {
    let answer = RetentionAnswer(
      cohorts: [
        .init(value: nil, interval: "2026-10-26", values: [8, 1, 1]),
        .init(value: nil, interval: "2026-11-02", values: [20, 10]),
      ], partial: ["2026-10-26", "2026-11-16"])
    let page = try await QuestionFormPage(
      sample.visit, .retention, [:], app: sample.app, apps: [], days: Day(number: 0)...Day(number: 1),
      from: sample.source,
      ask: QuestionAsker { question in
        try #require(AnsweredQuestion(question, QuestionResult(.retention(answer), rowsRead: 1), milliseconds: 0))
      }
    ).html()
    let text = PageScanner(page).text
    #expect(text.contains("Week of 26 Oct 2026, in part") && !text.contains("Week of 2 Nov 2026, in part"))
    // The size and the two shares of the first cohort.
    #expect(page.components(separatedBy: "<td class=\"open\">").count - 1 == 3)
    #expect(page.contains("All cohorts<b>50.0 %</b>"))
  }

  @Test(arguments: [[:], ["days": "7"]])
  func `downloads lead to the page's own address with a format`(parameters: [String: String]) async throws {
    let page = try await QuestionFormPage(
      sample.visit, .retention, parameters, app: sample.app, apps: [], days: Day(number: 0)...Day(number: 1),
      from: sample.source,
      ask: QuestionAsker { try #require(AnsweredQuestion($0, SampleAnswers.result($0.kind), milliseconds: 0)) }
    ).html()
    let query = parameters.isEmpty ? "" : "days=7&amp;"
    #expect(page.contains("href=\"/apps/\(sample.app.id)/retention?\(query)format=csv\""))
  }

  @Test func `a page has the command that asks the same`() async throws {
    let page = try await sample.question(.funnels, ["n1": "It's", "n2": "B"])
    let text = PageScanner(page).text
    #expect(text.contains("/api/v1/apps/1/funnel"))
    #expect(
      text.contains(#"{&quot;event&quot;:&quot;It&#39;\&#39;&#39;s&quot;}"#),
      "a quotation mark in the shell's quotation marks")
    #expect(text.contains("Authorization: Bearer $TOKEN"))
  }

  @Test func `the page of errors shows shares without a crash, and the rest of itself if they are refused`()
    async throws
  {
    let sample = try SamplePages("3.2.0")
    let request = try sample.request("errors")
    func page(_ answer: @escaping @Sendable (Question) throws -> QuestionResult) async throws -> String {
      try await ReportPage(
        sample.visit, request, app: sample.app, from: sample.source,
        ask: QuestionAsker { question in
          try #require(AnsweredQuestion(question, try answer(question), milliseconds: 0))
        }
      ).html()
    }
    let days = request.days.map(\.description)
    let answered = try await page { question in
      guard case .query(let query) = question else { throw CancellationError() }
      let isDaily = query.groups.first?.dimension == .time(.day)
      var answer = QueryAnswer()
      answer.rows = (isDaily ? [days[0], days[2]] : ["3.2.0"]).map {
        .init(dimensions: [.text($0)], metrics: [0.9921, 0.9987, 1_000, 8_000])
      }
      answer.totals = [0.9921, 0.9987, 1_000, 8_000]
      return QuestionResult(.query(answer), rowsRead: 1)
    }
    #expect(answered.contains("99.21 %") && answered.contains("99.87 %"))
    #expect(answered.contains("Handled errors are not crashes.") && answered.contains("Crash-free by version"))
    let refused = try await page { _ in throw QuestionError("Ask for fewer days.", at: "$", code: .tooSlow) }
    #expect(refused.contains("No crash-free figures: Ask for fewer days.") && refused.contains("Handled errors"))
    let none = try await page { _ in QuestionResult(.query(QueryAnswer()), rowsRead: 0) }
    #expect(!none.contains("rash-free"))
  }
}
