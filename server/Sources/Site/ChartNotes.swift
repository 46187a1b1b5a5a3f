import Answering
import HTTP
import Portal
import Reports
import Warehouse

/// The notes about an app's days: the releases, and the notes that people wrote.
struct ChartNotes: Sendable {
  let catalog: any CollectorCatalog
  let store: any MetricsStore
  let reports: ReportScheduler

  /// The notes about some days; none without days.
  func about(_ days: ClosedRange<Day>?, app: AppID, for client: String) async throws -> [ChartNote] {
    guard let days else { return [] }
    let found = try await reports.run(for: client) { [store] in
      try await Releases.find(app: app, days: days, from: store)
    }
    let written = try catalog.annotations(app: app).filter { days.contains($0.day) }.map { ChartNote($0) }
    return (found.map { ChartNote($0) } + written).sorted { $0.day < $1.day }
  }
}
