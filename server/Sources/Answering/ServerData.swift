import Alerts
package import HTTP
package import Questions
import Reports
import Threads
package import Warehouse

/// The data that the API and the portal read and change.
package struct ServerData: Sendable {
  package let catalog: any CollectorCatalog
  package let store: any MetricsStore
  package let reports: ReportScheduler
  package let answering: QuestionAnswering
  package let persons: PersonData
  package let errors: ErrorStatuses
  package let errorGroups: ErrorGroupDecisions
  /// `nil` if the store's rows can't be counted.
  package let storage: StorageReading?
  package let clocks: Clocks

  /// - Parameters:
  ///   - usage: The store whose rows are counted for the page about the disk usage; `nil` for no such page.
  ///   - executor: The threads on which reports run; `nil` for Swift's own.
  package init(
    catalog: any CollectorCatalog, store: any MetricsStore, questions: any QuestionSource & TrailSource,
    usage: (any RowUsageSource)?, storage: @escaping @Sendable () -> StorageStatus, limits: CollectorLimits,
    executor: (any TaskExecutor)?, clocks: Clocks
  ) {
    (self.catalog, self.store, self.clocks) = (catalog, store, clocks)
    let reports = ReportScheduler(
      FairQueueLimits(running: limits.maximumConcurrentReports), limits, clocks, executor: executor)
    self.reports = reports
    answering = QuestionAnswering(questions, limits: limits, clocks: clocks)
    persons = PersonData(reports: reports, source: questions, catalog: catalog)
    errors = ErrorStatuses(reports: reports, store: store, catalog: catalog, wallTime: clocks.wallTime)
    errorGroups = ErrorGroupDecisions(reports: reports, store: store, catalog: catalog)
    self.storage = usage.map {
      StorageReading(reports: reports, catalog: catalog, usage: $0, storage: storage, wallTime: clocks.wallTime)
    }
  }
}
