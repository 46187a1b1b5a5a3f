import Reports
public import Warehouse

extension PortalPages {
  /// The page of a report without a page of its own: its lists, one below the other.
  func listsPage(_ page: PageContext) async throws -> String {
    let view = ListsView(lead: page.request.report.explanation, lists: try await lists(page))
    return self.page(page.shell, body: templates.render("lists", view))
  }

  /// The page of a view's report: links to the view's other reports, then the lists.
  func viewPage(_ page: PageContext) async throws -> String {
    let (request, links) = (page.request, page.links)
    guard let view = request.view else { return try await listsPage(page) }
    let body = ListsView(
      lead: request.report.explanation, rules: view.rules(on: request.days).map { Self.text(of: $0, view) },
      links: reports.view.map {
        ListsView.Link(text: $0.title, link: links.page($0, of: view.id), isActive: $0 == request.report)
      }, hasLinks: true, lists: try await lists(page))
    var shell = page.shell
    shell.report = nil
    shell.trail = shown(view.name)
    shell.trailLink = links.views
    if request.report == ViewReports.realtime { shell.script = "realtime.js" }
    return self.page(shell, body: templates.render("lists", body))
  }

  /// The list of an app's views with their settings.
  public func views(_ views: [View], app: PortalApp, apps: [PortalApp] = []) -> String {
    let rows = views.map { view in
      ViewListPage.Row(
        name: shown(view.name), link: PortalLinks(app: app.id).page(AppReports.overview, of: view.id),
        zone: view.timeZone,
        rules: view.rules.map { rules in
          ViewListPage.Rule(
            text: Self.text(of: rules, view),
            filters: shown(rules.filters.map(\.description).joined(separator: ", "), empty: "None"))
        })
    }
    let shell = Shell(app: app, apps: apps, report: nil, title: "Views", isViews: true)
    return page(
      shell, body: templates.render("views", ViewListPage(app: app.id.description, isEmpty: views.isEmpty, rows: rows)))
  }

  private func lists(_ page: PageContext) async throws -> [ListsView.List] {
    let lists = try await page.request.report(from: page.store).content.pageTables
    return lists.map { list in
      let styles = list.columns.indices.map { column in Self.style(list.rows.map { $0[column] }) }
      return ListsView.List(
        heading: list.title.isEmpty ? page.request.report.title : visible(list.title), isEmpty: list.rows.isEmpty,
        columns: zip(list.columns, styles).map { ListsView.Cell(text: $0.title, style: $1) },
        rows: list.rows.map { row in
          let cells = zip(row, styles).enumerated().map { column, cell in
            ListsView.Cell(text: Self.text(cell.0, isHead: column == 0), style: cell.1)
          }
          return ListsView.Row(head: cells.first, cells: Array(cells.dropFirst()))
        })
    }
  }

  private static func text(_ value: ReportValue, isHead: Bool) -> String {
    switch value {
    // An empty first column means an unnamed item; in other columns there is just nothing to show.
    case .text(let text): shown(text, empty: isHead ? "(no name)" : "–")
    case .duration(let milliseconds): clockText(milliseconds: milliseconds)
    case .time(let time): time.isoText.replacing("T", with: " ")
    default: value.displayText
    }
  }

  /// The CSS classes of a column: text aligned left, numbers right, short text on one line.
  private static func style(_ column: [ReportValue]) -> String {
    if column.contains(where: { if case .time = $0 { true } else { false } }) { return "words when" }
    let texts = column.compactMap { value -> String? in
      if case .text(let text) = value, Double(text) != nil { return nil }
      return value.isNumeric || value == .none ? nil : value.displayText
    }
    guard let longest = texts.map(\.utf8.count).max() else { return "number" }
    return longest <= 24 ? "words short" : longest <= 100 ? "words" : "words long"
  }

  /// The rules of a view on one line, with the first day to which they apply.
  private static func text(of rules: View.Rules, _ view: View) -> String {
    let settings = rules.settings
    let place = (view.timeZone.split(separator: "/").last ?? "").replacing("_", with: " ")
    let zone = view.timeZone.contains("/") ? "\(place) time" : place
    let closing =
      switch rules.lateness {
      case .cutoff: "Days close at 04:00 \(zone)"
      case .window: "Days close after 25 days"
      case .none: "Days never close"
      }
    let users =
      switch settings.identity {
      case .client: [String]()
      case .user: ["users by uid"]
      case .explicitUser: ["users by uid without unification"]
      }
    let parts =
      [
        closing, "session timeout \(settings.sessionTimeout.components.seconds / 60) min",
        "campaign timeout \(counted(settings.campaignDays, "day"))",
      ] + (settings.hasQuotas ? ["at most \(ViewSettings.sessionHits) hits per session"] : []) + users
      + (settings.currency.isEmpty ? [] : [settings.currency])
    return (rules.start.map { "From \($0): " } ?? "") + parts.joined(separator: " · ")
  }
}

private struct ListsView {
  struct Link {
    var text: String
    var link: String
    var isActive: Bool
  }

  struct List {
    var heading: String
    var isEmpty: Bool
    var columns: [Cell]
    var rows: [Row]
  }

  struct Cell {
    var text: String
    var style: String
  }

  struct Row {
    var head: Cell?
    var cells: [Cell]
  }

  var lead: String
  var rules: [String] = []
  var links: [Link] = []
  var hasLinks = false
  var lists: [List]
}

private struct ViewListPage {
  struct Rule {
    var text: String
    var filters: String
  }

  struct Row {
    var name: String
    var link: String
    var zone: String
    var rules: [Rule]
  }

  var app: String
  var isEmpty: Bool
  var rows: [Row]
}
