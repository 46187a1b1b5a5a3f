import GRDB
import TernEvents
package import Warehouse

extension CatalogSchema {
  /// Version 9. A group is named by any of its numbers; a split one is the number of a signature.
  static let errorDecisions = """
    CREATE TABLE error_rule (
      app INTEGER NOT NULL, kind TEXT NOT NULL, pattern TEXT NOT NULL, PRIMARY KEY (app, kind, pattern)
    ) WITHOUT ROWID;
    CREATE TABLE error_merge (
      app INTEGER NOT NULL, grp INTEGER NOT NULL, target INTEGER NOT NULL, PRIMARY KEY (app, grp, target)
    ) WITHOUT ROWID;
    CREATE TABLE error_split (app INTEGER NOT NULL, signature INTEGER NOT NULL, PRIMARY KEY (app, signature)) WITHOUT ROWID;
    CREATE TABLE error_decisions (app INTEGER PRIMARY KEY, version INTEGER NOT NULL);
    """
}

extension AuditEntry.Action {
  static let errorGroupsChanged = Self("error groups changed")
}

/// Decisions of people about the groups of errors. A running server applies it within seconds.
extension Catalog {
  private static let kinds: [(kind: String, path: any WritableKeyPath<ErrorRules, [String]> & Sendable)] = [
    ("file", \.skippedFiles), ("function", \.skippedFunctions), ("image", \.skippedImages),
  ]

  /// Returns the decisions about an app's groups.
  package func errorDecisions(app: AppID) throws -> ErrorDecisions {
    try reading { database in
      let arguments: StatementArguments = [app.rawValue]
      var decisions = ErrorDecisions()
      for (kind, path) in Self.kinds {
        decisions.rules[keyPath: path] = try String.fetchAll(
          database, sql: "SELECT pattern FROM error_rule WHERE app = ? AND kind = ? ORDER BY pattern",
          arguments: [app.rawValue, kind])
      }
      decisions.merged = try Row.fetchAll(
        database, sql: "SELECT grp, target FROM error_merge WHERE app = ? ORDER BY grp, target", arguments: arguments
      ).map { ErrorDecisions.Merge(group: $0["grp"], into: $0["target"]) }
      decisions.split = try Int64.fetchAll(
        database, sql: "SELECT signature FROM error_split WHERE app = ? ORDER BY signature", arguments: arguments)
      return decisions
    }
  }

  /// Returns a number for each app with decisions that is another one after each change of them.
  package func errorDecisionVersions() throws -> [AppID: Int64] {
    try reading { database in
      let rows = try Row.fetchAll(database, sql: "SELECT app, version FROM error_decisions")
      return Dictionary(rows.map { (AppID($0["app"]), $0["version"]) }, uniquingKeysWith: { $1 })
    }
  }

  /// Sets the rules by which frames don't count.
  ///
  /// - Throws: ``WarehouseError`` with code `invalid` if one can't be used.
  package func setErrorRules(_ rules: ErrorRules, app: AppID) throws {
    _ = try rules.grouping()
    let count = Self.kinds.reduce(0) { $0 + rules[keyPath: $1.path].count }
    try decide(app, "\(count) rules") { database in
      try database.execute(sql: "DELETE FROM error_rule WHERE app = ?", arguments: [app.rawValue])
      for (kind, path) in Self.kinds {
        for pattern in rules[keyPath: path] {
          try database.execute(
            sql: "INSERT OR IGNORE INTO error_rule (app, kind, pattern) VALUES (?, ?, ?)",
            arguments: [app.rawValue, kind, pattern])
        }
      }
    }
  }

  /// Makes a group part of another one.
  ///
  /// - Throws: ``WarehouseError`` with code `invalid` if too many are merged.
  package func mergeErrors(_ merge: ErrorDecisions.Merge, app: AppID) throws {
    try decide(app, "error \(merge.group) merged into \(merge.into)") { database in
      try Self.requireRoom("error_merge", "groups are merged already. Separate one first.", app, database)
      try database.execute(
        sql: "INSERT OR IGNORE INTO error_merge (app, grp, target) VALUES (?, ?, ?)",
        arguments: [app.rawValue, merge.group, merge.into])
    }
  }

  /// Undoes the merges of a group into others. Returns false if the group wasn't merged.
  package func separateErrors(_ group: Int64, app: AppID) throws -> Bool {
    try undo("error \(group) separated", "DELETE FROM error_merge WHERE app = ? AND grp = ?", group, app)
  }

  /// Takes the errors with one signature out of their group.
  ///
  /// - Throws: ``WarehouseError`` with code `invalid` if too many are taken out.
  package func splitErrors(_ signature: Int64, app: AppID) throws {
    try decide(app, "error \(signature) taken out of its group") { database in
      try Self.requireRoom("error_split", "stacks are taken out already. Put one back first.", app, database)
      try database.execute(
        sql: "INSERT OR IGNORE INTO error_split (app, signature) VALUES (?, ?)", arguments: [app.rawValue, signature])
    }
  }

  /// Puts errors back that were taken out. Returns false if they weren't.
  package func rejoinErrors(_ signature: Int64, app: AppID) throws -> Bool {
    try undo("error \(signature) put back", "DELETE FROM error_split WHERE app = ? AND signature = ?", signature, app)
  }

  private static func requireRoom(_ table: String, _ reason: String, _ app: AppID, _ database: Database) throws {
    let count = try Int.fetchOne(
      database, sql: "SELECT COUNT(*) FROM \(table) WHERE app = ?", arguments: [app.rawValue])
    guard count ?? 0 < ErrorDecisions.maximumCount else {
      throw WarehouseError(.invalid, "\(ErrorDecisions.maximumCount) \(reason)")
    }
  }

  private func undo(_ what: String, _ sql: String, _ number: Int64, _ app: AppID) throws -> Bool {
    try writing { database in
      try database.execute(sql: sql, arguments: [app.rawValue, number])
      guard database.changesCount > 0 else { return false }
      try noteDecision(app, what, database)
      return true
    }
  }

  private func decide(_ app: AppID, _ what: String, _ change: (Database) throws -> Void) throws {
    try writing { database in
      try change(database)
      try noteDecision(app, what, database)
    }
  }

  private func noteDecision(_ app: AppID, _ what: String, _ database: Database) throws {
    try database.execute(
      sql: """
        INSERT INTO error_decisions (app, version) VALUES (?, 1) ON CONFLICT (app) DO UPDATE SET version = version + 1
        """, arguments: [app.rawValue])
    try record(.errorGroupsChanged, "\(app): \(what)", database)
  }
}
