import Portal
import Reports
import TernEvents
import Warehouse

/// What the portal's pages are made with, and answered from.
struct Site: Sendable {
  let pages: PortalPages
  let reader: BodyReader
  let access: Access
  let catalog: any CollectorCatalog
  let store: any MetricsStore
  let reports: ReportScheduler
  let answering: QuestionAnswering
  let wallTime: @Sendable () -> Timestamp

  var notes: ChartNotes { ChartNotes(catalog: catalog, store: store, reports: reports) }
}
