import Foundation
import Reports
import Warehouse

/// The list of an app's views with their settings, and for editors a form that posts to `/apps/ID/views`.
package struct ViewsPage: AppPage {
  package static let place = AppPlace.views

  let visit: PageVisit
  let views: [View]
  let app: App
  let apps: [App]
  let given: [String: String]
  let result: FormResult

  /// - Parameter given: The values of a form that failed, by name.
  init(
    _ visit: PageVisit, _ views: [View], app: App, apps: [App] = [], given: [String: String] = [:],
    result: FormResult = FormResult()
  ) {
    (self.visit, self.views, self.app, self.apps, self.given, self.result) = (visit, views, app, apps, given, result)
  }

  package init(_ request: some PageRequest) async throws {
    self.init(
      try await request.visit(), try request.catalog.views(app: request.app.id), app: request.app, apps: request.apps,
      given: request.fields ?? [:], result: request.result)
  }

  package func html() -> String {
    let links = PortalLinks(app: app.id)
    let rows = views.map { view -> TemplateValues in
      let rules = view.rules.map { rules -> TemplateValues in
        let filters = rules.filters.map(\.description).joined(separator: ", ")
        return ["text": ViewText.text(of: rules, view), "filters": shown(filters, empty: "None")]
      }
      return [
        "name": shown(view.name), "link": links.page(AppReports.overview, of: view.id), "zone": view.timeZone,
        "rules": rules, "change": visit.reader.canEdit ? "\(links.page(.views))/\(view.id)" : nil,
      ]
    }
    var page = ManagementPage(title: "Views", lead: Self.viewLead, result: result)
    page.content = visit.templates.render("views", ["rows": rows, "canEdit": visit.reader.canEdit])
    if visit.reader.canEdit {
      let settings = [
        TemplateValues.choice(
          "What counts as a user", "identity",
          [
            ("client", "Devices (cid)"), ("user", "Logged-in users (uid), with their session before the login"),
            ("explicitUser", "Logged-in users (uid), only hits with a uid"),
          ], chosen: given["identity"])
      ]
      page.forms = [
        .form(
          "Create a view", button: "Create", "create", to: links.page(.views),
          help:
            "The view also counts the hits stored so far. You can change everything later, except what counts as a user.",
          View.Rules().fields(
            name: "", zone: given["timeZone"] ?? app.timeZone, given: given, identity: settings))
      ]
    }
    return visit.viewSettings(page, app: app, apps: apps)
  }

  private static let viewLead =
    "A view counts this app’s Google Analytics hits with its own time zone, filters and session rules."
}

extension AppPlace {
  package static let views = AppPlace("Views", "views", right: .read)
}
