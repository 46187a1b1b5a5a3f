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

  /// Version 10. Entries of changes have no `last`; others can only be counted. Unfinished jobs are counted by app.
  static let auditCounts = """
    ALTER TABLE audit ADD COLUMN n INTEGER NOT NULL DEFAULT 1;
    ALTER TABLE audit ADD COLUMN last INTEGER;
    CREATE INDEX audit_of_actor ON audit (actor, last);
    CREATE INDEX job_open ON job (app) WHERE message IS NULL;
    DROP TRIGGER audit_is_never_changed;
    CREATE TRIGGER audit_is_only_counted BEFORE UPDATE ON audit
    WHEN old.last IS NULL OR new.last IS NULL OR new.n <> old.n + 1
      OR (new.id, new.time, new.actor, new.address, new.action, new.subject)
        <> (old.id, old.time, old.actor, old.address, old.action, old.subject)
    BEGIN SELECT raise(ABORT, 'append only'); END;
    """
}

extension AuditEntry.Action {
  static let auditPruned = Self("audit log pruned")
}

/// The audit log. Triggers keep its rows from being changed, except to count repetitions, and from being deleted other than here.
extension Catalog {
  /// Returns the latest entries of the audit log before a number, latest first.
  package func audit(before id: Int64? = nil, limit: Int) throws -> [AuditEntry] {
    try reading { database in
      try Row.fetchAll(
        database, sql: "SELECT * FROM audit WHERE ?1 IS NULL OR id < ?1 ORDER BY id DESC LIMIT ?2",
        arguments: [id, max(limit, 0)]
      ).map { row in
        let last: Int64? = row["last"]
        return AuditEntry(
          id: row["id"], time: Timestamp(millisecondsSince1970: row["time"]),
          actor: AuditActor(name: row["actor"], address: row["address"]), action: row["action"],
          subject: row["subject"], count: row["n"], last: last.map { Timestamp(millisecondsSince1970: $0) })
      }
    }
  }

  /// The number of entries beyond which a tenth is removed. Each takes less than 1 KiB.
  static let maximumEntries = 100_000
  /// The time for which repetitions of an action that changes nothing are counted in one entry.
  static let auditInterval = Duration.seconds(3_600)

  /// Deletes entries before a time, which is recorded itself, and returns their number.
  @discardableResult
  package func pruneAudit(before time: Timestamp) throws -> Int {
    try writing { database in
      // By number, as a clock that was wrong for a while puts times out of order: the first entry that is late enough stays,
      // and all after it.
      let first = try Int64.fetchOne(
        database,
        sql: "SELECT coalesce(min(id), (SELECT max(id) + 1 FROM audit)) FROM audit WHERE coalesce(last, time) >= ?",
        arguments: [time.millisecondsSince1970])
      let count = try prune(before: first ?? 0, database)
      try record(.auditPruned, "\(count) entries before \(time.utcText(withMilliseconds: false))", database)
      return count
    }
  }

  /// Deletes the entries before a number to which a condition applies, and returns how many.
  private func prune(before id: Int64, where condition: String = "true", _ database: Database) throws -> Int {
    try database.execute(sql: "INSERT INTO audit_pruning VALUES (?)", arguments: [id])
    try database.execute(sql: "DELETE FROM audit WHERE id < ? AND \(condition)", arguments: [id])
    let count = database.changesCount
    try database.execute(sql: "DELETE FROM audit_pruning")
    return count
  }

  /// Records an action that changes nothing in the catalog.
  package func record(_ action: AuditEntry.Action, _ subject: String) throws {
    try writing { try record(action, subject, $0) }
  }

  /// Appends an entry in the transaction of the change that it describes, or counts a repetition of what changes nothing.
  func record(
    _ action: AuditEntry.Action, _ subject: String, actor: AuditActor = .current, _ database: Database
  ) throws {
    let time = now()
    let (name, address, subject) = (
      actor.name.prefix(utf8Bytes: Self.maximumNameBytes), actor.address.prefix(utf8Bytes: Self.maximumNameBytes),
      subject.prefix(utf8Bytes: 512)
    )
    if !action.isChange, try count(time, name, address, action, subject, database) { return }
    try database.execute(
      sql: "INSERT INTO audit (time, actor, address, action, subject, last) VALUES (?, ?, ?, ?, ?, ?)",
      arguments: [
        time.millisecondsSince1970, name, address, action.text, subject,
        action.isChange ? nil : time.millisecondsSince1970,
      ])
    // Counting them with each entry would take longer than writing it.
    if database.lastInsertedRowID.isMultiple(of: 100) { try makeRoom(database) }
  }

  private static let maximumNameBytes = 100

  /// Counts a repetition in the entry that has begun less than an hour ago; returns false if there is none.
  private func count(
    _ time: Timestamp, _ name: String, _ address: String, _ action: AuditEntry.Action, _ subject: String,
    _ database: Database
  ) throws -> Bool {
    // A few of the latest entries suffice: someone with many addresses or apps only fills their own share.
    try database.execute(
      sql: """
        UPDATE audit SET n = n + 1, last = ?1 WHERE id = (
          SELECT id FROM (
            SELECT * FROM audit WHERE actor = ?3 AND last BETWEEN ?2 AND ?1 ORDER BY last DESC, id DESC LIMIT 100
          ) WHERE address = ?4 AND action = ?5 AND subject = ?6 AND time > ?2 ORDER BY id DESC LIMIT 1
        )
        """,
      arguments: [
        time.millisecondsSince1970, (time - Self.auditInterval).millisecondsSince1970, name, address, action.text,
        subject,
      ])
    return database.changesCount > 0
  }

  /// Removes a tenth of too many entries: those with the lowest ranks among the entries of their actor, in which changes come
  /// before others, and later entries before earlier ones. So an actor with many entries can't push out those of one with fewer.
  private func makeRoom(_ database: Database) throws {
    let total = try Int.fetchOne(database, sql: "SELECT count(*) FROM audit") ?? 0
    guard total >= Self.maximumEntries else { return }
    let condition = """
      id IN (
        SELECT id FROM (
          SELECT id, row_number() OVER (PARTITION BY actor ORDER BY last IS NOT NULL, id DESC) AS position FROM audit
        ) ORDER BY position DESC, id LIMIT \(total - Self.maximumEntries * 9 / 10)
      )
      """
    let count = try prune(before: .max, where: condition, database)
    try record(
      .auditPruned, "\(count) entries of those who have most, because there were \(total)", actor: .server, database)
  }
}
