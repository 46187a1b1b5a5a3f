import Answering
import HTTP
import Hummingbird
import Portal
import Questions
import TernEvents
import Warehouse

extension Site {
  /// Adds the addresses that open pages of an app.
  func add(_ pages: [any AppPage.Type], to routes: RouteTable) {
    for page in pages {
      routes.on(
        page.place.route,
        [
          .get: .page(.permission(page.place.right)) {
            try await open(page, $0, $1, FormResult(outcome: $0.parameters["done"]))
          }
        ])
    }
  }

  /// Opens a page of an app, or shows it again with what is wrong with its form.
  ///
  /// - Parameter fields: The fields of the form that failed.
  func open(
    _ page: (some AppPage).Type, _ request: Request, _ context: CollectorContext, fields: [String: String]? = nil,
    _ result: FormResult
  ) async throws -> Response {
    let opened = OpenedPage(
      site: self, request: request, context: context, app: try context.app,
      apps: try context.visitor.visible(try catalog.apps()), fields: fields, result: result)
    return .html(try await page.init(opened).html(), status: result.message == nil ? .ok : .badRequest)
  }
}

/// A request for a page of an app.
private struct OpenedPage: PageRequest {
  let site: Site
  let request: Request
  let context: CollectorContext
  let app: App
  let apps: [App]
  let fields: [String: String]?
  let result: FormResult

  var parameters: [String: String] { request.parameters }
  var now: Timestamp { site.wallTime() }
  var catalog: any PageCatalog { site.catalog }
  var ask: PageVisit.Ask { site.answering.forForm(context) }

  func segments() throws -> [SavedSegment] { try context.visibleSegments(site.catalog) }

  func visit(naming values: Set<NamedValue>) async throws -> PageVisit {
    try site.visit(
      request, context, segments: try segments(),
      unknownValues: try await site.answering.unknownValues(among: values, context))
  }

  func read<Value: Sendable>(
    _ body: @escaping @Sendable (any MetricsStore) async throws -> Value
  ) async throws -> Value {
    try await site.reports.run(for: context.clientShare) { [store = site.store] in try await body(store) }
  }
}
