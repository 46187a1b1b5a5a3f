package import HTTP
package import Reports
package import TernEvents
package import Warehouse

/// The report about the disk usage.
package struct StorageReading: Sendable {
  package let reports: ReportScheduler
  package let catalog: any CollectorCatalog
  package let usage: any RowUsageSource
  package let storage: @Sendable () -> StorageStatus
  package let wallTime: @Sendable () -> Timestamp

  /// Reads the report when it is the client's turn.
  package func report(_ context: CollectorContext) async throws -> StorageReport {
    try await reports.run(for: context.clientShare) {
      try await StorageReport(storage(), apps: try catalog.apps(), from: usage, now: wallTime())
    }
  }
}
