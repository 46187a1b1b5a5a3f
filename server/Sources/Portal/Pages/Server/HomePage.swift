import Foundation
import Reports
import ServerBase
package import TernEvents
package import Warehouse

/// The list of apps with their last 7 days, and a form that posts `name` and `timeZone` to `/apps`.
package struct HomePage: Page {
  let visit: PageVisit
  let apps: [App]
  let result: FormResult
  let given: [String: String]
  let now: Timestamp
  let store: any MetricsStore

  /// - Parameters:
  ///   - apps: All apps, in display order.
  ///   - given: The values of a form that failed, by name; with `twin` if the name is that of another app.
  ///   - now: The time of the request.
  ///   - store: The metrics. Rethrows its errors, and throws ``ReportError`` for an unknown time zone.
  package init(
    _ visit: PageVisit, _ apps: [App], result: FormResult = FormResult(), given: [String: String] = [:], now: Timestamp,
    from store: any MetricsStore
  ) {
    (self.visit, self.apps, self.result, self.given, self.now, self.store) = (visit, apps, result, given, now, store)
  }

  package func html() async throws -> String {
    var cards: [TemplateValues] = []
    for app in apps {
      let request = try ReportRequest(
        AppReports.overview.name, of: .app(app.id, zone: app.zone), parameters: ["days": "7"], now: now)
      let metrics = try await OverviewMetrics(request, from: store)
      let spark = Sparkline.svg(metrics.days.prefix(request.settledDays).map(\.events), color: 1)
      cards.append([
        "name": shown(app.name), "link": PortalLinks(app: app.id).home, "timeZone": app.timeZone,
        "users": grouped(metrics.totals.wau ?? 0), "events": compact(metrics.totals.events),
        "sessions": compact(metrics.totals.sessions), "spark": spark, "isQuiet": metrics.totals.events == 0,
      ])
    }
    let values: TemplateValues = [
      "tern": Icon.tern, "nav": visit.serverLinks(), "canCreate": visit.reader.isOwner, "apps": cards,
      "message": result.message.map { visible($0) },
      "done": result.done.map { visible($0) }, "given": Self.given(given),
      "zones": ZoneDatabase.system.names,
    ]
    return visit.layout(title: "Apps", body: visit.templates.render("home", values))
  }

  private static func given(_ form: [String: String]) -> TemplateValues {
    [
      "name": form["name"] ?? "", "timeZone": form["timeZone"] ?? "UTC", "appSecret": form["appSecret"] ?? "",
      "trackingID": form["trackingId"] ?? "", "writeKeys": form["writeKeys"] ?? "", "isTwin": form["twin"] != nil,
    ]
  }
}
