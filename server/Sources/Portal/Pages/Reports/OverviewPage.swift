import Reports
import Warehouse

/// The page of the most important numbers: tiles, events and sessions, active users, and the top of the lists.
struct OverviewPage: CustomReportPage {
  static let report = AppReports.overview

  let page: ReportVisit

  func html() async throws -> String {
    let request = page.request
    let page = try await page.preparing(
      [
        .overview(request.days), .largest(.event, request.days, limit: Self.panelRows),
        .largest(.version, request.days, limit: Self.candidates),
        .largest(.country, request.days, limit: Self.candidates),
      ], changes: { [.overview($0)] }, lines: { [.overview($0)] })
    let store = page.store
    // Two at a time, as questions are answered: the figures, and the panels below them.
    async let lists = lists(request, store)
    let metrics = try await OverviewMetrics(request, from: page.store)
    let compared = page.overlay
    let others = try await compared.asyncMap { try await OverviewMetrics($0.request, from: $0.store) }
    let changes = try await page.changes { wanted, store in
      if wanted == request { return metrics.totals }
      if wanted == compared?.request, let others { return others.totals }
      return try await OverviewMetrics(wanted, from: store).totals
    }
    let days = metrics.days.map(\.date)
    func line(_ name: String, _ value: (OverviewMetrics.DayRow) -> Int, color: Int) -> [Chart.Series] {
      guard let compared, let others else { return [] }
      let values = days.indices.map { others.days.indices.contains($0) ? Double(value(others.days[$0])) : nil }
      return [Chart.Series(name: "\(name), \(compared.name)", values: values, isCompared: true, color: color)]
    }
    let traffic = Chart(
      "traffic", "Events and sessions", days: days,
      [
        .init(name: "Events", values: metrics.days.map(\.events), mark: .area, color: 1),
        .init(name: "Sessions", values: metrics.days.map(\.sessions), color: 2),
      ] + line("Events", \.events, color: 1) + line("Sessions", \.sessions, color: 2), in: request)
    let active = Chart(
      "users", "Active users", days: days,
      (metrics.totals.mau == nil
        ? []
        : [
          .init(name: "Monthly", values: metrics.days.map { $0.mau ?? 0 }, mark: .area, color: 3),
          .init(name: "Weekly", values: metrics.days.map { $0.wau ?? 0 }, color: 4),
        ]) + [
          .init(name: "Daily", values: metrics.days.map(\.dau), mark: .area, color: 1)
        ] + line("Daily", \.dau, color: 1), in: request)
    let users = visit.linked(active, "Daily", days, request)
    let values: TemplateValues = [
      "tiles": visit.tiles(
        overviewTiles(metrics, changes, request, first: try await firstDay(metrics, request, store))),
      "traffic": visit.drawn(traffic), "users": visit.drawn(users),
      "trafficTable": visit.table(traffic, notesOf: request.app),
      "usersTable": visit.table(users, users.series.reversed(), notesOf: request.app),
      "aboutTraffic": "How many events the app tracked and how many sessions began on each day.",
      "aboutUsers": metrics.totals.mau == nil
        ? "Users who were active on each day, with rows that match the filter."
        : "Users who were active on each day, and in the 7 and 30 days up to it.",
      "panels": panels(try await lists, metrics.totals.users, page),
    ]
    return visit.page(page.shell, body: visit.templates.render("overview", values))
  }

  private func overviewTiles(
    _ metrics: OverviewMetrics, _ changes: Changes<OverviewMetrics.Totals>?, _ request: ReportRequest, first: Day?
  ) -> [TemplateValues] {
    let line = metrics.days.prefix(request.settledDays)
    let now = metrics.totals
    let length = first.map { $0.distance(to: request.days.upperBound) + 1 } ?? request.length
    func perDay(_ count: Int) -> String {
      "\(decimal(ratio(count, length))) per day\(first.map { " since \($0.shortText)" } ?? "")"
    }
    return [
      .tile(
        "Active users", grouped(now.users), change: changes?.of { Double($0.users) },
        hint: now.wau.map { "\(grouped($0)) in the 7 days to \(request.days.upperBound.shortText)" } ?? "",
        spark: Sparkline.svg(line.map(\.dau), color: 3), link: now.users == 0 ? nil : visit.people(request),
        about: OverviewMetrics.userColumn.meaning),
      .tile(
        "Sessions", grouped(now.sessions),
        change: changes?.of { Double($0.sessions) },
        hint: perDay(now.sessions),
        spark: Sparkline.svg(line.map(\.sessions), color: 2), about: OverviewMetrics.sessionColumn.meaning),
      .tile(
        "Events", grouped(now.events), change: changes?.of { Double($0.events) },
        hint: perDay(now.events),
        spark: Sparkline.svg(line.map(\.events), color: 1), about: OverviewMetrics.eventColumn.meaning),
      .tile(
        "Sessions per user", decimal(ratio(now.sessions, now.users)),
        change: changes?.of(decimal) { ratio($0.sessions, $0.users) },
        hint: "\(decimal(ratio(now.events, now.sessions))) events per session",
        spark: Sparkline.svg(line.map { hundredths($0.sessions, per: $0.dau) }, color: 4),
        about: "Sessions divided by active users, over the whole range."),
    ]
  }

  /// The first day ever with a row that passes, if it lies within the range: the days before the app existed, or the
  /// version that a filter names, are no days without events.
  private func firstDay(
    _ metrics: OverviewMetrics, _ request: ReportRequest, _ store: any MetricsStore
  ) async throws -> Day? {
    guard let first = metrics.days.first(where: { $0.events > 0 || $0.sessions > 0 || $0.dau > 0 })?.date,
      first > request.days.lowerBound
    else { return nil }
    let before = ClosedRange<Day>.all.lowerBound...request.days.lowerBound.advanced(by: -1)
    let earlier = try await store.total(app: request.app, dimension: .total, key: "", days: before)
    return earlier.count > 0 || earlier.users > 0 ? nil : first
  }

  /// The number of rows in a panel.
  private static let panelRows = 8

  /// The number of keys with the most events among which a panel looks for those with the most users: ordering all keys
  /// by users would require the set of users of each.
  private static let candidates = 24

  private func lists(_ request: ReportRequest, _ store: any MetricsStore) async throws -> OverviewLists {
    func list(_ ranking: Ranking, _ limit: Int) async throws -> [RankedKey] {
      try await request.ranking(ranking, limit: limit, from: store)
    }
    return OverviewLists(
      events: try await list(AppReports.eventRanking, Self.panelRows),
      versions: try await list(AppReports.versionRanking, Self.candidates),
      countries: try await list(AppReports.countryRanking, Self.candidates))
  }

  private func panels(_ lists: OverviewLists, _ users: Int, _ page: ReportVisit) -> [TemplateValues] {
    let links = page.links
    func part(_ some: Int) -> Double { users > 0 ? Double(some) / Double(users) : 0 }
    func byUsers(_ rows: [RankedKey], _ ranking: Ranking) -> [TemplateValues] {
      rows.sorted {
        $0.users == $1.users ? ranking.dimension.isOrdered($0.key, before: $1.key) : $0.users > $1.users
      }.prefix(Self.panelRows).map {
        .bar(
          shown($0.name, empty: ranking.emptyKey), $0.users, part($0.users), color: ranking.color,
          filter: visit.filterLink(page.request, ranking.dimension, $0.key),
          people: visit.people(page.request, ranking.dimension, $0.key))
      }
    }
    let events = lists.events
      .map { row -> TemplateValues in
        .bar(
          shown(row.name), row.count, row.share, link: links.page(AppReports.event, [.event: row.key]),
          filter: visit.filterLink(page.request, .event, row.key))
      }
    func panel(
      _ report: ReportDefinition, _ heading: String, unit: String, about: String, _ bars: [TemplateValues]
    ) -> TemplateValues {
      [
        "heading": heading, "about": about, "link": links.page(report), "moreText": "All \(report.title.lowercased())",
        "unit": unit,
        "bars": bars,
      ]
    }
    return [
      panel(AppReports.events, "Top events", unit: "events", about: "The events that were tracked most often.", events),
      panel(
        AppReports.versions, "Versions", unit: "users", about: "How many users ran each version.",
        byUsers(lists.versions, AppReports.versionRanking)),
      panel(
        AppReports.countries, "Countries", unit: "users", about: "How many users were in each country.",
        byUsers(lists.countries, AppReports.countryRanking)),
    ]
  }
}

/// The rankings on the overview.
private struct OverviewLists {
  var events: [RankedKey]
  var versions: [RankedKey]
  var countries: [RankedKey]
}

/// Returns a quotient; 0 if the whole is 0.
private func ratio(_ part: Int, _ whole: Int) -> Double { whole > 0 ? Double(part) / Double(whole) : 0 }
