import Reports
import Warehouse

/// A group of a view's reports, which are tabs of each other.
private enum ViewGroup: String, CaseIterable {
  case audience = "Audience"
  case behavior = "Behavior"
  case ecommerce = "Ecommerce"
  case hits = "Hits"

  /// The group of a report; one that no other group names is about the audience.
  init(_ report: ReportDefinition) {
    switch report.name {
    case "screens", "landing", "exits", "depth", "flow", "events", "exceptions", "timings", "social": self = .behavior
    case "ecommerce", "shopping", "checkout", "promotions", "lists": self = .ecommerce
    case "realtime", "late", "hits": self = .hits
    default: self = .audience
    }
  }
}

extension PortalPages {
  /// The page of a view's report: the menu of the view, its figures with their changes, charts, and the lists.
  func viewPage(_ view: View, _ page: PageContext) async throws -> String {
    let (request, links) = (page.request, page.links)
    var shell = page.shell
    shell.report = nil
    shell.breadcrumb = .link("Views", links.page(.views))
    if request.report == ViewReports.realtime {
      shell.script = "refresh.js"
      // It shows the last half hour.
      shell.hasRange = false
    }
    let values: TemplateValues = [
      "lead": request.report.explanation, "rules": view.rules(on: request.days).map { Self.text(of: $0, view) },
      "inView": reader.isGuest ? nil : menu(of: view, request.report, links), "lists": try await lists(page),
    ]
    return self.page(shell, body: templates.render("lists", values))
  }

  /// The menu of a view: groups, the reports of the current one, and the way out.
  private func menu(of view: View, _ current: ReportDefinition, _ links: PortalLinks) -> TemplateValues {
    let open = reports.view.filter { reader.seesPersonalData || !$0.showsPersonalData }
    let groups = ViewGroup.allCases.compactMap { group -> TemplateValues? in
      open.first { ViewGroup($0) == group }.map { first in
        .link(group.rawValue, links.page(first, of: view.id), isActive: group == ViewGroup(current))
      }
    }
    return [
      "view": shown(view.name), "leave": links.unfiltered.page(AppReports.overview), "groups": groups,
      "links": open.filter { ViewGroup($0) == ViewGroup(current) }.map {
        TemplateValues.link($0.title, links.page($0, of: view.id), isActive: $0 == current)
      },
    ]
  }

  /// True if the page of a view's report compares its totals with those of the previous period.
  static func comparesTotals(_ request: ReportRequest) -> Bool {
    request.view != nil && ["overview", "ecommerce"].contains(request.report.name)
  }

  /// The change of a figure of a list with totals; `nil` if there is nothing to compare.
  func change(
    of column: Int, in list: ReportList, _ changes: Changes<[ReportList]>?, _ text: (ReportValue) -> String
  ) -> Change? {
    func value(_ lists: [ReportList]) -> ReportValue? {
      let row = lists.first { $0.name == list.name }?.rows.first
      return row.flatMap { $0.indices.contains(column) ? $0[column] : nil }
    }
    guard let changes, let current = value(changes.current), let other = value(changes.other),
      let (now, before) = current.amount.flatMap({ now in other.amount.map { (now, $0) } })
    else { return nil }
    guard now != 0 || before != 0 else { return nil }
    let texts = (current: text(current), other: text(other))
    if case .share = current {
      return Change(shares: now, before: before, note: changes.comparison.note(texts.current, texts.other))
    }
    return changes.comparison.change(now, before, texts)
  }
}

extension ReportValue {
  /// The value as a number for a chart or a comparison; `nil` for text.
  var amount: Double? {
    switch self {
    case .integer(let number), .duration(let number): Double(number)
    case .decimal(let number), .share(let number): number
    case .amount(let text): Double(text)
    case .text, .id, .time, .day, .flag, .texts, .properties, .list, .none: nil
    }
  }
}
