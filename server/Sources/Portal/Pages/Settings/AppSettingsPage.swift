import Foundation
import Reports
import ServerBase
import TernBase
package import Warehouse

/// The page of the app itself, with a form that posts `name`, `timeZone`, `appSecret`, `trackingId`, `writeKeys`, `keeping`
/// and `newNames`.
package struct AppSettingsPage: AppPage {
  package static let place = AppPlace.app

  let visit: PageVisit
  let app: App
  let apps: [App]
  let newNames: Int?
  let canChangeZone: Bool
  let result: FormResult

  /// - Parameters:
  ///   - newNames: The daily limit on new names; `nil` for the default.
  ///   - canChangeZone: True while nothing has been counted by days.
  init(
    _ visit: PageVisit, app: App, apps: [App] = [], newNames: Int? = nil, canChangeZone: Bool = false,
    result: FormResult = FormResult()
  ) {
    (self.visit, self.app, self.apps, self.newNames, self.canChangeZone, self.result) = (
      visit, app, apps, newNames, canChangeZone, result
    )
  }

  package init(_ request: some PageRequest) async throws {
    let app = request.app
    let hasDays = try await request.read { try await Self.hasDays(app.id, in: $0) }
    self.init(
      try await request.visit(), app: try request.catalog.app(app.id) ?? app, apps: request.apps,
      newNames: try request.catalog.newNamesPerDay(of: app.id), canChangeZone: !hasDays, result: request.result)
  }

  /// True if anything of an app has been counted by days of its time zone.
  package static func hasDays(_ app: AppID, in store: any MetricsStore) async throws -> Bool {
    // Rows that are not counted yet, then the counts of rows that are no longer kept.
    if try await !store.recent(app: app, limit: 1).isEmpty { return true }
    for dimension in [Dimension.total, .session, .kind, .dropped] {
      if try await store.count(app: app, dimension: dimension, days: .all) > 0 { return true }
    }
    return false
  }

  package func html() -> String {
    let links = PortalLinks(app: app.id)
    let values: TemplateValues = [
      "secret": app.appSecret, "trackingID": app.trackingID, "writeKeys": app.writeKeys.joined(separator: " "),
      "message": result.message.map { visible($0) }, "done": result.done.map { visible($0) },
      "twin": Self.twinWarning(of: app, apps),
      "action": links.page(.app), "name": app.name, "newNames": newNames.map(String.init) ?? "",
      "keeping": app.keeping?.text ?? KeepingPeriod.foreverText,
      "deletion": visit.reader.isOwner ? links.deletion : nil,
      "timeZone": app.timeZone, "hasZones": canChangeZone, "zoneLink": links.zone,
      "zones": canChangeZone ? ZoneDatabase.system.names : nil,
      "zoneData": app.zone.source == .always ? nil : app.zone.source.description,
    ]
    return visit.page(
      visit.settingsShell(.app, "Settings", app, apps), body: visit.templates.render("settings", values))
  }

  /// A warning that another app has the same name; `nil` if none has.
  private static func twinWarning(of app: App, _ apps: [App]) -> String? {
    let twins = apps.filter { $0.id != app.id && $0.name == app.name }.map { $0.id.description }
    guard !twins.isEmpty else { return nil }
    return "\(twins.count == 1 ? "App \(twins[0]) has" : "Apps \(twins.joined(separator: ", ")) have") this name, too. "
      + "Give each a name of its own, so that readers can tell them apart."
  }
}

extension PageVisit {
  /// The frame of a page of an app's settings.
  func settingsShell(_ place: AppPlace, _ title: String, _ app: App, _ apps: [App]) -> Shell {
    Shell(app: app, apps: apps, report: nil, title: title, place: place)
  }
}

extension AppPlace {
  package static let app = AppPlace("App", "settings")
}
