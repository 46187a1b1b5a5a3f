import GRDB
import TernBase
package import TernEvents
package import Warehouse

extension CatalogSchema {
  /// Rows can be deleted only in a transaction that says in `audit_pruning` before which number.
  static let audit = """
    CREATE TABLE audit (
      id INTEGER PRIMARY KEY AUTOINCREMENT, time INTEGER NOT NULL, actor TEXT NOT NULL, address TEXT NOT NULL,
      action TEXT NOT NULL, subject TEXT NOT NULL
    );
    CREATE TRIGGER audit_is_never_changed BEFORE UPDATE ON audit BEGIN SELECT raise(ABORT, 'append only'); END;
    CREATE TABLE audit_pruning (before INTEGER NOT NULL);
    CREATE TRIGGER audit_is_only_pruned BEFORE DELETE ON audit
    WHEN old.id >= coalesce((SELECT max(before) FROM audit_pruning), old.id)
    BEGIN SELECT raise(ABORT, 'append only'); END;
    """
}

extension AuditEntry.Action {
  static let auditPruned = Self("audit log pruned")
}

/// The audit log. Triggers keep its rows from being changed, or deleted other than by ``pruneAudit(before:)``.
extension Catalog {
  /// Returns the latest entries of the audit log before a number, latest first.
  package func audit(before id: Int64? = nil, limit: Int) throws -> [AuditEntry] {
    try reading { database in
      try Row.fetchAll(
        database, sql: "SELECT * FROM audit WHERE ?1 IS NULL OR id < ?1 ORDER BY id DESC LIMIT ?2",
        arguments: [id, max(limit, 0)]
      ).map { row in
        AuditEntry(
          id: row["id"], time: Timestamp(millisecondsSince1970: row["time"]),
          actor: AuditActor(name: row["actor"], address: row["address"]), action: row["action"],
          subject: row["subject"])
      }
    }
  }

  /// The number of entries beyond which the oldest tenth is removed. Each takes less than 1 KiB.
  static let maximumEntries: Int64 = 100_000

  /// Deletes entries before a time, which is recorded itself, and returns their number.
  @discardableResult
  package func pruneAudit(before time: Timestamp) throws -> Int {
    try writing { database in
      // By number, as a clock that was wrong for a while puts times out of order: the first entry that is late enough stays,
      // and all after it.
      let first = try Int64.fetchOne(
        database, sql: "SELECT coalesce(min(id), (SELECT max(id) + 1 FROM audit)) FROM audit WHERE time >= ?",
        arguments: [time.millisecondsSince1970])
      let count = try prune(before: first ?? 0, database)
      try record(.auditPruned, "\(count) entries before \(time.utcText(withMilliseconds: false))", database)
      return count
    }
  }

  private func prune(before id: Int64, _ database: Database) throws -> Int {
    try database.execute(sql: "INSERT INTO audit_pruning VALUES (?)", arguments: [id])
    try database.execute(sql: "DELETE FROM audit WHERE id < ?", arguments: [id])
    let count = database.changesCount
    try database.execute(sql: "DELETE FROM audit_pruning")
    return count
  }

  /// Records an action that changes nothing in the catalog.
  package func record(_ action: AuditEntry.Action, _ subject: String) throws {
    try writing { try record(action, subject, $0) }
  }

  /// Appends an entry in the transaction of the change that it describes.
  func record(
    _ action: AuditEntry.Action, _ subject: String, actor: AuditActor = .current, _ database: Database
  ) throws {
    try database.execute(
      sql: "INSERT INTO audit (time, actor, address, action, subject) VALUES (?, ?, ?, ?, ?)",
      arguments: [
        now().millisecondsSince1970, actor.name.prefix(utf8Bytes: Self.maximumNameBytes),
        actor.address.prefix(utf8Bytes: Self.maximumNameBytes), action.text, subject.prefix(utf8Bytes: 512),
      ])
    try makeRoom(after: database.lastInsertedRowID, database)
  }

  private static let maximumNameBytes = 100

  /// Removes the oldest tenth of too many entries. Only someone with a right to change things comes here.
  private func makeRoom(after id: Int64, _ database: Database) throws {
    // Numbers without gaps: entries are only removed from the beginning.
    guard let first = try Int64.fetchOne(database, sql: "SELECT min(id) FROM audit"), id - first >= Self.maximumEntries
    else { return }
    let count = try prune(before: first + Self.maximumEntries / 10, database)
    try record(.auditPruned, "\(count) entries, because there were \(Self.maximumEntries)", actor: .server, database)
  }
}
