import Ingest
import RowFiles
import ServerBase
import Warehouse
import WarehouseSQLite

/// Removes rows that are older than an app keeps them.
extension Writer {
  /// Refuses events before a time from now on. A horizon never moves back.
  package func raiseHorizon(of app: Int64, to time: Int64) throws {
    try transact {
      try connection.prepare(
        """
        INSERT INTO horizon (app, time) VALUES (?, ?) ON CONFLICT (app) DO UPDATE SET time = max(time, excluded.time)
        """
      ).bind(app, time).run()
    }
    horizons = nil
  }

  /// Returns the horizon of an app.
  func horizonTime(of app: Int64) throws -> Int64? { try Horizons.times(connection)[app] }

  /// Makes the counts of the days before the horizon final: from now on, they stay although their rows go.
  ///
  /// - Returns: False if nothing was done, because days of the app must be counted again before.
  package func keepCounts(of app: Int64) throws -> Bool {
    try transact {
      guard try !UncountedDays.hasDays(of: app, connection) else { return false }
      try connection.prepare("UPDATE horizon SET counted = time WHERE app = ?").bind(app).run()
      return true
    }
  }

  /// Rewrites a segment without the rows of an app before a time.
  package func expireRows(of app: Int64, before time: Int64, segment: Int64) throws {
    let spans = try StoredSpan.all(connection).filter { $0.segment == segment }
    guard !spans.isEmpty else { return }
    try transact {
      var lostDays: Set<Int64> = []
      let deletePiece = try connection.prepare("DELETE FROM removed_piece WHERE row = ?")
      try rows.rewrite(spans) { row, _ in
        guard row.app == app, row.time < time else { return .keep }
        lostDays.insert(flooredQuotient(row.time, 86_400_000))
        if row.flags.kind.mayCarryMore { try deletePiece.bind(row.id).run() }
        return .delete
      }
      try noteLost(lostDays, app: app)
      try renewSessions(of: spans)
    }
    try rows.deleteLeftovers()
  }

  /// Deletes the texts and attachments of errors, and rows that were set aside, before a time. The errors stay, because
  /// reports of whole days count them, but without the names of users and sessions.
  package func expireErrors(of app: Int64, before time: Int64) throws {
    try transact {
      let errors = "SELECT id FROM error WHERE app = ?1 AND t < ?2"
      let attachments =
        "SELECT id FROM attachment WHERE app = ?1 AND (owner IN (\(errors)) OR owner = 0 AND received < ?2)"
      for statement in [
        "DELETE FROM error_text WHERE app = ?1 AND id IN (\(errors))",
        "DELETE FROM attachment_part WHERE attachment IN (\(attachments))",
        "DELETE FROM attachment WHERE id IN (\(attachments))",
        """
        UPDATE error SET name = '', user = NULL, session = CASE session WHEN 0 THEN 0 ELSE -1 END
        WHERE app = ?1 AND t < ?2 AND (name <> '' OR user IS NOT NULL OR session NOT IN (0, -1))
        """,
        "DELETE FROM quarantine WHERE app = ?1 AND t < ?2 AND day IS NULL",
      ] {
        try connection.prepare(statement).bind(app, time).run()
      }
      try ErrorRoom.rebuild(connection)
    }
  }
}
