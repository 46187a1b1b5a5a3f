import Alerts
import Foundation
import Outgoing
import Questions
import Reports
import ReportsTestSupport
import TernBase
import TernEvents
import Testing
import Warehouse

@testable import Portal

/// The content of reports by mail.
@Suite struct MailReportTests {
  private let sample: SamplePages

  init() throws { sample = try SamplePages("Play") }

  private func period(_ cadence: MailReport.Cadence) throws -> MailPeriod {
    let calendar = try #require(QuestionCalendar("Europe/Berlin"))
    return try #require(MailPeriod(cadence, at: SamplePages.now, in: calendar))
  }

  private func report(_ subject: MailReport.Subject, _ cadence: MailReport.Cadence) -> MailReport {
    MailReport(app: sample.app.id, subject: subject, cadence: cadence, hour: 7, recipients: [])
  }

  private func mail(
    _ cards: [DashboardCard], _ cadence: MailReport.Cadence, ask: PageVisit.Ask
  ) async throws -> [MailSection] {
    let dashboard = Dashboard(
      id: 3, app: sample.app.id, name: "Board", cards: cards, author: "", changed: SamplePages.now)
    let content = try await MailReportWriter(segments: sample.segments).content(
      report(.dashboard(3), cadence), of: sample.app, dashboards: [dashboard], try period(cadence), from: sample.source,
      now: SamplePages.now, ask: ask)
    let mail = try #require(content)
    #expect(mail.path == "/apps/1/dashboards/3" && mail.title.hasPrefix("Board, "))
    return mail.sections
  }

  @Test func `the overview has the figures of its report`() async throws {
    let content = try #require(
      try await MailReportWriter(segments: sample.segments).content(
        report(.overview, .day), of: sample.app, dashboards: [], try period(.day), from: sample.source,
        now: SamplePages.now, ask: QuestionAsker { _ in throw QuestionError("No question is asked.", at: "$") }))
    #expect(content.title == "Overview, Fri, 29 May 2026")
    #expect(content.text.contains("compared with Thu, 28 May 2026") && content.text.contains("Europe/Berlin"))
    #expect(content.path == "/apps/1/overview?from=2026-05-29&to=2026-05-29")
    let figures = try #require(content.sections.first)
    #expect(
      figures.rows.map(\.cells) == [
        ["Active users", "1", "0.0 %", "1"], ["Sessions", "1", "0.0 %", "1"], ["Events", "1", "0.0 %", "1"],
        ["Sessions per user", "1", "0.0 %", "1"],
      ])
    #expect(figures.sparklines.first?.values == [0, 0, 0, 0, 0, 1, 1])
    #expect(content.sections.dropFirst().map(\.heading) == ["Top events", "Versions", "Countries"])
    #expect(content.sections[1].rows == [.init(["Play", "1"], share: 1)])
  }

  @Test func `a card of Explore is asked for the period of the report, whatever its own days`() async throws {
    let asked = Locked<[Question]>([])
    let sections = try await mail(
      [DashboardCard(name: "Orders", page: "explore", query: "metric=events&event=Order&days=90&interval=hour")], .week,
      ask: QuestionAsker { question in
        asked.withLock { $0.append(question) }
        var answer = QueryAnswer()
        guard case .query(let query) = question else { throw QuestionError("another kind", at: "$") }
        answer.totals = [query.groups.isEmpty ? 40 : 50]
        answer.timeLabels = (18...24).map { "2026-05-\($0)" }
        answer.rows = [.init(dimensions: [.text("2026-05-20")], metrics: [50])]
        return try #require(AnsweredQuestion(question, QuestionResult(.query(answer), rowsRead: 1), milliseconds: 1))
      })
    #expect(sections.count == 1 && sections[0].heading == "Orders")
    #expect(sections[0].rows.map(\.cells) == [["Events", "50", "+25.0 %", "40"]])
    #expect(sections[0].sparklines.first?.values == [0, 0, 50, 0, 0, 0, 0])
    #expect(sections[0].sparklines.first?.caption == "Events per day, 18 May – 24 May 2026 (0 to 50)")
    let ranges = asked.withLock { $0.map(\.scope.range) }
    func days(_ first: String, _ last: String) throws -> QuestionRange {
      .dates(try #require(Day(first)), try #require(Day(last)))
    }
    #expect(ranges == [try days("2026-05-18", "2026-05-24"), try days("2026-05-11", "2026-05-17")])
  }

  @Test func `a day's figure is compared with the day before, and values of a breakdown have bars`() async throws {
    let sections = try await mail(
      [DashboardCard(name: "Users", page: "explore", query: "metric=users&by=version")], .day,
      ask: QuestionAsker { question in
        guard case .query(let query) = question else { throw QuestionError("another kind", at: "$") }
        var answer = QueryAnswer()
        if query.groups.first?.dimension == .time(.day) {
          answer.timeLabels = ["2026-05-28", "2026-05-29"]
          answer.rows = [
            .init(dimensions: [.text("2026-05-28")], metrics: [20]),
            .init(dimensions: [.text("2026-05-29")], metrics: [10]),
          ]
        } else if query.scope.range.resolved(today: Day(number: 0)).lowerBound.description == "2026-05-29" {
          answer.rows = [
            .init(dimensions: [.text("2.0")], metrics: [8]), .init(dimensions: [nil], metrics: [2]),
          ]
        } else {
          answer.rows = [.init(dimensions: [.text("2.0")], metrics: [16])]
        }
        return try #require(AnsweredQuestion(question, QuestionResult(.query(answer), rowsRead: 1), milliseconds: 1))
      })
    #expect(
      sections[0].rows == [
        .init(["Users", "10", "−50.0 %", "20"]), .init(["– 2.0", "8", "−50.0 %", "16"], share: 1),
        .init(["– (not set)", "2", "none before", "0"], share: 0.25),
      ])
  }

  @Test func `a card of session durations says in the mail that pauses are left out`() async throws {
    let cards = ["session_duration_avg", "sessions"].map {
      DashboardCard(name: $0, page: "explore", query: "metric=\($0)")
    }
    let sections = try await mail(
      cards, .day,
      ask: QuestionAsker {
        try #require(AnsweredQuestion($0, QuestionResult(.query(QueryAnswer()), rowsRead: 0), milliseconds: 0))
      })
    #expect(sections.map(\.note) == ["Session durations: Pauses of 30 minutes and more are left out.", nil])
  }

  @Test func `cards of every kind are in the mail, and one that is refused says why`() async throws {
    let cards = [
      DashboardCard(name: "Funnel", page: "funnels", query: "s1=screen+Home&s2=event+Play"),
      DashboardCard(name: "Retention", page: "retention", query: "days=90"),
      DashboardCard(name: "Paths", page: "paths", query: ""),
      DashboardCard(name: "Lifecycle", page: "lifecycle", query: "interval=week"),
      DashboardCard(name: "Slow", page: "explore", query: "metric=users"),
      DashboardCard(name: "Persons", page: "explore", query: "metric=users&f1=user+is+ann"),
      DashboardCard(name: "Unknown", page: "elsewhere", query: ""),
    ]
    let sections = try await mail(
      cards, .month,
      ask: QuestionAsker { question in
        if case .query = question { throw QuestionError("It takes too long.", at: "$", code: .tooSlow) }
        return try #require(AnsweredQuestion(question, SampleAnswers.result(question.kind), milliseconds: 0))
      })
    #expect(sections.map(\.heading) == cards.map(\.name))
    #expect(
      sections[0].rows.map(\.cells) == [
        ["1. Home", "2", "0.0 %", "2"], ["2. Play", "1", "0.0 %", "1"], ["All steps", "50.0 %", "0.0 pp", "50.0 %"],
      ])
    #expect(sections[1].rows.first?.cells == ["2026-10-26", "10", "40.0 %", "10.0 %", "–", "–"])
    #expect(sections[2].rows.first?.cells.first?.hasPrefix("Home → =cmd") ?? false)
    #expect(sections[3].columns == ["Interval", "New", "Returning", "Resurrected", "Dormant"])
    #expect(sections[4].note == "It takes too long.")
    #expect(sections[5].note?.contains("cannot name") ?? false, "persons are in no mail")
    #expect(sections[6].note?.contains("no page") ?? false)
  }

  @Test func `retention has only whole weeks`() async throws {
    let answer = RetentionAnswer(
      cohorts: [
        .init(value: nil, interval: "2026-05-04", values: [8, 1, 1, 1]),
        .init(value: nil, interval: "2026-05-11", values: [20, 10, 4]),
        .init(value: nil, interval: "2026-05-25", values: [5]),
      ], partial: ["2026-05-04", "2026-05-25"])
    let sections = try await mail(
      [DashboardCard(name: "Back", page: "retention", query: "")], .week,
      ask: QuestionAsker { question in
        try #require(AnsweredQuestion(question, QuestionResult(.retention(answer), rowsRead: 1), milliseconds: 1))
      })
    // Two weeks after the whole one is the week that the range cuts.
    #expect(sections[0].rows.map(\.cells) == [["2026-05-11", "20", "50.0 %", "–", "–", "–"]])
    #expect(sections[0].note?.hasSuffix("Only whole weeks.") ?? false)
  }

  @Test func `a report about a deleted dashboard has no mail`() async throws {
    let content = try await MailReportWriter(segments: sample.segments).content(
      report(.dashboard(9), .day), of: sample.app, dashboards: [], try period(.day), from: sample.source,
      now: SamplePages.now, ask: QuestionAsker { _ in throw QuestionError("No question is asked.", at: "$") })
    #expect(content == nil)
  }
}
