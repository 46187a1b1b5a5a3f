package import ErrorGrouping
package import Warehouse

/// A signature whose group rules or symbols may change.
package struct PendingSignature: Sendable, Hashable {
  /// Its number.
  package var id: Int64
  package var signature: Signature
  /// True if people took it out of the group of its key.
  package var isSplit: Bool
}

/// The group of a signature, after rules and symbols.
package struct RegroupedSignature: Sendable, Hashable {
  /// The signature's number.
  package var id: Int64
  /// The key that rules and symbols say.
  package var key: Int64
  /// The first frame of the app.
  package var frame: String
  /// False if not all of its symbols could be read, so that it stays pending.
  package var isFinal: Bool

  package init(id: Int64, key: Int64, frame: String, isFinal: Bool) {
    (self.id, self.key, self.frame, self.isFinal) = (id, key, frame, isFinal)
  }
}

extension SQLiteWarehouse {
  /// Returns signatures of an app that are pending, the new ones first, but for some.
  package func pendingSignatures(
    app: AppID, without excluded: Set<Int64>, limit: Int
  ) async throws -> [PendingSignature] {
    try await reader.reading { connection in
      let statement = try connection.prepare(
        "SELECT id, signature, is_split FROM error_group WHERE app = ? AND is_pending <> 0 ORDER BY is_pending, id")
      statement.bind(app.rawValue)
      var found: [PendingSignature] = []
      while found.count < limit, try statement.step() {
        guard !excluded.contains(statement.integer(0)) else { continue }
        guard let signature = Signature(text: statement.text(1)) else { continue }
        found.append(
          PendingSignature(id: statement.integer(0), signature: signature, isSplit: statement.integer(2) != 0))
      }
      return found
    }
  }

  /// Makes all signatures of an app pending if its rules and symbols are in another state than when their keys were made.
  package func regroup(app: AppID, to version: String) async throws {
    let app = app.rawValue
    let isCurrent = try await reader.reading {
      try $0.prepare("SELECT 1 FROM regrouped WHERE app = ? AND version = ?").bind(app, version).exists()
    }
    guard !isCurrent else { return }
    try await perform { writer in
      try writer.transact {
        try writer.connection.prepare(
          "UPDATE error_group SET is_pending = 2 WHERE app = ? AND is_pending = 0 AND signature <> ''"
        ).bind(app).run()
        try writer.connection.prepare("INSERT OR REPLACE INTO regrouped (app, version) VALUES (?, ?)")
          .bind(app, version).run()
      }
    }
  }

  /// Stores the groups of signatures. Errors and their counts stay as they are.
  package func setKeys(_ signatures: [RegroupedSignature]) async throws {
    try await perform { writer in
      try writer.transact {
        let update = try writer.connection.prepare(
          """
          UPDATE error_group SET own_key = ?2, frame = ?3, is_pending = ?4, key = coalesce(
            (SELECT target FROM merged_group m
              WHERE m.app = error_group.app AND m.kind = error_group.kind AND m.key = ?2), ?2)
          WHERE id = ?1 AND signature <> ''
          """)
        for signature in signatures {
          try update.bind(signature.id, signature.key, signature.frame, Int64(signature.isFinal ? 0 : 2)).run()
        }
      }
    }
  }
}
