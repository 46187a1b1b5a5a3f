import HTTPTypes
import JSON
import Reports
import TernEvents
import Warehouse

/// `/api/v1/apps/{app}/errors/{group}`: the status of error groups.
struct ErrorStatusEndpoints: Sendable {
  let reports: ReportScheduler
  let store: any MetricsStore
  let catalog: any CollectorCatalog
  let wallTime: @Sendable () -> Timestamp

  private static let status = Answer("ErrorStatus", ShownErrorStatus.members)

  func add(to api: EndpointGroup) {
    let path = "/apps/:app/errors/:group"
    api.group(path, .read).get("", "errorStatus", "The status of an error group.", Self.status, errors: [503]) { call in
      let (group, app) = (try call.number("group", else: .unknownErrorGroup), try call.app.id)
      let state = try catalog.errorStates(app: app)[group]
      let triage = try await reports.run(for: call.context.clientShare) { [store] in
        guard try await store.hasErrorGroup(app: app, id: group) else { throw APIError.unknownErrorGroup }
        return try await ErrorTriage(group, state, app: app, from: store)
      }
      return ShownErrorStatus(group, triage)
    }
    api.group(path, .edit).on(
      .put, "", "setErrorStatus",
      "Sets the status of an error group. A closed one opens again when it comes back in a later version.",
      JSONBody("NewErrorStatus", NewErrorStatus.members, maximumBytes: 64 << 10), Self.status
    ) { call, sent in
      let (group, wanted) = (
        try call.number("group", else: .unknownErrorGroup), try sent.value(from: NewErrorStatus())
      )
      return ShownErrorStatus(group, try await set(wanted, group, call.context))
    }
  }

  /// Sets a state, and returns it as it applies.
  func set(_ wanted: NewErrorStatus, _ group: Int64, _ context: CollectorContext) async throws -> ErrorTriage {
    let app = try context.app
    let today = ReportZone(app.zone).day(of: wallTime())
    let latest = try await reports.run(for: context.clientShare) { [store] in
      guard try await store.hasErrorGroup(app: app.id, id: group) else { throw APIError.unknownErrorGroup }
      guard try await !ErrorGroup.isOverflow(app: app.id, group: group, from: store) else {
        throw APIError.invalid(
          "This group has errors that are unlike each other, beyond the limit on new groups. It stays open.")
      }
      // Without a version, stragglers of versions that are out already must not open the error again.
      guard wanted.status == .closed, wanted.version.isEmpty else { return "" }
      return try await ErrorGroup.latestVersion(app: app.id, today: today, from: store)
    }
    let state = try catalog.setErrorState(
      app: app.id, group: group, status: wanted.status, note: wanted.note,
      version: wanted.version.isEmpty ? latest : wanted.version)
    return ErrorTriage(state, versions: [])
  }
}

extension APIError {
  static let unknownErrorGroup = unknown(
    "error", "This error does not exist. The report errors lists those of a range.")
}
