import GRDB
import TernEvents
package import Warehouse

extension CatalogSchema {
  /// `cards` is a JSON array.
  static let dashboards = """
    CREATE TABLE dashboard (
      id INTEGER PRIMARY KEY AUTOINCREMENT, app INTEGER NOT NULL, name TEXT NOT NULL, cards TEXT NOT NULL,
      author TEXT NOT NULL, changed INTEGER NOT NULL
    );
    CREATE INDEX dashboard_app ON dashboard (app);
    """
}

extension AuditEntry.Action {
  static let dashboardCreated = Self("dashboard created")
  static let dashboardChanged = Self("dashboard changed")
  static let dashboardRemoved = Self("dashboard deleted")
}

/// Dashboards. The cards of each are one JSON array, because they are only read and written together.
extension Catalog {
  /// Returns an app's dashboards, oldest first.
  package func dashboards(app: AppID) throws -> [Dashboard] {
    try reading { database in
      try Row.fetchAll(database, sql: "SELECT * FROM dashboard WHERE app = ? ORDER BY id", arguments: [app.rawValue])
        .map(Self.dashboard)
    }
  }

  package func createDashboard(app: AppID, name: String, cards: [DashboardCard]) throws -> Dashboard {
    let dashboard = Dashboard(
      id: 0, app: app, name: name, cards: cards, author: AuditActor.current.name, changed: now())
    try checkExists(app)
    return try writing { database in
      let dashboard = try insert(dashboard, database)
      try record(.dashboardCreated, "\(dashboard.id) \(dashboard.name), app \(dashboard.app)", database)
      return dashboard
    }
  }

  /// Changes a dashboard in one transaction; returns `nil` if the app has none with this number.
  package func changeDashboard(
    _ id: Int64, app: AppID, _ change: (inout Dashboard) throws -> Void
  ) throws -> Dashboard? {
    let now = now()
    return try writing { database in
      guard
        var dashboard = try Row.fetchOne(
          database, sql: "SELECT * FROM dashboard WHERE id = ? AND app = ?", arguments: [id, app.rawValue]
        ).map(Self.dashboard)
      else { return nil }
      try change(&dashboard)
      (dashboard.author, dashboard.changed) = (AuditActor.current.name, now)
      try check(dashboard, database)
      try database.execute(
        sql: "UPDATE dashboard SET name = ?, cards = ?, author = ?, changed = ? WHERE id = ?",
        arguments: [
          dashboard.name, try Self.text(dashboard.cards), dashboard.author, now.millisecondsSince1970, id,
        ])
      try record(.dashboardChanged, "\(id) \(dashboard.name), app \(app)", database)
      return dashboard
    }
  }

  /// Removes a dashboard. Returns false if the app has none with this number.
  package func removeDashboard(_ id: Int64, app: AppID) throws -> Bool {
    try writing { database in
      let name = try String.fetchOne(
        database, sql: "SELECT name FROM dashboard WHERE id = ? AND app = ?", arguments: [id, app.rawValue])
      guard let name else { return false }
      try database.execute(sql: "DELETE FROM dashboard WHERE id = ?", arguments: [id])
      try database.execute(
        sql:
          "DELETE FROM link WHERE app = ? AND report = 'dashboards' AND '&' || query || '&' LIKE '%&dashboard=' || ? || '&%'",
        arguments: [app.rawValue, id])
      try Self.removeMailReports("dashboard = ?", [id], database)
      try record(.dashboardRemoved, "\(id) \(name), app \(app)", database)
      return true
    }
  }

  /// Stores a new dashboard; the number of the argument is ignored.
  func insert(_ dashboard: Dashboard, _ database: Database) throws -> Dashboard {
    var dashboard = dashboard
    dashboard.id = 0
    try check(dashboard, database)
    try checkRoom(for: .dashboards, of: dashboard.app, database)
    try database.execute(
      sql: "INSERT INTO dashboard (app, name, cards, author, changed) VALUES (?, ?, ?, ?, ?)",
      arguments: [
        dashboard.app.rawValue, dashboard.name, try Self.text(dashboard.cards), dashboard.author,
        dashboard.changed.millisecondsSince1970,
      ])
    dashboard.id = database.lastInsertedRowID
    return dashboard
  }

  private func check(_ dashboard: Dashboard, _ database: Database) throws {
    for name in [dashboard.name] + dashboard.cards.map(\.name) { try check(name: name) }
    guard dashboard.cards.count <= Dashboard.maximumCards else {
      throw WarehouseError(
        .invalid, "A dashboard can have \(Dashboard.maximumCards) cards. Remove one, or create another dashboard.")
    }
    guard dashboard.cards.allSatisfy({ $0.query.utf8.count <= DashboardCard.maximumQueryBytes }) else {
      throw WarehouseError(.invalid, "The question of a card is too long. Use fewer filters and steps.")
    }
    try Self.checkFree(dashboard.name, "dashboard", app: dashboard.app, except: dashboard.id, database)
  }

  static func dashboard(_ row: Row) throws -> Dashboard {
    Dashboard(
      id: row["id"], app: AppID(row["app"]), name: row["name"],
      cards: try value([DashboardCard].self, row["cards"]), author: row["author"],
      changed: Timestamp(millisecondsSince1970: row["changed"]))
  }
}
