import Foundation
import Reports
package import Warehouse

extension PortalPages {
  private static let viewLead =
    "A view counts this app’s Google Analytics hits with its own time zone, filters and session rules."

  /// The list of an app's views with their settings, and for editors a form that posts to `/apps/ID/views`.
  ///
  /// - Parameter given: The values of a form that failed, by name.
  package func views(
    _ views: [View], app: App, apps: [App] = [], given: [String: String] = [:], result: FormResult = FormResult()
  ) -> String {
    let links = PortalLinks(app: app.id)
    let rows = views.map { view -> TemplateValues in
      let rules = view.rules.map { rules -> TemplateValues in
        let filters = rules.filters.map(\.description).joined(separator: ", ")
        return ["text": Self.text(of: rules, view), "filters": shown(filters, empty: "None")]
      }
      return [
        "name": shown(view.name), "link": links.page(AppReports.overview, of: view.id), "zone": view.timeZone,
        "rules": rules, "change": reader.canEdit ? "\(links.page(.views))/\(view.id)" : nil,
      ]
    }
    var page = ManagementPage(title: "Views", lead: Self.viewLead, result: result)
    page.content = templates.render("views", ["rows": rows, "canEdit": reader.canEdit])
    if reader.canEdit {
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
          Self.fields(
            View.Rules(), name: "", zone: given["timeZone"] ?? app.timeZone, given: given, identity: settings))
      ]
    }
    return viewSettings(page, app: app, apps: apps)
  }

  /// The page of a view's settings, with forms that post to `/apps/ID/views/VIEW`.
  package func view(
    _ view: View, app: App, apps: [App], given: [String: String] = [:], result: FormResult = FormResult()
  ) -> String {
    let address = "\(PortalLinks(app: app.id).page(.views))/\(view.id)"
    var identity: [TemplateValues] = []
    if view.countsUserIDs {
      identity.append(
        .check(
          "Count the hits before a login for the user who then logs in", "unification",
          isOn: view.latest.settings.identity == .user))
    }
    if view.latest.lateness == .none {
      identity.append(.check("Close the open days; they can’t be reopened", "final"))
    }
    var page = ManagementPage(
      title: visible(view.name),
      lead: (view.rules.map { Self.text(of: $0, view) } + [Self.zoneText(of: view)].compactMap { $0 }).joined(
        separator: " "),
      result: result)
    page.forms = [
      .form(
        "Change", button: "Save", "change", to: address,
        help:
          "A new name applies at once, a new time zone from now on. Everything else applies from the view’s next day.",
        Self.fields(view.latest, name: view.name, zone: view.timeZone, given: given, identity: identity)),
      .form(
        "Delete this view", button: "Delete", "delete", to: address,
        help:
          "This deletes the view with its counted days and shared links; the app’s hits stay. It can’t be undone. To "
          + "confirm, enter the view’s name: \(shown(view.name)).", destroys: true,
        [.field("Name of the view", "confirm", isRequired: true)]),
    ]
    return viewSettings(page, app: app, apps: apps, isBelowViews: true)
  }

  private func viewSettings(_ page: ManagementPage, app: App, apps: [App], isBelowViews: Bool = false) -> String {
    var shell = Shell(app: app, apps: apps, report: nil, title: page.title, place: .views)
    if isBelowViews { shell.breadcrumb = .link("Views", PortalLinks(app: app.id).page(.views)) }
    return self.page(shell, body: content(page))
  }

  private static func fields(
    _ rules: View.Rules, name: String, zone: String, given: [String: String], identity: [TemplateValues]
  ) -> [TemplateValues] {
    let settings = rules.settings
    let filters = rules.filters.map(\.description).joined(separator: "\n")
    let fields: [TemplateValues] = [
      .field("Name", "name", given["name"] ?? name, isRequired: true),
      .zone("Time zone", "timeZone", given["timeZone"] ?? zone),
      .choice(
        "Days close", "lateness",
        [
          ("cutoff", "At 04:00 the next day"), ("window", "After 25 days"),
          ("none", "Never; every hit counts"),
        ], chosen: given["lateness"] ?? rules.lateness.rawValue),
      .field(
        "Session timeout (minutes)", "sessionTimeout",
        given["sessionTimeout"] ?? String(settings.sessionTimeout.components.seconds / 60), type: "number"),
      .field(
        "Campaign timeout (days)", "campaignDays", given["campaignDays"] ?? String(settings.campaignDays),
        type: "number"),
      .field("Currency", "currency", given["currency"] ?? settings.currency, placeholder: "None, or for example EUR"),
      .area(
        "Filters, one per line (a hit counts if it matches all)", "filters", given["filters"] ?? filters,
        placeholder: "av=2.0\nan!=Internal"),
      .check(
        "Count at most \(ViewSettings.sessionHits) hits per session", "quotas",
        isOn: given.isEmpty ? settings.hasQuotas : given["quotas"] != nil),
    ]
    return fields + identity
  }
}

extension AppPlace {
  package static let views = AppPlace("Views", "views", isForReaders: true)
}
