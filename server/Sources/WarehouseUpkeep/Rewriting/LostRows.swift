import RowFiles
import Warehouse
import WarehouseSQLite

// The consequences of rows that are gone: deleted, set aside, or left out because they can't be read.

extension SQLiteWarehouse {
  /// Drops the columns and the days of views of apps that have lost rows, also if an attempt before has failed.
  func forgetLostRows() async throws {
    while true {
      let (apps, rewrites) = try await perform {
        (try RewritingTable.staleColumns($0.connection), $0.rows.rewrites)
      }
      guard !apps.isEmpty else { return }
      // Not on the writer's thread, because columns may just be loading.
      try await reader.onFetchingThread { [reader] in
        for app in apps {
          reader.viewDays.forget(app: AppID(app))
          try reader.columns.forget(app: app)
        }
      }
      let isDone = try await perform { writer in
        // If rows went meanwhile, columns may have been loaded with them.
        guard writer.rows.rewrites == rewrites else { return false }
        for app in apps { try RewritingTable.remove(staleColumnsOf: app, writer.connection) }
        return true
      }
      if isDone { return }
    }
  }
}

extension Writer {
  /// Notes UTC days that lost rows, and their neighbours, into which a view's day or session may extend.
  func noteLost(_ days: Set<Int64>, app: Int64) throws {
    let insert = try connection.prepare("INSERT OR IGNORE INTO lost_day (app, day) VALUES (?, ?)")
    for day in Set(days.flatMap { [$0 - 1, $0, $0 + 1] }) { try insert.bind(app, day).run() }
  }

  /// Deletes errors and attachments by their rows.
  func deleteErrors(_ ids: [Int64], app: Int64) throws {
    guard !ids.isEmpty else { return }
    let attachments = "SELECT id FROM attachment WHERE row = ?1 OR app = ?2 AND owner = ?1"
    let statements = try [
      "DELETE FROM attachment_part WHERE attachment IN (\(attachments))",
      "DELETE FROM attachment WHERE id IN (\(attachments))", "DELETE FROM error_text WHERE id = ?1 AND app = ?2",
      "DELETE FROM removed_piece WHERE row = ?1",
    ].map { try connection.prepare($0) }
    let find = try connection.prepare(
      "SELECT grp, (SELECT min(id) FROM error WHERE grp = e.grp) FROM error e WHERE id = ?")
    let delete = try connection.prepare("DELETE FROM error WHERE id = ?")
    // A group shows the message of its first error.
    let refreshMessage = try connection.prepare(
      """
      UPDATE error_group SET message = coalesce(
        (SELECT substr(message, 1, 300) FROM error_text
          WHERE id = (SELECT min(id) FROM error WHERE grp = error_group.id)), '')
      WHERE id = ? AND fingerprint <> 0
      """)
    for id in ids {
      for statement in statements { try statement.bind(id, app).run() }
      let group = try find.bind(id).first { (id: $0.integer(0), first: $0.integer(1)) }
      try delete.bind(id).run()
      if let group, group.first == id { try refreshMessage.bind(group.id).run() }
    }
    try ErrorRoom.rebuild(connection)
  }

  /// Computes the stored sessions of complete spans again.
  func renewSessions(of spans: [StoredSpan]) throws {
    let changed = Set(spans.map(\.ids.lowerBound))
    let delete = try connection.prepare("DELETE FROM span_session WHERE first_id = ?")
    let store = try SpanSessions(connection)
    for span in try StoredSpan.all(connection) where span.isComplete && changed.contains(span.ids.lowerBound) {
      try delete.bind(span.ids.lowerBound).run()
      let sessions = SessionBounds()
      try sessions.add(rowsOf: span, app: nil, connection, damage: damage)
      try store.store(sessions, firstID: span.ids.lowerBound)
    }
  }
}
