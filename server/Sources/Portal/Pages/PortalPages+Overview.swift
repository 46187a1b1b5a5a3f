import Reports
import Warehouse

extension PortalPages {
  /// Figures at a glance: tiles, events and sessions, active users, and the heads of the lists.
  func overviewPage(
    _ figures: OverviewReport, _ shell: Shell, _ request: ReportRequest, _ source: any FigureSource
  ) async throws -> String {
    let before = try await OverviewReport(request.previous, from: source)
    let links = PortalLinks(request)
    let days = figures.days.map(\.date)
    let traffic = Chart(
      id: "traffic", title: "Events and sessions per day, \(request.days.text)", days: days,
      series: [
        .init(name: "Events", values: figures.days.map(\.events), isFilled: true, color: 1),
        .init(name: "Sessions", values: figures.days.map(\.sessions), color: 2),
      ], endsToday: request.days.upperBound == request.today)
    let users = Chart(
      id: "users", title: "Active users per day, \(request.days.text)", days: days,
      series: [
        .init(name: "Monthly", values: figures.days.map(\.mau), isFilled: true, color: 3),
        .init(name: "Weekly", values: figures.days.map(\.wau), color: 4),
        .init(name: "Daily", values: figures.days.map(\.dau), isFilled: true, color: 1),
      ], endsToday: request.days.upperBound == request.today)
    let view = OverviewView(
      tiles: tiles(Self.overviewTiles(figures, before, request)), traffic: traffic.html(), users: users.html(),
      trafficTable: table(
        ["Day", "Events", "Sessions"],
        figures.days.reversed().map { [$0.date.weekdayText, grouped($0.events), grouped($0.sessions)] }),
      usersTable: table(
        ["Day", "Daily", "Weekly", "Monthly"],
        figures.days.reversed().map { [$0.date.weekdayText, grouped($0.dau), grouped($0.wau), grouped($0.mau)] }),
      panels: try await panels(figures.totals.users, request, links, source))
    return page(shell, body: templates.render("overview", view))
  }

  private static func overviewTiles(
    _ figures: OverviewReport, _ before: OverviewReport, _ request: ReportRequest
  ) -> [Tile] {
    let line = figures.days.prefix(request.settledDays)
    let (now, then) = (figures.totals, before.totals)
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
        hint: "\(decimal(ratio(now.sessions, figures.days.count))) a day",
        spark: Sparkline.svg(line.map(\.sessions), color: 2)),
      Tile(
        "Events", grouped(now.events), change: Change(Double(now.events), before: Double(then.events), in: request),
        hint: "\(decimal(ratio(now.events, figures.days.count))) a day",
        spark: Sparkline.svg(line.map(\.events), color: 1)),
      Tile(
        "Sessions per user", decimal(perUser),
        change: Change(perUser, before: perUserBefore, in: request, unit: "per user"),
        hint: "\(decimal(ratio(now.events, now.sessions))) events a session",
        spark: Sparkline.svg(line.map { hundredths($0.sessions, per: $0.dau) }, color: 4)),
    ]
  }

  private func panels(
    _ users: Int, _ request: ReportRequest, _ links: PortalLinks, _ source: any FigureSource
  ) async throws -> [BarPanel] {
    let events = try await EventsReport(request.named(.events, limit: 6), from: source).events
    let versions = try await VersionsReport(request.named(.versions, limit: 200), from: source).versions
    let countries = try await CountriesReport(request.named(.countries, limit: 300), from: source).countries
    func part(_ some: Int) -> Double { users > 0 ? Double(some) / Double(users) : 0 }
    return [
      BarPanel(
        heading: "Top events", link: links.page(.events), moreText: "All events",
        bars: events.map {
          BarRow(shown($0.name), $0.count, $0.share, link: links.page(.event, event: $0.name))
        }),
      BarPanel(
        heading: "Versions", link: links.page(.versions), moreText: "All versions",
        bars: versions.sorted { $0.users > $1.users }.prefix(6).map {
          BarRow(shown($0.name, empty: "Unknown"), $0.users, part($0.users), color: 4)
        },
        unit: "users"),
      BarPanel(
        heading: "Countries", link: links.page(.countries), moreText: "All countries",
        bars: countries.sorted { $0.users > $1.users }.prefix(6).map {
          BarRow(shown($0.name), $0.users, part($0.users), color: 3)
        }, unit: "users"),
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
