import Foundation
import Reports
import ServerBase
package import Warehouse

/// The page that changes the time zone of an app with events: what is counted again, and the progress. Posts `timeZone`
/// and `confirm`.
package struct ZonePage: Page {
  let visit: PageVisit
  let app: App
  let apps: [App]
  let events: Int
  let given: String?
  let mistake: String?

  /// - Parameters:
  ///   - events: The number of stored events and screens.
  ///   - given: The zone that was entered.
  ///   - mistake: What is wrong with it.
  package init(_ visit: PageVisit, app: App, apps: [App], events: Int, given: String? = nil, mistake: String? = nil) {
    (self.visit, self.app, self.apps, self.events, self.given, self.mistake) = (
      visit, app, apps, events, given, mistake
    )
  }

  package func html() -> String {
    let links = PortalLinks(app: app.id)
    let isRunning = if case .running = visit.server.zoneChange(app.id) { true } else { false }
    let values: TemplateValues = [
      "isRunning": isRunning, "timeZone": app.timeZone, "action": links.zone,
      "settings": links.page(.app), "given": given ?? app.timeZone, "mistake": mistake.map { visible($0) },
      "zones": ZoneDatabase.system.names, "zoneData": app.zone.source == .always ? nil : app.zone.source.description,
      "events": grouped(events), "keeping": app.keeping?.words,
    ]
    var shell = Shell(app: app, apps: apps, report: nil, title: "Time zone", place: .app)
    shell.breadcrumb = .link("Settings", links.page(.app))
    return visit.page(shell, body: visit.templates.render("zone", values))
  }
}
