import GRDB
import TernEvents
public import Warehouse

/// The audit log. Triggers keep its rows from being changed or deleted.
extension Catalog {
  /// Returns the latest entries of the audit log before a number, latest first.
  public func audit(before id: Int64? = nil, limit: Int) throws -> [AuditEntry] {
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

  /// Records a failed login.
  public func recordFailedLogin(_ subject: String) throws {
    try writing { try record(.loginFailed, String(subject.prefix(100)), $0) }
  }

  /// Records an action that changes nothing in the catalog.
  public func record(_ action: AuditEntry.Action, _ subject: String) throws {
    try writing { try record(action, subject, $0) }
  }

  /// Appends an entry in the transaction of the change that it describes.
  func record(
    _ action: AuditEntry.Action, _ subject: String, actor: AuditActor = .current, _ database: Database
  ) throws {
    try database.execute(
      sql: "INSERT INTO audit (time, actor, address, action, subject) VALUES (?, ?, ?, ?, ?)",
      arguments: [now().millisecondsSince1970, actor.name, actor.address, action.rawValue, subject])
  }
}
