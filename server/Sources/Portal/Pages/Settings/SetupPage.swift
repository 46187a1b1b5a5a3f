import Foundation
import Reports
import ServerBase
import TernBase
package import Warehouse

/// The page of the app's keys and sample code, which shows if the first event has arrived.
package struct SetupPage: Page {
  let visit: PageVisit
  let app: App
  let apps: [App]
  let first: StoredEvent?

  /// - Parameter first: The latest event; `nil` if the app has none.
  package init(_ visit: PageVisit, app: App, apps: [App], first: StoredEvent?) {
    (self.visit, self.app, self.apps, self.first) = (visit, app, apps, first)
  }

  package func html() -> String {
    let values: TemplateValues = [
      "arrival": visit.arrival(of: first, app),
      "appNumber": app.id.description, "key": app.key, "timeZone": app.timeZone, "secret": app.appSecret,
      "trackingID": app.trackingID, "address": visit.serverAddress, "setup": visit.setup(app: app),
    ]
    var shell = visit.settingsShell(.setup, "Keys and code", app, apps)
    shell.script = "refresh.js"
    return visit.page(shell, body: visit.templates.render("keys", values))
  }
}

extension AppPlace {
  package static let setup = AppPlace("Keys and code", "setup")
}
