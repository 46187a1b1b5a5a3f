import Ingest
import TernEvents
package import Warehouse

extension ErrorDecisions.Merge {
  /// Checks that both groups exist and can be one.
  ///
  /// - Throws: ``WarehouseError`` with code `invalid`.
  package func check(app: AppID, in store: any MetricsStore) async throws {
    let numbers = try await store.errorGroupNumbers(app: app, [group, into])
    for number in [group, into] where numbers[number] == nil {
      throw WarehouseError(.invalid, "This app has no error \(number). The report errors lists the numbers.")
    }
    guard numbers[group] != numbers[into] else {
      throw WarehouseError(.invalid, "Errors \(group) and \(into) are one group already.")
    }
    let errors = try await (newest(of: group, app, store), newest(of: into, app, store))
    guard let first = errors.0, let second = errors.1 else {
      throw WarehouseError(.invalid, "One of the groups has no errors any more.")
    }
    guard first.kind == second.kind else {
      throw WarehouseError(
        .invalid, "Errors \(group) and \(into) are a crash and a handled error. Only errors of one kind can be merged.")
    }
    guard ![first, second].contains(where: { ErrorGroup.isOverflow(type: $0.type) }) else {
      throw WarehouseError(.invalid, "The group (other) has unrelated errors. It can't be merged.")
    }
  }

  private func newest(of group: Int64, _ app: AppID, _ store: any MetricsStore) async throws -> ErrorDetail? {
    let ever = Day(number: -1_000_000)...Day(number: 1_000_000)
    guard let error = try await store.errors(app: app, group: group, days: ever, limit: 1).first else { return nil }
    return try await store.error(app: app, id: error.id)
  }
}
