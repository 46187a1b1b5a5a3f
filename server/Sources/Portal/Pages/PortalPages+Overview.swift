import Reports
import Warehouse

extension PortalPages {
  /// The page of the most important numbers: tiles, events and sessions, active users, and the top of the lists.
  func overviewPage(_ page: PageContext) async throws -> String {
    let request = page.request
    let metrics = try await OverviewMetrics(request, from: page.store)
    let before = try await OverviewMetrics(request.previous, from: page.store)
    let days = metrics.days.map(\.date)
    let traffic = Chart(
      id: "traffic", title: "Events and sessions per day, \(request.days.text)", days: days,
      series: [
        .init(name: "Events", values: metrics.days.map(\.events), isFilled: true, color: 1),
        .init(name: "Sessions", values: metrics.days.map(\.sessions), color: 2),
      ], endsToday: request.days.upperBound == request.today)
    let users = Chart(
      id: "users", title: "Active users per day, \(request.days.text)", days: days,
      series: [
        .init(name: "Monthly", values: metrics.days.map(\.mau), isFilled: true, color: 3),
        .init(name: "Weekly", values: metrics.days.map(\.wau), color: 4),
        .init(name: "Daily", values: metrics.days.map(\.dau), isFilled: true, color: 1),
      ], endsToday: request.days.upperBound == request.today)
    let view = OverviewView(
      tiles: tiles(Self.overviewTiles(metrics, before, request)), traffic: traffic.html(), users: users.html(),
      trafficTable: table(
        ["Day", "Events", "Sessions"],
        metrics.days.reversed().map { [$0.date.weekdayText, grouped($0.events), grouped($0.sessions)] }),
      usersTable: table(
        ["Day", "Daily", "Weekly", "Monthly"],
        metrics.days.reversed().map { [$0.date.weekdayText, grouped($0.dau), grouped($0.wau), grouped($0.mau)] }),
      panels: try await panels(metrics.totals.users, page))
    return self.page(page.shell, body: templates.render("overview", view))
  }

  private static func overviewTiles(
    _ metrics: OverviewMetrics, _ before: OverviewMetrics, _ request: ReportRequest
  ) -> [Tile] {
    let line = metrics.days.prefix(request.settledDays)
    let (now, then) = (metrics.totals, before.totals)
    func ratio(_ part: Int, _ whole: Int) -> Double { whole > 0 ? Double(part) / Double(whole) : 0 }
    let (perUser, perUserBefore) = (ratio(now.sessions, now.users), ratio(then.sessions, then.users))
    return [
      Tile(
        "Active users", grouped(now.users), change: Change(Double(now.users), before: Double(then.users), in: request),
        hint: "\(grouped(now.wau)) in the 7 days to \(request.days.upperBound.shortText)",
        spark: Sparkline.svg(line.map(\.dau), color: 3)),
      Tile(
        "Sessions", grouped(now.sessions),
        change: Change(Double(now.sessions), before: Double(then.sessions), in: request),
        hint: "\(decimal(ratio(now.sessions, metrics.days.count))) per day",
        spark: Sparkline.svg(line.map(\.sessions), color: 2)),
      Tile(
        "Events", grouped(now.events), change: Change(Double(now.events), before: Double(then.events), in: request),
        hint: "\(decimal(ratio(now.events, metrics.days.count))) per day",
        spark: Sparkline.svg(line.map(\.events), color: 1)),
      Tile(
        "Sessions per user", decimal(perUser),
        change: Change(perUser, before: perUserBefore, in: request, unit: "per user"),
        hint: "\(decimal(ratio(now.events, now.sessions))) events per session",
        spark: Sparkline.svg(line.map { hundredths($0.sessions, per: $0.dau) }, color: 4)),
    ]
  }

  /// The number of rows in a panel.
  private static let panelRows = 6
  /// The number of keys with the most events among which a panel looks for those with the most users: ordering all keys
  /// by users would require the set of users of each.
  private static let candidates = 24

  private func panels(_ users: Int, _ page: PageContext) async throws -> [BarPanel] {
    let (request, links) = (page.request, page.links)
    func part(_ some: Int) -> Double { users > 0 ? Double(some) / Double(users) : 0 }
    func byUsers(_ ranking: Ranking) async throws -> [BarRow] {
      try await request.ranking(ranking, limit: Self.candidates, from: page.store)
        .sorted { ($1.users, $0.key) < ($0.users, $1.key) }.prefix(Self.panelRows).map {
          BarRow(shown($0.name, empty: ranking.emptyKey), $0.users, part($0.users), color: ranking.color)
        }
    }
    let events = try await request.ranking(AppReports.eventRanking, limit: Self.panelRows, from: page.store)
    return [
      BarPanel(
        heading: "Top events", link: links.page(AppReports.events), moreText: "All events",
        bars: events.map {
          BarRow(shown($0.name), $0.count, $0.share, link: links.page(AppReports.event, [.event: $0.key]))
        }),
      BarPanel(
        heading: "Versions", link: links.page(AppReports.versions), moreText: "All versions",
        bars: try await byUsers(AppReports.versionRanking), unit: "users"),
      BarPanel(
        heading: "Countries", link: links.page(AppReports.countries), moreText: "All countries",
        bars: try await byUsers(AppReports.countryRanking), unit: "users"),
    ]
  }
}

private struct OverviewView {
  var tiles: String
  var traffic: String
  var users: String
  var trafficTable: String
  var usersTable: String
  var panels: [BarPanel]
}

/// A short list with a bar under each line.
struct BarPanel {
  var heading: String
  var link: String
  var hasLink: Bool
  var moreText: String
  var unit: String
  var note: String
  var bars: [BarRow]
  var isEmpty: Bool

  init(
    heading: String, link: String? = nil, moreText: String = "", bars: [BarRow], unit: String = "events",
    note: String = ""
  ) {
    self.heading = heading
    self.link = link ?? ""
    hasLink = link != nil
    self.moreText = moreText
    self.unit = unit
    self.note = note
    self.bars = bars
    isEmpty = bars.isEmpty
  }
}

/// A line of such a list.
struct BarRow {
  var label: String
  var target: String
  var isLinked: Bool
  var amount: String
  var percent: String
  var bar: String

  init(_ label: String, _ amount: Int, _ share: Double, link: String? = nil, color: Int = 1) {
    self.label = label
    target = link ?? ""
    isLinked = link != nil
    self.amount = grouped(amount)
    percent = percentage(share)
    bar = ShareBar.svg(share, color: color)
  }
}
