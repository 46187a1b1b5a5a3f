import Reports
import Warehouse

/// The frame around the content of an app's page: navigation, title, date range, notes.
struct Shell {
  var app: PortalApp
  var apps: [PortalApp]
  /// The report; `nil` on the pages of views and settings.
  var report: ReportDefinition?
  var title: String
  /// The link above the title, for example to the list that contains an event.
  var trail = ""
  var trailLink = ""
  /// The request, if the page shows a report.
  var request: ReportRequest?
  /// True if the page shows the request's date range and lets the reader change it.
  var hasRange = true
  var script: String?
  /// True on the list of views.
  var isViews = false
}

extension PortalPages {
  /// The page of an app around its content.
  func page(_ shell: Shell, body: String) -> String {
    let links = shell.request.map { PortalLinks($0) } ?? PortalLinks(app: shell.app.id)
    let range = shell.hasRange ? shell.request.map { RangeView($0) } : nil
    let downloads = shell.request.map { request in
      [ReportFormat.csv, .json].map { format in
        LinkView(text: format.rawValue.uppercased(), link: links.download(request, format: format))
      }
    }
    let view = ShellView(
      tern: Icon.tern, appName: shown(shell.app.name), overviewLink: links.page(AppReports.overview),
      hasSwitch: shell.apps.count > 1,
      others: shell.apps.map {
        LinkView(text: shown($0.name), link: PortalLinks(app: $0.id, range: links.range).page(AppReports.overview))
      },
      groups: navigation(shell, links), heading: shell.title, hasTrail: !shell.trail.isEmpty, trail: shell.trail,
      trailLink: shell.trailLink, days: range == nil ? "" : shell.request?.days.text ?? "", hasDays: range != nil,
      timeZone: shell.request?.zone.identifier ?? shell.app.timeZone, hasRange: range != nil, range: range ?? .none,
      downloads: downloads ?? [], hasDownloads: downloads != nil,
      isOpen: range != nil && shell.request?.includesToday == true, content: body)
    return layout(
      title: "\(shell.title) · \(shown(shell.app.name))", body: templates.render("shell", view), script: shell.script)
  }

  private func navigation(_ shell: Shell, _ links: PortalLinks) -> [NavigationGroup] {
    let isView = shell.isViews || shell.request?.view != nil
    var groups = ReportNavigation.Section.allCases.map { section in
      let items = reports.app.compactMap { report -> NavigationItem? in
        guard let entry = report.navigation, entry.section == section else { return nil }
        let isActive = !isView && (shell.report == report || shell.report?.parent == report.name)
        return NavigationItem(
          icon: Icon.svg(entry.icon), label: entry.label, link: links.page(report), isActive: isActive)
      }
      return NavigationGroup(caption: section.rawValue, items: items)
    }
    groups[groups.count - 1].items += [
      NavigationItem(icon: Icon.views, label: "Views", link: links.views, isActive: isView),
      NavigationItem(
        icon: Icon.settings, label: "Settings", link: links.settings, isActive: shell.report == nil && !isView),
    ]
    return groups
  }
}

struct LinkView {
  var text: String
  var link: String
}

private struct NavigationItem {
  var icon: String
  var label: String
  var link: String
  var isActive: Bool
}

private struct NavigationGroup {
  var caption: String
  var items: [NavigationItem]
}

private struct RangeView {
  var action: String
  var from: String
  var until: String
  var latest: String
  var inputs: [Input]
  var quick: [QuickRange]

  /// A value that the form resubmits.
  struct Input {
    var name: String
    var value: String
  }

  struct QuickRange {
    var text: String
    var link: String
    var isActive: Bool
  }

  static let none = RangeView(action: "", from: "", until: "", latest: "", inputs: [], quick: [])
}

extension RangeView {
  fileprivate init(_ request: ReportRequest) {
    let bare = PortalLinks(app: request.app)
    let own = request.report.parameters.compactMap { parameter in
      request[parameter].map { Input(name: parameter.name, value: $0) }
    }
    self.init(
      action: request.view == nil ? bare.page(request.report) : "/apps/\(request.app)/\(request.report.name)",
      from: request.days.lowerBound.description, until: request.days.upperBound.description,
      latest: request.today.description,
      inputs: own + (request.view.map { [Input(name: "view", value: $0.id.description)] } ?? []),
      quick: [7, 30, 90].map { days in
        QuickRange(
          text: "\(days) days",
          link: bare.page(request, range: days == ReportRequest.defaultDays ? "" : "days=\(days)"),
          isActive: request.length == days && request.days.upperBound == request.today)
      })
  }
}

private struct ShellView {
  var tern: String
  var appName: String
  var overviewLink: String
  var hasSwitch: Bool
  var others: [LinkView]
  var groups: [NavigationGroup]
  var heading: String
  var hasTrail: Bool
  var trail: String
  var trailLink: String
  var days: String
  var hasDays: Bool
  var timeZone: String
  var hasRange: Bool
  var range: RangeView
  var downloads: [LinkView]
  var hasDownloads: Bool
  var isOpen: Bool
  var content: String
}
