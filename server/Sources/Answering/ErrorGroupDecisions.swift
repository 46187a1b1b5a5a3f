package import HTTP
import Reports
import TernEvents
package import Warehouse

/// The decisions of people about groups of errors. They are checked here, and a running server applies them within seconds.
package struct ErrorGroupDecisions: Sendable {
  let reports: ReportScheduler
  let store: any MetricsStore
  let catalog: any CollectorCatalog

  private static let ever = Day(number: -1_000_000)...Day(number: 1_000_000)

  /// Makes a group part of another one of the same kind.
  package func merge(_ merge: ErrorDecisions.Merge, _ context: CollectorContext) async throws {
    let app = try context.app.id
    try await reports.run(for: context.clientShare) { [store] in
      let numbers = try await store.errorGroupNumbers(app: app, [merge.group, merge.into])
      guard let group = numbers[merge.group], let into = numbers[merge.into] else { throw APIError.unknownErrorGroup }
      guard group != into else {
        throw APIError.invalid("Errors \(merge.group) and \(merge.into) are one group already.")
      }
      let errors = try await (Self.newest(of: group, app, store), Self.newest(of: into, app, store))
      guard errors.0?.kind == errors.1?.kind else {
        throw APIError.invalid(
          "Errors \(merge.group) and \(merge.into) are a crash and a handled error. Only errors of one kind can be merged."
        )
      }
      guard [errors.0, errors.1].allSatisfy({ $0.map { !ErrorGroup.isOverflow(type: $0.type) } ?? true }) else {
        throw APIError.invalid("The group (other) has unrelated errors. It can't be merged.")
      }
    }
    try catalog.mergeErrors(merge, app: app)
  }

  /// Takes the errors with the same stack as one of them out of their group. What the group's status was, both have.
  ///
  /// - Returns: The number of the new group.
  package func split(occurrence: Int64, _ context: CollectorContext) async throws -> Int64 {
    let app = try context.app.id
    let (signature, group) = try await reports.run(for: context.clientShare) { [store] in
      guard let signature = try await store.errorSignature(app: app, error: occurrence),
        let group = try await store.errorGroupNumbers(app: app, [signature])[signature]
      else { throw APIError.unknownErrorGroup }
      return (signature, group)
    }
    try catalog.splitErrors(signature, app: app)
    return group == signature ? group : signature
  }

  private static func newest(of group: Int64, _ app: AppID, _ store: any MetricsStore) async throws -> ErrorDetail? {
    guard let error = try await store.errors(app: app, group: group, days: ever, limit: 1).first else { return nil }
    return try await store.error(app: app, id: error.id)
  }
}
