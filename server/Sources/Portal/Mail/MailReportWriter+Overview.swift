import Alerts
import Outgoing
import Reports
import TernEvents
import Warehouse

extension MailReportWriter {
  /// The most rows of a list.
  private static let mailRows = 8

  /// The number of keys with the most events from which those with the most users are chosen, as on the page.
  private static let mailCandidates = 24

  /// The figures of the overview.
  func overview(
    _ app: App, _ period: MailPeriod, from store: any MetricsStore, now: Timestamp
  ) async throws -> [MailSection] {
    let zone = ReportZone(app.zone)
    func request(_ days: ClosedRange<Day>) -> ReportRequest {
      ReportRequest(
        AppReports.overview, of: .app(app.id, zone: app.zone), days: days, zone: zone, now: now)
    }
    let current = request(period.days)
    let metrics = try await OverviewMetrics(current, from: store)
    let before = try await OverviewMetrics(request(period.before), from: store).totals
    let daily =
      period.sparklineDays == period.days
      ? metrics : try await OverviewMetrics(request(period.sparklineDays), from: store)
    let totals = metrics.totals
    func row(_ name: String, _ figure: (OverviewMetrics.Totals) -> Int) -> MailSection.Row {
      .init(name, Double(figure(totals)), before: Double(figure(before)), .count)
    }
    func perUser(_ totals: OverviewMetrics.Totals) -> Double? {
      totals.users > 0 ? Double(totals.sessions) / Double(totals.users) : nil
    }
    func line(_ name: String, _ figure: (OverviewMetrics.DayRow) -> Int) -> MailSection.Sparkline {
      .init(name, period.sparklineDays, daily.days.map { Double(figure($0)) }, .count)
    }
    let figures = MailSection(
      "Figures", columns: MailSection.columns(period),
      rows: [
        row("Active users", \.users), row("Sessions", \.sessions), row("Events", \.events),
        .init("Sessions per user", perUser(totals), before: perUser(before), .number),
      ], sparklines: [line("Active users", \.dau), line("Sessions", \.sessions), line("Events", \.events)])
    guard totals.events > 0 || totals.users > 0 else { return [figures] }
    let events = try await current.ranking(AppReports.eventRanking, limit: Self.mailRows, from: store)
    return [
      figures, list("Top events", "Events", events.map { ($0.name, $0.count) }, empty: "(no name)"),
      try await users("Versions", AppReports.versionRanking, current, store),
      try await users("Countries", AppReports.countryRanking, current, store),
    ].filter { !$0.rows.isEmpty }
  }

  private func users(
    _ heading: String, _ ranking: Ranking, _ request: ReportRequest, _ store: any MetricsStore
  ) async throws -> MailSection {
    let keys = try await request.ranking(ranking, limit: Self.mailCandidates, from: store)
      .sorted { ($1.users, $0.key) < ($0.users, $1.key) }.prefix(Self.mailRows)
    return list(heading, "Users", keys.map { ($0.name, $0.users) }, empty: ranking.emptyKey)
  }

  private func list(_ heading: String, _ unit: String, _ rows: [(String, Int)], empty: String) -> MailSection {
    let highest = Double(rows.map(\.1).max() ?? 0)
    return MailSection(
      heading, columns: ["", unit],
      rows: rows.map { name, count in
        .init([shown(name, empty: empty, limit: 60), grouped(count)], share: highest > 0 ? Double(count) / highest : 0)
      })
  }
}
