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
    let states = try catalog.errorStates(app: app)
    return try await reports.run(for: context.clientShare) { [store] in
      let number = try await Self.number(of: group, app, store)
      return try await ErrorTriage(number, states, app: app, from: store)
    }
  }

  /// Sets the status of a group, and returns the result.
  package func set(_ wanted: NewErrorStatus, _ group: Int64, _ context: CollectorContext) async throws -> ErrorTriage {
    let app = try context.app
    let today = ReportZone(app.zone).day(of: wallTime())
    let (group, latest) = try await reports.run(for: context.clientShare) { [store] in
      let group = try await Self.number(of: group, app.id, store)
      guard try await !ErrorGroup.isOverflow(app: app.id, group: group, from: store) else {
        throw APIError.invalid(
          "This group has unrelated errors that exceeded the limit on groups. It stays open.")
      }
      // Without a version, stragglers of versions that are out already must not reopen the error.
      guard wanted.status == .closed, wanted.version.isEmpty else { return (group, "") }
      return (group, try await ErrorGroup.latestVersion(app: app.id, today: today, from: store))
    }
    let state = try catalog.setErrorState(
      app: app.id, group: group, status: wanted.status, note: wanted.note,
      version: wanted.version.isEmpty ? latest : wanted.version)
    return ErrorTriage(state, versions: [])
  }

  /// Returns the current number of a group.
  private static func number(of group: Int64, _ app: AppID, _ store: any MetricsStore) async throws -> Int64 {
    guard let number = try await store.errorGroupNumbers(app: app, [group])[group] else {
      throw APIError.unknownErrorGroup
    }
    return number
  }
}
