package import Reports
package import Warehouse

/// The page of any report, or sample code while the app has no data at all.
package struct ReportPage: Page {
  let visit: PageVisit
  let request: ReportRequest
  let app: App
  let apps: [App]
  let store: any MetricsStore
  let other: (any MetricsStore)?
  let ask: PageVisit.Ask?

  /// - Parameters:
  ///   - request: The request; its report determines the number of rows unless the request has a limit.
  ///   - app: The app, for the navigation and the sample code.
  ///   - apps: All apps, for switching between them; with only one there is no switch.
  ///   - store: The metrics, including those of the previous period and of anything else on the page.
  ///   - other: The metrics of the segment with which the page is compared: of ``Reports/ReportRequest/compared(_:)``.
  ///   - ask: Answers the page's questions. A `QuestionError` is shown on the page.
  package init(
    _ visit: PageVisit, _ request: ReportRequest, app: App, apps: [App] = [], from store: any MetricsStore,
    comparedWith other: (any MetricsStore)? = nil, ask: PageVisit.Ask? = nil
  ) {
    (self.visit, self.app, self.apps, self.store, self.other, self.ask) = (visit, app, apps, store, other, ask)
    var request = request
    request.limit = request.limit ?? request.report.pageLimit
    self.request = request
  }

  package func html() async throws -> String { try await page().html() }

  private func page() async throws -> any Page {
    var shell = Shell(app: app, apps: apps, report: request.report, title: request.report.title, request: request)
    if request.report.showsChanges {
      shell.comparison = Comparison(request, segments: other == nil ? [] : visit.segments)
    }
    let page = ReportVisit(
      visit: visit, shell: shell, request: request, store: store, otherStore: other, ask: ask)
    if let view = request.view { return ViewReportPage(page: page, view: view) }
    // The sample code contains the app's key.
    if visit.reader.canEdit, request.report.navigation?.entry != .live,
      try await store.recent(app: request.app, limit: 1).isEmpty
    {
      return EmptyAppPage(visit: visit, app: app, shell: shell)
    }
    if let custom = PageList.reports.first(where: { $0.report == request.report }) { return custom.init(page: page) }
    return request.report.rankings.isEmpty ? ListsPage(page: page) : RankingPage(page: page)
  }
}

/// The page of a report whose filter has mistakes: the form with the mistakes beside their fields, and no figures.
package struct FaultyReportPage: Page {
  let visit: PageVisit
  let request: ReportRequest
  let app: App
  let apps: [App]

  package init(_ visit: PageVisit, _ request: ReportRequest, app: App, apps: [App]) {
    (self.visit, self.request, self.app, self.apps) = (visit, request, app, apps)
  }

  package func html() -> String {
    visit.page(
      Shell(app: app, apps: apps, report: request.report, title: request.report.title, request: request), body: "")
  }
}
