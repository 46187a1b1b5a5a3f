import Reports
import TernBase
import Warehouse

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
package struct LinksPage: AppPage {
  package static let place = AppPlace.links

  let visit: PageVisit
  let links: [(link: SharedLink, name: String)]
  let page: PageToShare?
  let app: App
  let apps: [App]
  let result: FormResult

  /// - Parameters:
  ///   - links: The links with their names in words.
  ///   - page: The page that the form shares; `nil` for the choice of one.
  init(
    _ visit: PageVisit, _ links: [(link: SharedLink, name: String)], page: PageToShare?, app: App, apps: [App],
    result: FormResult = FormResult()
  ) {
    (self.visit, self.links, self.page, self.app, self.apps, self.result) = (visit, links, page, app, apps, result)
  }

  package init(_ request: some PageRequest) async throws {
    let (app, now, segments, catalog) = (request.app, request.now, try request.segments(), request.catalog)
    func name(_ link: SharedLink) -> String { catalog.name(of: link, app: app, now: now, segments: segments) }
    let page = request.parameters["report"].map { report in
      let query = request.parameters["query"] ?? ""
      let link = SharedLink(id: 0, app: app.id, report: report, query: query, sites: [], created: now, expires: nil)
      return PageToShare(report: report, query: query, name: name(link))
    }
    self.init(
      try await request.visit(), try catalog.links(app: app.id).map { ($0, name($0)) }, page: page, app: app,
      apps: request.apps, result: request.result)
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
