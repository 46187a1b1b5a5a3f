import Foundation
import Reports
import ServerBase
import TernBase
import Warehouse

/// The page of the app's keys and sample code, which shows if the first event has arrived.
package struct SetupPage: AppPage {
  package static let place = AppPlace.setup

  let visit: PageVisit
  let app: App
  let apps: [App]
  let first: StoredEvent?

  /// - Parameter first: The latest event; `nil` if the app has none.
  init(_ visit: PageVisit, app: App, apps: [App], first: StoredEvent?) {
    (self.visit, self.app, self.apps, self.first) = (visit, app, apps, first)
  }

  package init(_ request: some PageRequest) async throws {
    let app = request.app
    let first = try await request.read { try await $0.recent(app: app.id, limit: 1).first }
    self.init(try await request.visit(), app: app, apps: request.apps, first: first)
  }

  package func html() -> String {
    let values: TemplateValues = [
      "arrival": visit.arrival(of: first, app),
      "appNumber": app.id.description, "key": app.key, "timeZone": app.timeZone, "secret": app.appSecret,
      "trackingID": app.trackingID, "writeKeys": app.writeKeys, "address": visit.serverAddress,
      "setup": visit.setup(app: app), "clients": visit.clientSetups(app: app),
    ]
    var shell = visit.settingsShell(.setup, "Keys and code", app, apps)
    shell.script = "refresh.js"
    return visit.page(shell, body: visit.templates.render("keys", values))
  }
}

extension AppPlace {
  package static let setup = AppPlace("Keys and code", "setup")
}
