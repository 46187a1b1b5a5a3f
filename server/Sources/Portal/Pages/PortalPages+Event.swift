import Reports
import Warehouse

extension PortalPages {
  /// The page of one event: its counts, chart and properties.
  func eventPage(_ page: PageContext) async throws -> String {
    let request = page.request
    let event = try await EventMetrics(request, from: page.store)
    let before = try await page.store.total(
      app: request.app, dimension: .event, key: event.name, days: request.previous.days)
    let chart = Chart(
      id: "event", title: "Occurrences per day, \(request.days.text)", days: event.days.map(\.day),
      series: [
        .init(name: "Occurrences", values: event.days.map(\.count), isFilled: true, color: 1),
        .init(name: "Users", values: event.days.map(\.users), color: 3),
      ], endsToday: request.days.upperBound == request.today)
    var shell = page.shell
    shell.title = shown(event.name)
    shell.trail = "Events"
    shell.trailLink = page.links.page(AppReports.events)
    let view = EventView(
      tiles: tiles(Self.eventTiles(event, before, request)), chart: chart.html(),
      table: table(
        ["Day", "Occurrences", "Users"],
        event.days.reversed().map { [$0.day.weekdayText, grouped($0.count), grouped($0.users)] }),
      panels: event.properties.map { property in
        BarPanel(
          heading: shown(property.property),
          bars: property.values.map { BarRow(shown($0.key, empty: "(empty)"), $0.count, property.share(of: $0)) },
          unit: times(property.count),
          note: property.isCapped ? "There are too many different values; rare ones are counted together." : "")
      }, hasProperties: !event.properties.isEmpty)
    return self.page(shell, body: templates.render("event", view))
  }

  private static func eventTiles(
    _ event: EventMetrics, _ before: KeyTotals, _ request: ReportRequest
  ) -> [Tile] {
    let line = event.days.prefix(request.settledDays)
    func perUser(_ count: Int, _ users: Int) -> Double { users > 0 ? Double(count) / Double(users) : 0 }
    let (now, then) = (perUser(event.count, event.users), perUser(before.count, before.users))
    return [
      Tile(
        "Occurrences", grouped(event.count),
        change: Change(Double(event.count), before: Double(before.count), in: request),
        spark: Sparkline.svg(line.map(\.count), color: 1)),
      Tile(
        "Users", grouped(event.users), change: Change(Double(event.users), before: Double(before.users), in: request),
        spark: Sparkline.svg(line.map(\.users), color: 3)),
      Tile(
        "Per user", decimal(now), change: Change(now, before: then, in: request, unit: "per user"),
        spark: Sparkline.svg(line.map { hundredths($0.count, per: $0.users) }, color: 4)),
    ]
  }
}

private struct EventView {
  var tiles: String
  var chart: String
  var table: String
  var panels: [BarPanel]
  var hasProperties: Bool
}
