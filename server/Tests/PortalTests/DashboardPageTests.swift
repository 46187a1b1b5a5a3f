import Ingest
import Questions
import Reports
import ReportsTestSupport
import ServerBase
import TernBase
import Testing
import Warehouse

@testable import Portal

/// The cards of dashboards.
@Suite struct DashboardPageTests {
  private let sample: SamplePages
  private let today = Day(number: 20_000)

  init() throws { sample = try SamplePages("3.3.0") }

  /// The dashboard with some cards, and the questions that they ask.
  private func page(
    _ cards: [DashboardCard], visit: PageVisit? = nil, firstKeptDay: Day? = nil,
    _ answer: @escaping @Sendable (Question) -> Answer
  ) async throws -> (html: String, asked: [Question]) {
    let board = Dashboard(id: 4, app: sample.app.id, name: "Board", cards: cards, author: "", changed: SamplePages.now)
    let (asked, today) = (Locked<[Question]>([]), today)
    let html = try await DashboardPage(
      visit ?? sample.visit, board, of: [board], app: sample.app, apps: [sample.app], today: today,
      ask: QuestionAsker { question in
        asked.withLock { $0.append(question) }
        let result = QuestionResult(answer(question), rowsRead: 1, firstKeptDay: firstKeptDay)
        return try #require(AnsweredQuestion(question.resolved(today: today), result, milliseconds: 0))
      }
    ).html()
    return (html, asked.withLock { $0 })
  }

  /// The large figure of the first card, as text.
  private func figure(_ html: String) -> String? {
    html.firstMatch(of: /<div class="headline">(.*)<\/div>/).map { PageScanner(String($0.1)).text }
  }

  /// A total of 100 for each day of the range before today, and of 7 for today.
  private func total(_ question: Question, _ perDay: @Sendable (Day) -> Double) -> Answer {
    let days = question.scope.range.resolved(today: today)
    var answer = QueryAnswer()
    answer.timeLabels = [days.lowerBound.description]
    answer.rows = [.init(dimensions: [.text(days.lowerBound.description)], metrics: [5])]
    answer.totals = [(0..<days.count).reduce(0) { $0 + perDay(days.lowerBound.advanced(by: $1)) }]
    return .query(answer)
  }

  @Test func `a card of Explore shows its total, the change since the previous period and its days`() async throws {
    let today = today
    let card = DashboardCard(name: "Events", page: "explore", query: "metric=events&days=7")
    let (html, asked) = try await page([card]) { question in
      total(question) { $0 == today ? 7 : $0 > today.advanced(by: -7) ? 110 : 100 }
    }
    let days = (today.advanced(by: -6)...today).text
    #expect(figure(html) == "667+10.0 % 660 without today, 600 before · \(days)")
    #expect(asked.count == 3, "the chart, and both sides of the change")
    let again = DashboardCard(name: "Events", page: "explore", query: "metric=events&days=7&compare=before")
    #expect(figure(try await page([again]) { total($0) { _ in 100 } }.html)?.contains("0.0 %") == true)
  }

  @Test func `a card has no change if rows of the previous period are gone`() async throws {
    let card = DashboardCard(name: "Events", page: "explore", query: "metric=events&days=7")
    let html = try await page([card], firstKeptDay: today.advanced(by: -8)) { total($0) { _ in 100 } }.html
    #expect(figure(html) == "700\((today.advanced(by: -6)...today).text)")
  }

  @Test func `the card of a funnel shows who took all steps, and the change in percentage points`() async throws {
    let today = today
    let card = DashboardCard(name: "Checkout", page: "funnels", query: "s1=event+a&s2=event+b&days=7&by=version")
    let (html, asked) = try await page([card]) { question in
      let isBefore = question.scope.range.resolved(today: today).upperBound < today.advanced(by: -6)
      return .funnel(
        FunnelAnswer(
          groups: [
            .init(value: nil, steps: 2, attempts: Array(repeating: [0, 5], count: isBefore ? 1 : 2) + [[0], [0]])
          ]))
    }
    #expect(
      figure(html)
        == "50.0 %+16.7 pp 50.0 % without today, 33.3 % before · took all steps, \((today.advanced(by: -6)...today).text)"
    )
    #expect(asked.count == 4, "the funnel, its values, and both sides of the change")
  }

  @Test func `the card of releases shows the newest one against the one before`() async throws {
    let card = DashboardCard(name: "Releases", page: "releases", query: "")
    let html = try await page([card]) { _ in SampleAnswers.answer(.releases) }.html
    guard case .releases(let answer) = SampleAnswers.answer(.releases) else { return }
    let release = try #require(answer.releases.first)
    let text = try #require(figure(html))
    #expect(text.contains(preciseShare(try #require(release.figures.crashFreeUsers.value))))
    #expect(text.contains("crash-free users of \(release.version.prefix(5))"))
    #expect(text.contains(" in \(try #require(release.comparison).previous)"))
  }

  @Test func `each card has forms that change it, for editors alone`() async throws {
    let cards = ["A", "B", "C"].map { DashboardCard(name: $0, page: "explore", query: "") }
    let html = try await page(cards) { total($0) { _ in 1 } }.html
    let labels = PageScanner(html).tags.compactMap { $0["aria-label"] }
    #expect(["Move A right", "Move B left", "Move B right", "Move C left"].allSatisfy(labels.contains))
    #expect(!labels.contains("Move A left") && !labels.contains("Move C right"))
    #expect(labels.contains("Make wide: B") && labels.contains("Rename B"))
    #expect(labels.contains("Remove B from this dashboard"))
    var viewer = sample
    viewer.reader = PortalReader(canEdit: false, isOwner: false)
    let seen = try await page(cards, visit: viewer.visit) { total($0) { _ in 1 } }.html
    #expect(!seen.contains("cardmenu") && !seen.contains("class=\"grip\""))
  }

  @Test func `a value has one colour on all cards`() async throws {
    let cards = [
      DashboardCard(name: "Users", page: "explore", query: "by=version"),
      DashboardCard(name: "Checkout", page: "funnels", query: "s1=event+a&s2=event+b&by=version"),
    ]
    let html = try await page(cards) { question in
      switch question {
      case .query(let query):
        var answer = QueryAnswer()
        let values = ["3.2.0", "3.3.0"]
        answer.timeLabels = ["2024-10-04"]
        answer.rows = values.map { value in
          .init(
            dimensions: query.groups.count > 1
              ? [.text("2024-10-04"), .text(ExactText(value))] : [.text(ExactText(value))], metrics: [1, 1])
        }
        (answer.totals, answer.totalRows) = ([2], 2)
        return .query(answer)
      default:
        // The largest first.
        return .funnel(
          FunnelAnswer(
            groups: ["3.3.0", "3.2.0"].enumerated().map {
              .init(value: .text(ExactText($1)), steps: 2, attempts: Array(repeating: [0, 5], count: 9 - $0))
            }))
      }
    }.html
    for version in ["3.2.0", "3.3.0"] {
      let colors = html.matches(of: /<span class="key (c\d)">([^<]*)</).filter { $0.2 == version }.map(\.1)
      #expect(colors.count >= 2 && Set(colors).count == 1, "\(version)")
    }
  }
}
