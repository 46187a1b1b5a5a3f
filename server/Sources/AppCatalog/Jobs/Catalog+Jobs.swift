import GRDB
package import TernEvents
package import Warehouse

extension CatalogSchema {
  /// `message` is the result, or null.
  static let jobs = """
    CREATE TABLE job (
      id INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, app INTEGER NOT NULL, argument TEXT NOT NULL,
      is_failed INTEGER NOT NULL DEFAULT 0, message TEXT, progress TEXT, is_blocked INTEGER NOT NULL DEFAULT 0
    );
    """
}

/// The work that waits for the process with the warehouse's lock. It survives crashes: a job is done again from its
/// beginning until its result is stored.
extension Catalog {
  /// Adds a job, and records it in the audit log.
  ///
  /// - Parameter subject: The job in the words of the audit log.
  package func addJob(
    _ kind: DataJob.Kind, app: AppID, argument: String = "", audit action: AuditEntry.Action, _ subject: String
  ) throws -> DataJob {
    try writing { database in
      if kind != .deleteApp { try checkRoomForJob(of: app, database) }
      try record(action, subject, database)
      return try Self.insertJob(kind, app: app, argument: argument, database)
    }
  }

  /// Throws ``WarehouseError`` with code `held` if too many jobs of an app wait.
  func checkRoomForJob(of app: AppID, _ database: Database) throws {
    try checkRoom(
      for: .jobs, where: "app = ? AND message IS NULL", arguments: [app.rawValue], code: .held, database)
  }

  /// Adds a job in the transaction of the change that it belongs to.
  static func insertJob(
    _ kind: DataJob.Kind, app: AppID, argument: String, _ database: Database
  ) throws -> DataJob {
    try database.execute(
      sql: "INSERT INTO job (kind, app, argument) VALUES (?, ?, ?)",
      arguments: [kind.rawValue, app.rawValue, argument])
    return DataJob(id: database.lastInsertedRowID, kind: kind, app: app, argument: argument)
  }

  /// Adds the job of having old rows leave for the cluster.
  package func requestRetirement(before time: Timestamp) throws -> DataJob {
    try writing { database in
      try Self.insertJob(.retireRows, app: AppID(0), argument: "\(time.millisecondsSince1970)", database)
    }
  }

  /// Adds a job that removes an app's rows before a day at once. The audit log already has the change of the app's
  /// keeping period.
  package func requestRemoval(ofRowsOf app: AppID, before day: Day) throws -> DataJob {
    try writing { try Self.insertJob(.removeRows, app: app, argument: day.description, $0) }
  }

  /// Returns the oldest job that isn't finished.
  ///
  /// - Parameter last: The number of a job; only later ones are looked at.
  package func nextJob(after last: Int64 = 0) throws -> DataJob? {
    try reading { database in
      try Row.fetchOne(
        database, sql: "SELECT * FROM job WHERE message IS NULL AND id > ? ORDER BY id LIMIT 1", arguments: [last]
      ).flatMap { row in
        // A damaged database can have no value here.
        let (app, argument): (Int64, String) = (
          try row.decode(forColumn: "app"), try row.decode(forColumn: "argument")
        )
        return DataJob.Kind(rawValue: try row.decode(forColumn: "kind")).map {
          DataJob(id: row["id"], kind: $0, app: AppID(app), argument: argument)
        }
      }
    }
  }

  /// The numbers of finished and of unfinished jobs.
  ///
  /// No job has changed rows or counts between two moments with the same numbers and none unfinished. One that waits until damage is
  /// mended doesn't count.
  package func jobCounts() throws -> (finished: Int, unfinished: Int) {
    try reading { database in
      let row = try Row.fetchOne(
        database, sql: "SELECT count(message), count(*) FILTER (WHERE message IS NULL AND is_blocked <> ?) FROM job",
        arguments: [DataJob.Obstacle.damage.rawValue])
      return row.map { ($0[0], $0[1]) } ?? (0, 0)
    }
  }

  /// Returns the latest jobs before a number, of one app or all, latest first.
  package func jobs(app: AppID? = nil, before id: Int64? = nil, limit: Int) throws -> [JobStatus] {
    try reading { database in
      try Row.fetchAll(
        database,
        sql: """
          SELECT * FROM job WHERE (?1 IS NULL OR app = ?1) AND (?2 IS NULL OR id < ?2) ORDER BY id DESC LIMIT ?3
          """, arguments: [app?.rawValue, id, max(limit, 0)]
      ).map(Self.status)
    }
  }

  /// Returns the job with a number; `nil` if there is none.
  package func job(_ id: Int64) throws -> JobStatus? {
    try reading { try Row.fetchOne($0, sql: "SELECT * FROM job WHERE id = ?", arguments: [id]).map(Self.status) }
  }

  /// The status of a stored job, without its argument, which may name a person or a file of the server.
  private static func status(_ row: Row) throws -> JobStatus {
    let (message, progress): (String?, String?) = (row["message"], row["progress"])
    // A damaged database can have no value here.
    let (app, kind) = (try row.decode(Int64.self, forColumn: "app"), try row.decode(String.self, forColumn: "kind"))
    let (isFailed, isBlocked): (Bool, Bool) = (row["is_failed"], row["is_blocked"])
    let state: JobStatus.State =
      message == nil ? (isBlocked ? .blocked : .pending) : (isFailed ? .failed : .done)
    return JobStatus(
      id: row["id"], kind: kind, app: app == 0 ? nil : AppID(app), state: state,
      text: message ?? progress ?? "")
  }

  /// Stores the result of a job.
  package func finishJob(_ id: Int64, _ result: DataJob.Result) throws {
    try writing { try Self.finishJob(id, result, $0) }
  }

  static func finishJob(_ id: Int64, _ result: DataJob.Result, _ database: Database) throws {
    // The argument may name a person.
    try database.execute(
      sql: "UPDATE job SET is_failed = ?, message = ?, argument = '' WHERE id = ?",
      arguments: [result.isFailed, result.message, id])
  }

  /// Notes the progress of a job, or the reason that it waits.
  package func note(_ progress: DataJob.Progress, ofJob id: Int64) throws {
    try writing { database in
      try database.execute(
        sql: "UPDATE job SET progress = ?, is_blocked = ? WHERE id = ?",
        arguments: [progress.text, progress.obstacle?.rawValue ?? 0, id])
    }
  }

  /// Returns what was noted of a job last; `nil` if nothing was.
  package func progress(ofJob id: Int64) throws -> DataJob.Progress? {
    try reading { database in
      try Row.fetchOne(database, sql: "SELECT progress, is_blocked FROM job WHERE id = ?", arguments: [id]).flatMap {
        row in
        (row["progress"] as String?).map {
          DataJob.Progress(text: $0, obstacle: DataJob.Obstacle(rawValue: row["is_blocked"]))
        }
      }
    }
  }

  /// Returns the result of a job; `nil` while it isn't finished.
  package func result(ofJob id: Int64) throws -> DataJob.Result? {
    try reading { database in
      try Row.fetchOne(database, sql: "SELECT is_failed, message FROM job WHERE id = ?", arguments: [id]).flatMap {
        row in
        (row["message"] as String?).map { DataJob.Result(isFailed: row["is_failed"], message: $0) }
      }
    }
  }
}
