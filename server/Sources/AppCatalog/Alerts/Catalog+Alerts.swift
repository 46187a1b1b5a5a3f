package import Alerts
import GRDB
import JSON
import Outgoing
package import TernEvents
package import Warehouse

extension CatalogSchema {
  /// Version 3. `app` is null for an alert about the server. `state` is an `AlertState`. A row of `delivery` is to be sent at
  /// `next`; if that is null, it was delivered or given up.
  static let alerts = """
    CREATE TABLE alert (
      id INTEGER PRIMARY KEY AUTOINCREMENT, app INTEGER, name TEXT NOT NULL, condition TEXT NOT NULL,
      minimum_users INTEGER NOT NULL, destinations TEXT NOT NULL, muted_until INTEGER, state TEXT NOT NULL,
      author TEXT NOT NULL, changed INTEGER NOT NULL
    );
    CREATE INDEX alert_app ON alert (app);
    CREATE TABLE notification (
      id TEXT PRIMARY KEY, alert INTEGER NOT NULL, time INTEGER NOT NULL, message TEXT NOT NULL
    ) WITHOUT ROWID;
    CREATE INDEX notification_alert ON notification (alert, time);
    CREATE TABLE delivery (
      id INTEGER PRIMARY KEY AUTOINCREMENT, notification TEXT NOT NULL, destination TEXT NOT NULL,
      failures INTEGER NOT NULL DEFAULT 0, next INTEGER, is_delivered INTEGER NOT NULL DEFAULT 0,
      answer TEXT NOT NULL DEFAULT ''
    );
    CREATE INDEX delivery_next ON delivery (next) WHERE next IS NOT NULL;
    CREATE INDEX delivery_notification ON delivery (notification);
    """

  /// Version 8. The limits of crash-free users and sessions, until then shares from 0 to 1, as percentages. A limit above 1
  /// was always crossed, and meant as a percentage. Forms of such an alert that are open must be opened again.
  static let percentages = """
    UPDATE alert SET changed = changed + 1, condition = json_set(
      condition, '$.limit', round(json_extract(condition, '$.limit') * 100, 10))
    WHERE json_extract(condition, '$.kind') IN ('above', 'below') AND json_extract(condition, '$.page') = 'explore'
    AND (instr('&' || json_extract(condition, '$.query') || '&', '&metric=crash_free_users&') > 0
      OR instr('&' || json_extract(condition, '$.query') || '&', '&metric=crash_free_sessions&') > 0)
    AND json_extract(condition, '$.limit') BETWEEN 0 AND 1;
    """
}

extension AuditEntry.Action {
  static let alertCreated = Self("alert created")
  static let alertChanged = Self("alert changed")
  static let alertRemoved = Self("alert deleted")
}

/// Alerts, and their states.
extension Catalog: AlertStore {
  /// Returns all alerts, ordered by number.
  package func alerts() throws -> [StoredAlert] {
    try reading { try Row.fetchAll($0, sql: "SELECT * FROM alert ORDER BY id").map(Self.alert) }
  }

  /// Returns the alerts of an app, or those about the server; see ``Alerts/AlertStore/alerts(app:)``.
  package func alerts(app: AppID?) throws -> [StoredAlert] {
    try reading { database in
      try Row.fetchAll(
        database, sql: "SELECT * FROM alert WHERE app IS ? ORDER BY id", arguments: [app?.rawValue]
      ).map(Self.alert)
    }
  }

  /// Creates an alert; see ``Alerts/AlertStore/createAlert(_:)``.
  package func createAlert(_ alert: Alert) throws -> Alert {
    var alert = alert
    (alert.author, alert.changed) = (AuditActor.current.name, now())
    try checkExists(alert.app)
    return try writing { database in
      try check(alert, database)
      try checkRoom(for: .alerts, of: alert.app, database)
      try database.execute(
        sql: """
          INSERT INTO alert (app, name, condition, minimum_users, destinations, muted_until, state, author, changed)
          VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
          """,
        arguments: [
          alert.app?.rawValue, alert.name, Self.text(alert.condition), alert.minimumUsers,
          try Self.text(alert.destinations.map(\.text)), alert.mutedUntil?.millisecondsSince1970,
          try Self.text(AlertState()), alert.author, alert.changed.millisecondsSince1970,
        ])
      alert.id = database.lastInsertedRowID
      try record(.alertCreated, Self.subject(alert), database)
      return alert
    }
  }

  /// Changes an alert; see ``Alerts/AlertStore/changeAlert(_:)``.
  package func changeAlert(_ alert: Alert) throws -> Alert? {
    var alert = alert
    return try writing { database in
      guard let old = try Self.findAlert(alert.id, alert.app, database) else { return nil }
      try check(alert, database)
      (alert.mutedUntil, alert.author, alert.changed) = (old.mutedUntil, AuditActor.current.name, timeOfChange(old))
      // Hour and day numbers aren't comparable, and a breach of the old limit says nothing about the new one.
      let state = old.condition == alert.condition ? nil : try Self.text(AlertState())
      try database.execute(
        sql: """
          UPDATE alert SET name = ?, condition = ?, minimum_users = ?, destinations = ?, state = coalesce(?, state),
            author = ?, changed = ? WHERE id = ?
          """,
        arguments: [
          alert.name, Self.text(alert.condition), alert.minimumUsers,
          try Self.text(alert.destinations.map(\.text)), state, alert.author, alert.changed.millisecondsSince1970,
          alert.id,
        ])
      let removed = old.destinations.filter { !alert.destinations.contains($0) }
      try cancelDeliveries(.alert, alert.id, to: removed, answer: "This destination was removed.", database)
      try record(.alertChanged, Self.subject(alert), database)
      return alert
    }
  }

  /// Mutes an alert; see ``Alerts/AlertStore/muteAlert(_:app:until:)``.
  package func muteAlert(_ id: Int64, app: AppID?, until time: Timestamp?) throws -> Alert? {
    try writing { database in
      guard var alert = try Self.findAlert(id, app, database) else { return nil }
      (alert.mutedUntil, alert.author, alert.changed) = (time, AuditActor.current.name, timeOfChange(alert))
      try database.execute(
        sql: "UPDATE alert SET muted_until = ?, author = ?, changed = ? WHERE id = ?",
        arguments: [time?.millisecondsSince1970, alert.author, alert.changed.millisecondsSince1970, id])
      let state = time.map { "muted until \($0.utcText(withMilliseconds: false))" } ?? "no longer muted"
      try record(.alertChanged, "\(Self.subject(alert)), \(state)", database)
      return alert
    }
  }

  /// Returns a time that is later than that of the last change, by which each version of an alert is known.
  private func timeOfChange(_ alert: Alert) -> Timestamp { max(now(), alert.changed + .milliseconds(1)) }

  /// Removes an alert; see ``Alerts/AlertStore/removeAlert(_:app:)``.
  package func removeAlert(_ id: Int64, app: AppID?) throws -> Alert? {
    try writing { database in
      guard let alert = try Self.findAlert(id, app, database) else { return nil }
      try Self.removeAlerts("id = ?", [id], database)
      try record(.alertRemoved, Self.subject(alert), database)
      return alert
    }
  }

  /// Removes alerts with their history.
  static func removeAlerts(_ condition: String, _ arguments: StatementArguments, _ database: Database) throws {
    try removeNotifications("alert IN (SELECT id FROM alert WHERE \(condition))", arguments, database)
    try database.execute(sql: "DELETE FROM alert WHERE \(condition)", arguments: arguments)
  }

  private static func findAlert(_ id: Int64, _ app: AppID?, _ database: Database) throws -> Alert? {
    try Row.fetchOne(
      database, sql: "SELECT * FROM alert WHERE id = ? AND app IS ?", arguments: [id, app?.rawValue]
    ).map { try alert($0).alert }
  }

  private func check(_ alert: Alert, _ database: Database) throws {
    try check(name: alert.name)
    if let fault = alert.fault { throw WarehouseError(.invalid, fault) }
    guard alert.condition.question?.query.utf8.count ?? 0 <= DashboardCard.maximumQueryBytes else {
      throw WarehouseError(.invalid, "The question of an alert is too long. Use fewer filters.")
    }
    try Self.checkFree(alert.name, "alert", app: alert.app, except: alert.id, database)
  }

  private static func subject(_ alert: Alert) -> String {
    "\(alert.id) \(alert.name), \(alert.app.map { "app \($0)" } ?? "server")"
  }

  private static func text(_ condition: AlertCondition) -> String {
    String(decoding: AlertCondition.codec.encode(condition).encoded, as: UTF8.self)
  }

  private static func condition(_ text: String) throws -> AlertCondition {
    try AlertCondition.codec.decode(JSONNode(value: try JSONTree(parsing: Array(text.utf8))))
  }

  private static func alert(_ row: Row) throws -> StoredAlert {
    let stateText: String = row["state"]
    let alert = Alert(
      id: row["id"], app: (row["app"] as Int64?).map { AppID($0) }, name: row["name"],
      condition: try condition(row["condition"]), minimumUsers: row["minimum_users"],
      destinations: try value([String].self, row["destinations"]).map { try Destination($0) },
      mutedUntil: (row["muted_until"] as Int64?).map { Timestamp(millisecondsSince1970: $0) }, author: row["author"],
      changed: Timestamp(millisecondsSince1970: row["changed"]))
    return StoredAlert(alert, state: try value(AlertState.self, stateText), stateText: stateText)
  }
}
