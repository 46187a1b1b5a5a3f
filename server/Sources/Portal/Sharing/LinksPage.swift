import Reports
import TernBase
package import Warehouse

/// A page that a form shares.
package struct PageToShare: Sendable {
  /// The name of the page.
  var report: String
  /// The page's parameters.
  var query: String
  /// The page in words.
  var name: String

  package init(report: String, query: String, name: String) {
    (self.report, self.query, self.name) = (report, query, name)
  }
}

/// The page of an app's shared links, which posts to `/apps/ID/links`.
package struct LinksPage: Page {
  let visit: PageVisit
  let links: [(link: SharedLink, name: String)]
  let page: PageToShare?
  let app: App
  let apps: [App]
  let result: FormResult

  /// - Parameters:
  ///   - links: The links with their names in words.
  ///   - page: The page that the form shares; `nil` for the choice of one.
  package init(
    _ visit: PageVisit, _ links: [(link: SharedLink, name: String)], page: PageToShare?, app: App, apps: [App],
    result: FormResult = FormResult()
  ) {
    (self.visit, self.links, self.page, self.app, self.apps, self.result) = (visit, links, page, app, apps, result)
  }

  package func html() -> String {
    let address = PortalLinks(app: app.id).page(.links)
    let rows = links.map { link, name -> TemplateValues in
      .row(
        [
          name, shown(link.sites.joined(separator: ", "), empty: "–"), listed(link.created, of: app),
          listed(link.expires, of: app),
        ], [.button("Revoke", "revoke", id: link.id, to: address, destroys: true)])
    }
    let choices = visit.server.reports.app.filter { !$0.showsPersonalData && $0.missingParameter == nil }
    let subject: [TemplateValues] =
      page.map { [.hidden("report", $0.report), .hidden("query", $0.query)] }
      ?? [.choice("Page", "report", choices.map { ($0.name, $0.title) })]
    return visit.management(
      ManagementPage(
        title: "Shared links", lead: "Anyone with a link can read its page without logging in.", result: result,
        tables: [.list("Links", ["Page", "Embedded by", "Created", "Expires"], rows, empty: "No links yet")],
        forms: [
          .form(
            page.map { "Share \($0.name)" } ?? "Share a page", button: "Create link", "create", to: address,
            help: "To share a question, a dashboard or a page with filters, choose Share below it.",
            subject + [
              .field("Expires after (days)", "days", type: "number", placeholder: "Never"),
              .field("Sites that may embed the page", "sites", placeholder: "https://wiki.example.com"),
            ])
        ]), app: app, apps: apps, place: .links)
  }
}

extension PortalLinks {
  /// The address of the form that shares a page.
  func share(_ page: String, _ query: String) -> String {
    "\(self.page(.links))?report=\(page)&query=\(PercentCoding.encode(query))"
  }

  /// The address of the form that shares a report, with its filter, comparison and range.
  func share(_ request: ReportRequest) -> String {
    let page = page(request)
    return share(request.report.name, page.firstIndex(of: "?").map { String(page[page.index(after: $0)...]) } ?? "")
  }
}

extension AppPlace {
  package static let links = AppPlace("Shared links", "links")
}
