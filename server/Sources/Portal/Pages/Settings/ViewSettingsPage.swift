import Foundation
import Reports
package import Warehouse

/// The page of a view's settings, with forms that post to `/apps/ID/views/VIEW`.
package struct ViewSettingsPage: Page {
  let visit: PageVisit
  let view: View
  let app: App
  let apps: [App]
  let given: [String: String]
  let result: FormResult

  package init(
    _ visit: PageVisit, _ view: View, app: App, apps: [App], given: [String: String] = [:],
    result: FormResult = FormResult()
  ) {
    (self.visit, self.view, self.app, self.apps, self.given, self.result) = (visit, view, app, apps, given, result)
  }

  package func html() -> String {
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
      lead: (view.rules.map { ViewText.text(of: $0, view) } + [ViewText.zoneText(of: view)].compactMap { $0 }).joined(
        separator: " "),
      result: result)
    page.forms = [
      .form(
        "Change", button: "Save", "change", to: address,
        help:
          "A new name applies at once, a new time zone from now on. Everything else applies from the view’s next day.",
        view.latest.fields(name: view.name, zone: view.timeZone, given: given, identity: identity)),
      .form(
        "Delete this view", button: "Delete", "delete", to: address,
        help:
          "This deletes the view with its counted days and shared links; the app’s hits stay. It can’t be undone. To "
          + "confirm, enter the view’s name: \(shown(view.name)).", destroys: true,
        [.field("Name of the view", "confirm", isRequired: true)]),
    ]
    return visit.viewSettings(page, app: app, apps: apps, isBelowViews: true)
  }
}

/// The parts that the pages of views have in common.
extension PageVisit {
  func viewSettings(_ page: ManagementPage, app: App, apps: [App], isBelowViews: Bool = false) -> String {
    var shell = Shell(app: app, apps: apps, report: nil, title: page.title, place: .views)
    if isBelowViews { shell.breadcrumb = .link("Views", PortalLinks(app: app.id).page(.views)) }
    return self.page(shell, body: content(page))
  }
}

extension View.Rules {
  /// The fields of a form with the rules.
  func fields(
    name: String, zone: String, given: [String: String], identity: [TemplateValues]
  ) -> [TemplateValues] {
    let filters = self.filters.map(\.description).joined(separator: "\n")
    let fields: [TemplateValues] = [
      .field("Name", "name", given["name"] ?? name, isRequired: true),
      .zone("Time zone", "timeZone", given["timeZone"] ?? zone),
      .choice(
        "Days close", "lateness",
        [
          ("cutoff", "At 04:00 the next day"), ("window", "After 25 days"),
          ("none", "Never; every hit counts"),
        ], chosen: given["lateness"] ?? lateness.rawValue),
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
