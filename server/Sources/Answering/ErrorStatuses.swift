package import HTTP
import Reports
package import TernEvents
package import Warehouse

/// The status of error groups.
package struct ErrorStatuses: Sendable {
  package let reports: ReportScheduler
  package let store: any MetricsStore
  package let catalog: any CollectorCatalog
  package let wallTime: @Sendable () -> Timestamp

  /// Returns the status of a group; throws ``APIError`` 404 if the app has no such group.
  package func triage(of group: Int64, _ context: CollectorContext) async throws -> ErrorTriage {
    let app = try context.app.id
    let state = try catalog.errorStates(app: app)[group]
    return try await reports.run(for: context.clientShare) { [store] in
      guard try await store.hasErrorGroup(app: app, id: group) else { throw APIError.unknownErrorGroup }
      return try await ErrorTriage(group, state, app: app, from: store)
    }
  }

  /// Sets the status of a group, and returns the result.
  package func set(_ wanted: NewErrorStatus, _ group: Int64, _ context: CollectorContext) async throws -> ErrorTriage {
    let app = try context.app
    let today = ReportZone(app.zone).day(of: wallTime())
    let latest = try await reports.run(for: context.clientShare) { [store] in
      guard try await store.hasErrorGroup(app: app.id, id: group) else { throw APIError.unknownErrorGroup }
      guard try await !ErrorGroup.isOverflow(app: app.id, group: group, from: store) else {
        throw APIError.invalid(
          "This group has unrelated errors that exceeded the limit on groups. It stays open.")
      }
      // Without a version, stragglers of versions that are out already must not reopen the error.
      guard wanted.status == .closed, wanted.version.isEmpty else { return "" }
      return try await ErrorGroup.latestVersion(app: app.id, today: today, from: store)
    }
    let state = try catalog.setErrorState(
      app: app.id, group: group, status: wanted.status, note: wanted.note,
      version: wanted.version.isEmpty ? latest : wanted.version)
    return ErrorTriage(state, versions: [])
  }
}
