import Foundation
import Reports
public import TernEvents
public import Warehouse

extension PortalPages {
  /// The list of apps with a glance at each, and a form that posts `name` and `timeZone` to `/apps`.
  ///
  /// - Parameters:
  ///   - apps: All apps, in the order in which they are shown.
  ///   - message: What went wrong with an attempt to create one, if there was one.
  ///   - now: The time of the request.
  ///   - source: The figures of the last 7 days. Throws what it throws, and ``ReportError`` for an unknown time zone.
  public func home(
    _ apps: [PortalApp], message: String? = nil, now: Timestamp, from source: any FigureSource
  ) async throws -> String {
    var cards: [AppCard] = []
    for app in apps {
      let request = try ReportRequest(
        name: "overview", app: app.id, timeZone: app.timeZone, parameters: ["days": "14"], now: now)
      let figures = try await OverviewReport(request, from: source)
      let week = figures.days.suffix(7)
      cards.append(
        AppCard(
          name: shown(app.name), link: PortalLinks(app: app.id).page(.overview), timeZone: app.timeZone,
          users: grouped(figures.totals.wau), events: compact(week.map(\.events).saturatingSum()),
          sessions: compact(week.map(\.sessions).saturatingSum()),
          spark: Sparkline.svg(figures.days.prefix(request.settledDays).map(\.events), color: 1),
          isQuiet: figures.totals.events == 0))
    }
    let view = HomeView(
      tern: Icon.tern, apps: cards, isEmpty: cards.isEmpty, hasMessage: message != nil, message: message ?? "",
      zones: TimeZone.knownTimeZoneIdentifiers.sorted())
    return layout(title: "Apps", body: templates.render("home", view))
  }
}

private struct HomeView {
  var tern: String
  var apps: [AppCard]
  var isEmpty: Bool
  var hasMessage: Bool
  var message: String
  var zones: [String]
}

private struct AppCard {
  var name: String
  var link: String
  var timeZone: String
  var users: String
  var events: String
  var sessions: String
  var spark: String
  var isQuiet: Bool
}
