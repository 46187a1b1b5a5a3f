import Reports
import Warehouse

/// The visit of a report's page: the request, what answers it, and the frame.
struct ReportVisit: Sendable {
  let visit: PageVisit
  var shell: Shell
  let request: ReportRequest
  var store: any MetricsStore
  /// The metrics of the segment with which the page is compared.
  var otherStore: (any MetricsStore)?
  /// Answers questions; `nil` where pages do without.
  var ask: PageVisit.Ask?
  var links: PortalLinks { PortalLinks(request) }
}

/// The page of one report, with charts and details of its own.
protocol CustomReportPage: Page {
  static var report: ReportDefinition { get }

  var page: ReportVisit { get }

  init(page: ReportVisit)
}

extension CustomReportPage {
  var visit: PageVisit { page.visit }
}
