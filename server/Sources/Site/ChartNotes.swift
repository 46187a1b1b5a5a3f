import Answering
import HTTP
import Portal
import Reports
import Warehouse

/// Adds the notes about an app's days to its pages: the releases, and the notes that people wrote.
struct ChartNotes: Sendable {
  let catalog: any CollectorCatalog
  let store: any MetricsStore
  let reports: ReportScheduler

  /// The pages with the notes about some days.
  func added(
    to pages: PortalPages, app: AppID, days: ClosedRange<Day>?, for client: String
  ) async throws -> PortalPages {
    guard let days else { return pages }
    var pages = pages
    let found = try await reports.run(for: client) { [store] in
      try await Releases.find(app: app, days: days, from: store)
    }
    let written = try catalog.annotations(app: app).filter { days.contains($0.day) }.map { ChartNote($0) }
    pages.notes = (found.map { ChartNote($0) } + written).sorted { $0.day < $1.day }
    return pages
  }
}
