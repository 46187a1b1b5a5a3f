import Ingest
package import Warehouse

/// A group of errors without its figures.
package struct ErrorGroupName: Sendable, Hashable {
  /// The number, which is higher for a group that occurred first later.
  package var id: Int64
  /// The exception's type; for a crash without one, the signal.
  package var type: String
  /// The first frame of the app; empty if there is no stack.
  package var place: String
}

extension WarehouseReader {
  /// Returns an app's groups of errors that begin with a higher number, in order, and the number through which all are known.
  ///
  /// Numbers from the first pending signature on wait until it has its group: it may belong to a known one.
  package func errorGroups(
    app: AppID, after id: Int64, limit: Int
  ) async throws -> (groups: [ErrorGroupName], highest: Int64) {
    try await reading { connection in
      let pending = try connection.prepare(
        kept: "SELECT min(id) FROM error_group WHERE app = ? AND is_pending <> 0 AND is_pending = 1")
      pending.bind(app.rawValue)
      let last = try pending.first { $0.isNull(0) ? nil : $0.integer(0) - 1 } ?? nil
      let highest = try last ?? connection.integer("SELECT max(id) FROM error_group") ?? 0
      let statement = try connection.prepare(
        """
        SELECT id, \(ErrorGroups.shownType(of: "g")), frame FROM error_group g WHERE id > ? AND id <= ? AND +app = ? AND NOT EXISTS (
          SELECT 1 FROM error_group m WHERE \(ErrorGroups.isSameGroup) AND m.id < g.id)
        ORDER BY id LIMIT ?
        """)
      statement.bind(id, highest, app.rawValue, Int64(limit))
      var groups: [ErrorGroupName] = []
      while try statement.step() {
        groups.append(
          ErrorGroupName(id: statement.integer(0), type: statement.text(1), place: statement.text(2)))
      }
      return (groups, highest)
    }
  }

  /// Returns the names of groups of errors by their numbers.
  package func errorGroups(_ ids: [Int64]) async throws -> [Int64: ErrorGroupName] {
    try await reading { connection in
      let statement = try connection.prepare(ErrorGroups.facts)
      var groups: [Int64: ErrorGroupName] = [:]
      for id in ids {
        groups[id] = try statement.bind(id).first { ErrorGroupName(id: id, type: $0.text(1), place: $0.text(2)) }
      }
      return groups
    }
  }

  /// Returns the current numbers of groups; see ``MetricsStore/errorGroupNumbers(app:_:)``.
  package func errorGroupNumbers(app: AppID, _ ids: Set<Int64>) async throws -> [Int64: Int64] {
    try await reading { connection in
      let statement = try Self.groupNumber(connection)
      var numbers: [Int64: Int64] = [:]
      for id in ids { numbers[id] = try statement.bind(id, app.rawValue).first { $0.integer(0) } }
      return numbers
    }
  }

  /// Returns the number of an error's signature; see ``MetricsStore/errorSignature(app:error:)``.
  package func errorSignature(app: AppID, error: Int64) async throws -> Int64? {
    try await reading {
      try $0.prepare(
        "SELECT g.id FROM error e JOIN error_group g ON g.id = e.grp WHERE e.id = ? AND e.app = ? AND g.signature <> ''"
      ).bind(error, app.rawValue).first { $0.integer(0) }
    }
  }

  /// Returns the numbers of a group, with its own one; see ``MetricsStore/errorGroupMembers(app:_:)``.
  package func errorGroupMembers(app: AppID, _ group: Int64) async throws -> [Int64] {
    try await reading {
      try $0.prepare("SELECT id FROM error_group WHERE id IN (\(Self.signatures(of: "?1"))) AND app = ?2 ORDER BY id")
        .bind(group, app.rawValue).all { $0.integer(0) }
    }
  }
}
