import Reports
import Warehouse

/// The page of a report without a page of its own: its lists, one below the other.
struct ListsPage: Page {
  let page: ReportVisit
  var visit: PageVisit { page.visit }

  func html() async throws -> String {
    let lists = try await ReportLists(visit: visit).lists(page)
    return visit.page(
      page.shell, body: visit.templates.render("lists", ["lead": page.request.report.explanation, "lists": lists]))
  }
}
