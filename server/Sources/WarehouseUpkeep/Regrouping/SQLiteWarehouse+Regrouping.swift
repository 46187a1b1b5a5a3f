package import ErrorGrouping
package import Warehouse
import WarehouseSQLite

/// A signature whose group rules, symbols or decisions may change.
package struct PendingSignature: Sendable, Hashable {
  /// Its number.
  package var id: Int64
  package var signature: Signature
  /// True if symbols named functions of it before.
  package var isSymbolized: Bool
}

/// The group of a signature, after rules and symbols.
package struct RegroupedSignature: Sendable, Hashable {
  /// The signature's number.
  package var id: Int64
  /// The key that rules and symbols say, and the first frame of the app; `nil` to leave both as they are.
  package var group: GroupKey?
  /// The name that lists show in place of the type as sent.
  package var type: RenamedType?
  /// True if symbols named functions of it.
  package var isSymbolized: Bool
  /// False if not all of its symbols could be read, so that it stays pending.
  package var isFinal: Bool

  package init(id: Int64, group: GroupKey?, isSymbolized: Bool, isFinal: Bool) {
    (self.id, self.group, self.isSymbolized, self.isFinal) = (id, group, isSymbolized, isFinal)
  }
}

/// The state of an app's symbols, and of the decisions of people, by which the keys of its signatures were made.
package struct GroupingVersion: Sendable, Hashable {
  /// A text that is another one after each change of the symbols.
  package var symbols: String
  /// A text that is another one after each change of the decisions.
  package var decisions: String

  package init(symbols: String, decisions: String) { (self.symbols, self.decisions) = (symbols, decisions) }
}

extension SQLiteWarehouse {
  /// Returns signatures of an app that are pending, the new ones first.
  package func pendingSignatures(app: AppID, limit: Int) async throws -> [PendingSignature] {
    try await reader.reading { connection in
      let statement = try connection.prepare(
        """
        SELECT id, signature, is_symbolized FROM error_group
        WHERE app = ? AND is_pending <> 0 AND is_pending < 3 ORDER BY is_pending, id LIMIT ?
        """)
      return try statement.bind(app.rawValue, Int64(limit)).all { row in
        Signature(text: row.text(1)).map {
          PendingSignature(id: row.integer(0), signature: $0, isSymbolized: row.integer(2) != 0)
        }
      }.compactMap(\.self)
    }
  }

  /// Makes signatures of an app pending if its symbols or decisions are in another state than when their keys were made: all, or
  /// those that have positions if only symbols have changed.
  ///
  /// - Parameter retries: True to look up symbols again that could not be read.
  /// - Returns: True if the state is another one; it is stored with the keys.
  package func regroup(app: AppID, to version: GroupingVersion, retries: Bool) async throws -> Bool {
    let app = app.rawValue
    let (made, isWaiting) = try await reader.reading { connection in
      (
        try connection.prepare("SELECT symbols, decisions FROM regrouped WHERE app = ?").bind(app).first {
          GroupingVersion(symbols: $0.text(0), decisions: $0.text(1))
        },
        try connection.prepare("SELECT 1 FROM error_group WHERE app = ? AND is_pending <> 0 AND is_pending = 3")
          .bind(app).exists()
      )
    }
    let isChanged = made != version
    guard isChanged || retries && isWaiting else { return false }
    let isDecided = made?.decisions != version.decisions
    try await perform { writer in
      try writer.transact {
        func pend(_ condition: String) throws {
          try writer.connection.prepare(
            "UPDATE error_group SET is_pending = 2 WHERE app = ? AND signature <> '' AND \(condition)"
          ).bind(app).run()
        }
        try pend("is_pending <> 0 AND is_pending = 3")
        guard isChanged else { return }
        try pend("is_pending = 0" + (isDecided ? "" : " AND instr(signature, char(10) || 'build ') > 0"))
      }
    }
    return isChanged
  }

  /// Stores the groups of signatures of an app, and what people decided. Errors and their counts stay as they are.
  package func setKeys(
    _ signatures: [RegroupedSignature], decisions: ErrorDecisions, version: GroupingVersion, app: AppID
  ) async throws {
    try await perform { writer in
      try writer.transact {
        let groups = try RegroupedKeys(app: app.rawValue, writer.connection)
        for signature in signatures { try groups.set(signature) }
        try groups.moveEmptied()
        try MergedGroups(decisions.merged, split: decisions.split, app: app.rawValue, writer.connection).apply()
        let store = try writer.connection.prepare(
          "INSERT OR REPLACE INTO regrouped (app, symbols, decisions) VALUES (?, ?, ?)")
        try store.bind(app.rawValue, version.symbols, version.decisions).run()
      }
    }
  }
}

/// The keys of an app's signatures while they change.
private final class RegroupedKeys {
  private struct Key: Hashable {
    var kind: Int64
    var own: Int64
  }

  private let app: Int64
  private let find: SQLStatement
  private let update: SQLStatement
  private let settle: SQLStatement
  private let move: SQLStatement
  /// The keys that signatures had before, with those that they have now.
  private var moved: [Key: Int64] = [:]

  init(app: Int64, _ connection: SQLConnection) throws {
    self.app = app
    find = try connection.prepare("SELECT kind, own_key FROM error_group WHERE id = ? AND signature <> ''")
    update = try connection.prepare(
      """
      UPDATE error_group SET own_key = ?2, key = ?2, frame = ?3, is_symbolized = ?4, is_pending = ?5,
        shown_type = CASE WHEN type = ?6 THEN ?7 ELSE '' END
      WHERE id = ?1
      """)
    settle = try connection.prepare("UPDATE error_group SET is_pending = ?2 WHERE id = ?1")
    move = try connection.prepare(
      """
      UPDATE error_group SET own_key = ?4, key = ?4
      WHERE app = ?1 AND kind = ?2 AND own_key = ?3 AND signature = '' AND fingerprint = -id AND NOT EXISTS (
        SELECT 1 FROM error_group o WHERE o.app = ?1 AND o.kind = ?2 AND o.own_key = ?3 AND o.signature <> '')
      """)
  }

  func set(_ signature: RegroupedSignature) throws {
    guard let key = try find.bind(signature.id).first({ Key(kind: $0.integer(0), own: $0.integer(1)) }) else { return }
    let pending: Int64 = signature.isFinal ? 0 : 3
    guard let group = signature.group else { return try settle.bind(signature.id, pending).run() }
    update.bind(signature.id, group.value, group.place, Int64(signature.isSymbolized ? 1 : 0), pending)
    update.bind(signature.type?.sent ?? "", at: 6)
    update.bind(signature.type?.name ?? "", at: 7)
    try update.run()
    if group.value != key.own { moved[key] = group.value }
  }

  /// Takes along the signatures whose errors were deleted: their numbers lead to the group that the others are in.
  func moveEmptied() throws {
    for (key, own) in moved { try move.bind(app, key.kind, key.own, own).run() }
  }
}
