import Ingest
import Reports
import TernBase
import TernEvents
import Warehouse

/// The page of the latest rows, to which a script adds new ones as they arrive.
struct LivePage: CustomReportPage {
  static let report = AppReports.live

  let page: ReportVisit

  func html() async throws -> String {
    let request = page.request
    // More than the page shows, so that those of the last minute can be counted.
    var counted = request
    counted.limit = Self.countedRows
    let stored = try await LiveMetrics(counted, from: page.store).rows
    let rows = stored.prefix(request.limit ?? Self.shownRows)
    let ages = stored.map { request.now.millisecondsSince1970.subtractingSaturated($0.received.millisecondsSince1970) }
      .filter { (0..<60_000).contains($0) }
    var shell = page.shell
    shell.hasRange = false
    shell.script = "live.js"
    let links = PortalLinks(request)
    let unanswered = try request.rowFilter(visit.segments).unanswered.map(\.words)
    let values: TemplateValues = [
      "people": "/apps/\(request.app)/people/numbers/",
      "stream": AddressText.joined(["/apps/\(request.app)/live/events?after=\(rows.first?.id ?? 0)", links.filterQuery]
      ),
      "timeZone": request.zone.identifier,
      "refreshLink": links.page(AppReports.live), "setupLink": links.page(.setup),
      "ages": ages.map(String.init).joined(separator: " "), "rate": grouped(ages.count),
      "kinds": [StoredKind.event, .screen, .sessionStart, .crash, .handledError, .attachment, .drops].map {
        ["value": $0.name, "text": StoredEventText.caption($0)] as TemplateValues
      },
      "unanswered": unanswered.isEmpty ? nil : unanswered.joined(separator: " and "),
      "hasNone": request.filter.isEmpty ? nil : "No rows match among the latest \(grouped(RowFilter.searchedRows)).",
      "entries": rows.map { entry($0, in: request, links) },
    ]
    return visit.page(shell, body: visit.templates.render("live", values))
  }

  private static let shownRows = 100

  private static let countedRows = 1_000

  /// A row of the live page, which adds what it says to the filter.
  private func entry(_ event: StoredEvent, in request: ReportRequest, _ links: PortalLinks) -> TemplateValues {
    StoredEventText.entry(event, zone: request.zone, links) { visit.filterLink(request, $0, $1) }
  }
}
