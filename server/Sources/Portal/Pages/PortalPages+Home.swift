import Foundation
import Reports
public import TernEvents
public import Warehouse

extension PortalPages {
  /// The list of apps with their last 7 days, and a form that posts `name` and `timeZone` to `/apps`.
  ///
  /// - Parameters:
  ///   - apps: All apps, in display order.
  ///   - message: The reason why creating an app failed, if it did.
  ///   - now: The time of the request.
  ///   - store: The metrics. Rethrows its errors, and throws ``ReportError`` for an unknown time zone.
  public func home(
    _ apps: [PortalApp], message: String? = nil, now: Timestamp, from store: any MetricsStore
  ) async throws -> String {
    var cards: [AppCard] = []
    for app in apps {
      let request = try ReportRequest(
        AppReports.overview.name, of: .app(app.id, timeZone: app.timeZone), parameters: ["days": "7"], now: now)
      let metrics = try await OverviewMetrics(request, from: store)
      cards.append(
        AppCard(
          name: shown(app.name), link: PortalLinks(app: app.id).page(AppReports.overview), timeZone: app.timeZone,
          users: grouped(metrics.totals.wau), events: compact(metrics.totals.events),
          sessions: compact(metrics.totals.sessions),
          spark: Sparkline.svg(metrics.days.prefix(request.settledDays).map(\.events), color: 1),
          isQuiet: metrics.totals.events == 0))
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
