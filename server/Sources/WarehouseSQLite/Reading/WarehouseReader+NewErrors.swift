import Ingest
package import Warehouse

/// A group of errors without its figures.
package struct ErrorGroupName: Sendable, Hashable {
  /// The number, which is higher for a group that occurred first later.
  package var id: Int64
  /// The exception's type; for a crash without one, the signal.
  package var type: String
  /// The top stack frame; empty if there is no stack.
  package var place: String
}

extension WarehouseReader {
  /// Returns an app's groups of errors with higher numbers, in order, and the highest number of any group; 0 if there is none.
  package func errorGroups(
    app: AppID, after id: Int64, limit: Int
  ) async throws -> (groups: [ErrorGroupName], highest: Int64) {
    try await reading { connection in
      let statement = try connection.prepare(
        "SELECT id, type, place FROM error_group WHERE id > ? AND app = ? ORDER BY id LIMIT ?")
      statement.bind(id, app.rawValue, Int64(limit))
      var groups: [ErrorGroupName] = []
      while try statement.step() {
        groups.append(
          ErrorGroupName(id: statement.integer(0), type: statement.text(1), place: statement.text(2)))
      }
      return (groups, try connection.integer("SELECT max(id) FROM error_group") ?? 0)
    }
  }

  /// Returns the names of groups of errors by their numbers.
  package func errorGroups(_ ids: [Int64]) async throws -> [Int64: ErrorGroupName] {
    try await reading { connection in
      let statement = try connection.prepare("SELECT id, type, place FROM error_group WHERE id = ?")
      var groups: [Int64: ErrorGroupName] = [:]
      for id in ids {
        statement.bind(id)
        if try statement.step() {
          groups[id] = ErrorGroupName(id: id, type: statement.text(1), place: statement.text(2))
        }
        statement.reset()
      }
      return groups
    }
  }
}
