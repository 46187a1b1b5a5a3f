import JSON
import Reports
import TernEvents
import Warehouse

/// `/api/v1/storage`: the disk usage, for owners.
struct StorageEndpoints: Sendable {
  let reports: ReportScheduler
  let catalog: any CollectorCatalog
  let usage: any RowUsageSource
  let storage: @Sendable () -> StorageStatus
  let wallTime: @Sendable () -> Timestamp

  func add(to api: EndpointGroup) {
    api.group("", .administer).get(
      "/storage", "storage",
      "The disk usage, its growth, and when the disk will be full. The bytes of apps are estimates. For owners.",
      Answer("Storage", StorageReport.members), errors: [503]
    ) { try await report($0.context) }
  }

  /// Reads the report when it is the client's turn.
  func report(_ context: CollectorContext) async throws -> StorageReport {
    try await reports.run(for: context.clientShare) {
      try await StorageReport(storage(), apps: try catalog.apps(), from: usage, now: wallTime())
    }
  }
}
