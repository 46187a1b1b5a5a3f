package import Questions
package import Reports
package import Warehouse

/// The inputs of a report's page.
struct PageContext {
  var shell: Shell
  let request: ReportRequest
  let store: any MetricsStore
  /// The metrics of the segment with which the page is compared.
  var otherStore: (any MetricsStore)?
  /// Answers questions; `nil` where pages do without.
  var ask: PortalPages.Ask?
  var links: PortalLinks { PortalLinks(request) }
}

extension PortalPages {
  /// Pages with charts and details, by report. All other reports use the page of rankings or of lists.
  private static let pages: [ReportDefinition: @Sendable (PortalPages, PageContext) async throws -> String] = [
    AppReports.overview: { try await $0.overviewPage($1) },
    AppReports.event: { try await $0.eventPage($1) },
    AppReports.errors: { try await $0.errorsPage($1) },
    AppReports.error: { try await $0.errorPage($1) },
    AppReports.live: { try await $0.livePage($1) },
    AppReports.dropped: { try await $0.droppedPage($1) },
  ]

  /// The page of any report, or sample code while the app has no data at all.
  ///
  /// - Parameters:
  ///   - request: The request; its report determines the number of rows unless the request has a limit.
  ///   - app: The app, for the navigation and the sample code.
  ///   - apps: All apps, for switching between them; with only one there is no switch.
  ///   - store: The metrics, including those of the previous period and of anything else on the page.
  ///   - other: The metrics of the segment with which the page is compared: of ``comparedRequest(_:)``.
  ///   - ask: Answers the page's questions. A `QuestionError` is shown on the page.
  ///
  /// Rethrows the store's errors.
  package func report(
    _ request: ReportRequest, app: App, apps: [App] = [], from store: any MetricsStore,
    comparedWith other: (any MetricsStore)? = nil, ask: (@Sendable (Question) async throws -> AnsweredQuestion)? = nil
  ) async throws -> String {
    var request = request
    request.limit = request.limit ?? request.report.pageLimit
    var shell = Shell(app: app, apps: apps, report: request.report, title: request.report.title, request: request)
    if request.report.showsChanges { shell.comparison = Comparison(request, segments: other == nil ? [] : segments) }
    let page = PageContext(shell: shell, request: request, store: store, otherStore: other, ask: ask)
    if let view = request.view { return try await viewPage(view, page) }
    // The sample code contains the app's key.
    if reader.canEdit, request.report.navigation?.entry != .live,
      try await store.recent(app: request.app, limit: 1).isEmpty
    {
      return emptyPage(shell)
    }
    if let custom = Self.pages[request.report] { return try await custom(self, page) }
    return request.report.rankings.isEmpty ? try await listsPage(page) : try await rankingPage(page)
  }

  private func emptyPage(_ shell: Shell) -> String {
    var shell = shell
    shell.request = nil
    shell.script = "refresh.js"
    let values: TemplateValues = [
      "tern": Icon.tern, "arrival": arrival(of: nil, shell.app),
      "liveLink": PortalLinks(app: shell.app.id).page(AppReports.live),
      "setup": setup(app: shell.app),
    ]
    return page(shell, body: templates.render("empty", values))
  }

  /// A row of tiles as HTML.
  func tiles(_ tiles: [TemplateValues]) -> String { templates.render("tiles", ["tiles": tiles]) }

  /// The numbers behind a chart as a table that opens on demand.
  ///
  /// - Parameter isNewestFirst: True to begin with the last place.
  func table(_ chart: Chart, _ series: [Chart.Series]? = nil, isNewestFirst: Bool = true) -> String {
    let series = series ?? chart.series
    let places = isNewestFirst ? Array(chart.places.indices.reversed()) : Array(chart.places.indices)
    let rows = places.map { place -> TemplateValues in
      let cells = series.map { series -> TemplateValues in
        [
          "text": chart.format.text(series.values[place]),
          "target": series.links.indices.contains(place) ? series.links[place] : nil,
        ]
      }
      return ["head": chart.places[place].title, "cells": cells]
    }
    return templates.render("table", ["columns": [chart.unit] + series.map(\.name), "rows": rows])
  }
}
