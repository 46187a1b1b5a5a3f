package import HTTP
import Reports
import TernEvents
package import Warehouse

/// The decisions of people about groups of errors. They are checked here, and a running server applies them within seconds.
package struct ErrorGroupDecisions: Sendable {
  let reports: ReportScheduler
  let store: any MetricsStore
  let catalog: any CollectorCatalog

  /// Makes a group part of another one of the same kind.
  package func merge(_ merge: ErrorDecisions.Merge, _ context: CollectorContext) async throws {
    let app = try context.app.id
    try await reports.run(for: context.clientShare) { [store] in try await merge.check(app: app, in: store) }
    try catalog.mergeErrors(merge, app: app)
  }

  /// Takes the errors with the same stack as one of them out of their group. The group's state is that of both.
  ///
  /// - Returns: The number of the new group.
  package func split(occurrence: Int64, _ context: CollectorContext) async throws -> Int64 {
    let app = try context.app.id
    let states = try catalog.errorStates(app: app)
    let (signature, members) = try await reports.run(for: context.clientShare) { [store] in
      guard let signature = try await store.errorSignature(app: app, error: occurrence) else {
        throw WarehouseError(
          .invalid,
          "There is no such error, or only its group is known: its text was deleted, or an earlier version stored it.")
      }
      return (signature, try await store.errorGroupMembers(app: app, signature))
    }
    let others = members.filter { $0 != signature }
    guard !others.isEmpty else {
      throw WarehouseError(
        .invalid, "All errors of this group have the same stack, so there is nothing to take it out of.")
    }
    try catalog.atomically {
      if let state = members.compactMap({ states[$0] }).max(by: { $0.changed < $1.changed }) {
        try catalog.copyErrorState(state, to: [signature, others[0]], app: app)
      }
      try catalog.splitErrors(signature, app: app)
    }
    return signature
  }
}
