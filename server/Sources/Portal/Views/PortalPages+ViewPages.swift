import Reports
import Warehouse

extension PortalPages {
  /// The page of a view's report: the menu of the view, its figures with their changes, charts, and the lists.
  func viewPage(_ view: View, _ page: PageContext) async throws -> String {
    let (request, links) = (page.request, page.links)
    var shell = page.shell
    shell.report = nil
    shell.breadcrumb = .link("Views", links.page(.views))
    if request.report.isLive {
      shell.script = "refresh.js"
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
    let groups = ViewReportGroup.allCases.compactMap { group -> TemplateValues? in
      open.first { $0.viewGroup == group }.map { first in
        .link(group.rawValue, links.page(first, of: view.id), isActive: group == current.viewGroup)
      }
    }
    return [
      "view": shown(view.name), "leave": links.unfiltered.page(AppReports.overview), "groups": groups,
      "links": open.filter { $0.viewGroup == current.viewGroup }.map {
        TemplateValues.link($0.title, links.page($0, of: view.id), isActive: $0 == current)
      },
    ]
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
