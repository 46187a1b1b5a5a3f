import Reports
import Warehouse

/// The page of one event: its counts, chart and properties.
struct EventPage: CustomReportPage {
  static let report = AppReports.event

  let page: ReportVisit

  func html() async throws -> String {
    let request = page.request
    let name = request[.event] ?? ""
    let page = try await page.preparing(
      [
        .total(.event, key: name, request.days), .series(.event, key: name, request.days),
        .properties(event: name, request.days),
      ], changes: { [.total(.event, key: name, $0)] }, lines: { [.series(.event, key: name, $0)] })
    // Two at a time, as questions are answered.
    let compared = page.overlay
    async let others = compared.asyncMap { compared in
      try await compared.store.series(app: request.app, dimension: .event, key: name, days: compared.request.days)
        .filled(compared.request.days)
    }
    let event = try await EventMetrics(request, from: page.store)
    let changes = try await page.changes { wanted, store in
      wanted == request
        ? KeyTotals(key: name, count: event.count, users: event.users)
        : try await store.total(app: wanted.app, dimension: .event, key: name, days: wanted.days)
    }
    var chart = Chart("event", event.days, color: 1, in: request)
    // Rows without a name of an event are those of all other kinds, too.
    if !name.isEmpty {
      chart = visit.linked(chart, "Users", event.days.map(\.day), request, [FilterRow("event", value: name)])
    }
    if let compared, let others = try await others {
      func line(_ name: String, _ value: (DailyTotals) -> Int, color: Int) -> Chart.Series {
        let values = event.days.indices.map { others.indices.contains($0) ? Double(value(others[$0])) : nil }
        return Chart.Series(name: "\(name), \(compared.name)", values: values, isCompared: true, color: color)
      }
      chart.series += [line("Occurrences", \.count, color: 1), line("Users", \.users, color: 3)]
    }
    var shell = page.shell
    shell.title = shown(event.name)
    shell.breadcrumb = .link("Events", page.links.page(AppReports.events))
    let values: TemplateValues = [
      "tiles": visit.tiles(eventTiles(event, changes, request)), "alert": alert(request, name),
      "chart": visit.drawn(chart),
      "table": visit.table(chart, notesOf: request.app),
      "panels": try await properties(of: event, page),
    ]
    return visit.page(shell, body: visit.templates.render("event", values))
  }

  /// The address of an alert about the event, with the page's filter; `nil` for readers who cannot edit.
  private func alert(_ request: ReportRequest, _ name: String) -> String? {
    guard visit.reader.canEdit, request.view == nil, !name.isEmpty else { return nil }
    let own = AddressText.query([("metric", "events"), ("event", name)])
    return PortalLinks(app: request.app).alert(AddressText.joined([own, PortalLinks(request).filterQuery]))
  }

  private func eventTiles(
    _ event: EventMetrics, _ changes: Changes<KeyTotals>?, _ request: ReportRequest
  ) -> [TemplateValues] {
    let line = event.days.prefix(request.settledDays)
    func perUser(_ count: Int, _ users: Int) -> Double { users > 0 ? Double(count) / Double(users) : 0 }
    return [
      .tile(
        "Occurrences", grouped(event.count), change: changes?.of { Double($0.count) },
        spark: Sparkline.svg(line.map(\.count), color: 1), about: "How often the event was tracked."),
      .tile(
        "Users", grouped(event.users), change: changes?.of { Double($0.users) },
        spark: Sparkline.svg(line.map(\.users), color: 3),
        link: event.users == 0 ? nil : visit.people(request, .event, event.name),
        about: "Different users who tracked the event at least once."),
      .tile(
        "Per user", decimal(perUser(event.count, event.users)),
        change: changes?.of(decimal) { perUser($0.count, $0.users) },
        spark: Sparkline.svg(line.map { hundredths($0.count, per: $0.users) }, color: 4),
        about: "Occurrences divided by the users who had at least one."),
    ]
  }
}
