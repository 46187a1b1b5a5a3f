import Reports
import Warehouse

/// The page of a view's report: the menu of the view, its figures with their changes, charts, and the lists.
struct ViewReportPage: Page {
  let page: ReportVisit
  let view: View
  var visit: PageVisit { page.visit }

  func html() async throws -> String {
    let (request, links) = (page.request, page.links)
    var shell = page.shell
    shell.report = nil
    shell.breadcrumb = .link("Views", links.page(.views))
    if request.report.isLive {
      shell.script = "refresh.js"
      shell.hasRange = false
    }
    let values: TemplateValues = [
      "lead": request.report.explanation, "rules": view.rules(on: request.days).map { ViewText.text(of: $0, view) },
      "inView": visit.reader.isGuest ? nil : menu(of: view, request.report, links),
      "lists": try await ReportLists(visit: visit).lists(page),
    ]
    return visit.page(shell, body: visit.templates.render("lists", values))
  }

  /// The menu of a view: groups, the reports of the current one, and the way out.
  private func menu(of view: View, _ current: ReportDefinition, _ links: PortalLinks) -> TemplateValues {
    let open = visit.server.reports.view.filter { visit.reader.seesPersonalData || !$0.showsPersonalData }
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
