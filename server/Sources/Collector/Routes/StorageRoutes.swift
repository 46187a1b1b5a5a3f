import Hummingbird
import Portal
import Reports
import TernEvents
import Warehouse

/// `/storage` and `/api/v1/storage`: the disk usage, for owners.
struct StorageRoutes: Sendable {
  let pages: PortalPages
  let reports: ReportScheduler
  let catalog: any CollectorCatalog
  let usage: any RowUsageSource
  let storage: @Sendable () -> StorageStatus
  let wallTime: @Sendable () -> Timestamp

  func add(to routes: RouteTable) {
    routes.on(
      "/storage",
      [
        .get: .page(.permission(.administer)) {
          .html(try pages.shown(to: $1, $0).storage(try await report($1)))
        }
      ])
    routes.on(
      "/api/v1/storage",
      [
        .get: .api(.permission(.administer)) { _, context in
          try .json(encoding: StorageDescription(try await report(context)))
        }
      ])
  }

  /// Reads the report when it is the client's turn.
  private func report(_ context: CollectorContext) async throws -> StorageReport {
    try await reports.run(for: context.clientShare) {
      try await StorageReport(storage(), apps: try catalog.apps(), from: usage, now: wallTime())
    }
  }
}
