import Reports
import Warehouse

/// What surrounds the content of an app's page: navigation, title, range of days, notes.
struct Shell {
  var app: PortalApp
  var apps: [PortalApp]
  /// The report shown; `nil` on the settings page.
  var active: ReportName?
  var title: String
  /// The part of the path above the title, for example the list an event belongs to.
  var trail: String = ""
  var trailLink: String = ""
  /// The request behind the page, when it has a range of days.
  var request: ReportRequest?
  var hasRange = true
  var script: String?
  /// The zone of the view that is shown; `nil` on pages that are not about views.
  var viewZone: String?
}

extension PortalPages {
  /// The page of an app around its content.
  func page(_ shell: Shell, body: String) -> String {
    let links = shell.request.map { PortalLinks($0) } ?? PortalLinks(app: shell.app.id)
    let range = shell.hasRange ? shell.request.map { RangeView($0, links: links) } : nil
    let downloads = shell.request.map { request in
      [ReportFormat.csv, .json].map { format in
        LinkView(
          text: format.rawValue.uppercased(), link: links.download(request, format: format))
      }
    }
    let view = ShellView(
      tern: Icon.tern, appName: shown(shell.app.name), overviewLink: links.page(.overview),
      hasSwitch: shell.apps.count > 1,
      others: shell.apps.map {
        LinkView(text: shown($0.name), link: PortalLinks(app: $0.id, range: links.range).page(.overview))
      },
      groups: navigation(shell, links), heading: shell.title, hasTrail: !shell.trail.isEmpty, trail: shell.trail,
      trailLink: shell.trailLink, days: shell.hasRange ? shell.request?.days.text ?? "" : "",
      hasDays: range != nil, timeZone: shell.viewZone ?? shell.app.timeZone, hasRange: range != nil,
      range: range ?? .none,
      downloads: downloads ?? [], hasDownloads: downloads != nil,
      isOpen: shell.hasRange && shell.request?.includesToday == true, content: body)
    return layout(
      title: "\(shell.title) · \(shown(shell.app.name))", body: templates.render("shell", view), script: shell.script)
  }

  private func navigation(_ shell: Shell, _ links: PortalLinks) -> [NavigationGroup] {
    func item(_ name: ReportName, _ text: String) -> NavigationItem {
      let isActive =
        shell.active == name || (name == .events && shell.active == .event)
        || (name == .errors && shell.active == .error)
      return NavigationItem(icon: Icon.svg(name), label: text, link: links.page(name), isActive: isActive)
    }
    return [
      NavigationGroup(
        caption: "Use",
        items: [
          item(.overview, "Overview"), item(.events, "Events"), item(.screens, "Screens"), item(.errors, "Errors"),
        ]),
      NavigationGroup(
        caption: "Audience",
        items: [item(.versions, "Versions"), item(.devices, "Devices"), item(.countries, "Countries")]),
      NavigationGroup(
        caption: "Data",
        items: [
          item(.live, "Live"), item(.losses, "Losses"),
          NavigationItem(icon: Icon.views, label: "Views", link: links.views, isActive: shell.viewZone != nil),
          NavigationItem(
            icon: Icon.settings, label: "Set up", link: links.settings,
            isActive: shell.active == nil && shell.viewZone == nil),
        ]),
    ]
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
  var hasEvent: Bool
  var eventName: String
  var hasGroup: Bool
  var group: String
  var quick: [QuickRange]

  struct QuickRange {
    var text: String
    var link: String
    var isActive: Bool
  }

  static let none = RangeView(
    action: "", from: "", until: "", latest: "", hasEvent: false, eventName: "", hasGroup: false, group: "",
    quick: [])
}

extension RangeView {
  fileprivate init(_ request: ReportRequest, links: PortalLinks) {
    let bare = PortalLinks(app: request.app)
    self.init(
      action: bare.page(request.name), from: request.days.lowerBound.description,
      until: request.days.upperBound.description, latest: request.today.description, hasEvent: request.event != nil,
      eventName: request.event ?? "", hasGroup: request.group != nil, group: request.group.map(String.init) ?? "",
      quick: [7, 30, 90].map { days in
        QuickRange(
          text: "\(days) days",
          link: bare.page(
            request.name, event: request.event, group: request.group,
            range: days == ReportRequest.defaultDays ? "" : "days=\(days)"),
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
