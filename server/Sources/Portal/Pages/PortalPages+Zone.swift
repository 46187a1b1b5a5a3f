import Foundation
import Reports
import ServerBase
package import Warehouse

extension PortalPages {
  /// The page that changes the time zone of an app with events: what is counted again, and the progress. Posts `timeZone`
  /// and `confirm`.
  ///
  /// - Parameters:
  ///   - events: The number of stored events and screens.
  ///   - given: The zone that was entered.
  ///   - mistake: What is wrong with it.
  package func zone(app: App, apps: [App], events: Int, given: String? = nil, mistake: String? = nil) -> String {
    let links = PortalLinks(app: app.id)
    let isRunning = if case .running = zoneChange(app.id) { true } else { false }
    let values: TemplateValues = [
      "isRunning": isRunning, "timeZone": app.timeZone, "action": links.zone,
      "settings": links.page(.app), "given": given ?? app.timeZone, "mistake": mistake.map { visible($0) },
      "zones": ZoneDatabase.system.names, "zoneData": app.zone.source == .always ? nil : app.zone.source.description,
      "events": grouped(events), "keeping": app.keeping?.words,
    ]
    var shell = Shell(app: app, apps: apps, report: nil, title: "Time zone", place: .app)
    shell.breadcrumb = .link("Settings", links.page(.app))
    return page(shell, body: templates.render("zone", values))
  }
}
