import GRDB
import Ingest
import ServerBase
import TernEvents
package import Warehouse

extension CatalogSchema {
  /// `view` has a view's first rules; `view_rule` has later ones, each with the day from which it applies.
  static let views = """
    CREATE TABLE view (
      id INTEGER PRIMARY KEY AUTOINCREMENT, app INTEGER NOT NULL, name TEXT NOT NULL, lateness TEXT NOT NULL,
      filters TEXT NOT NULL, timeout INTEGER NOT NULL, campaign_days INTEGER NOT NULL, quotas INTEGER NOT NULL,
      currency TEXT NOT NULL, identity TEXT NOT NULL
    );
    CREATE TABLE view_zone (
      view INTEGER NOT NULL, start INTEGER NOT NULL, zone TEXT NOT NULL, PRIMARY KEY (view, start)
    ) WITHOUT ROWID;
    CREATE TABLE view_rule (
      view INTEGER NOT NULL, day INTEGER NOT NULL, lateness TEXT NOT NULL, filters TEXT NOT NULL,
      timeout INTEGER NOT NULL, campaign_days INTEGER NOT NULL, quotas INTEGER NOT NULL, currency TEXT NOT NULL,
      identity TEXT NOT NULL, PRIMARY KEY (view, day)
    ) WITHOUT ROWID;
    """
}

extension AuditEntry.Action {
  static let viewCreated = Self("view created")
  static let viewChanged = Self("view changed")
}

extension Catalog {
  /// Creates a view of an app.
  ///
  /// - Parameters:
  ///   - app: The app whose hits the view shows. An app can have many views.
  ///   - name: 1 to 100 characters.
  ///   - timeZone: The IANA name of the time zone that defines the view's days.
  ///   - lateness: The rule for late hits.
  ///   - filters: The filters that hits must pass.
  ///   - settings: The rules for sessions, campaigns and the identity of users.
  /// - Throws: ``WarehouseError`` with code `invalid` if a value is invalid, or `unknownApp` if the app doesn't exist.
  package func createView(
    app: AppID, name: String, timeZone: String, lateness: View.Lateness = .cutoff, filters: [ViewFilter] = [],
    settings: ViewSettings = ViewSettings()
  ) throws -> View {
    try checkExists(app)
    try check(name: name)
    let zone = try newZone(timeZone)
    let rules = View.Rules(lateness: lateness, filters: filters, settings: settings)
    try check(rules)
    let encoded = try Self.text(filters.map(\.description))
    return try writing { database in
      try checkRoom(for: .views, of: app, database)
      try database.execute(
        sql: """
          INSERT INTO view (app, name, lateness, filters, timeout, campaign_days, quotas, currency, identity)
          VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
          """,
        arguments: [
          app.rawValue, name, lateness.rawValue, encoded, settings.sessionTimeout.components.seconds,
          settings.campaignDays, settings.hasQuotas, settings.currency, settings.identity.rawValue,
        ])
      let id = ViewID(database.lastInsertedRowID)
      try database.execute(
        sql: "INSERT INTO view_zone (view, start, zone, zone_data) VALUES (?, ?, ?, ?)",
        arguments: [id.rawValue, 0, zone.identifier, try Self.store(zone, database)])
      try record(.viewCreated, "\(id) \(name), app \(app)", database)
      return View(
        id: id, app: app, name: name,
        zones: [View.Zone(zone, start: Timestamp(millisecondsSince1970: 0))], first: rules)
    }
  }

  /// Changes a view's time zone from now on. Earlier hits keep their days.
  package func setZone(of view: ViewID, to timeZone: String) throws -> View {
    let current = try existing(view)
    let zone = timeZone == current.timeZone ? current.zone : try newZone(timeZone)
    guard zone != current.zone else { return current }
    let start = max(now().millisecondsSince1970, (current.zones.last?.start.millisecondsSince1970 ?? 0) + 1)
    try writing { database in
      try checkRoom(for: .viewZones, where: "view = ?", arguments: [view.rawValue], database)
      try database.execute(
        sql: "INSERT INTO view_zone (view, start, zone, zone_data) VALUES (?, ?, ?, ?)",
        arguments: [view.rawValue, start, zone.identifier, try Self.store(zone, database)])
      try record(.viewChanged, "\(view), time zone \(zone.identifier)", database)
    }
    return try self.view(view) ?? current
  }

  /// Returns the views of an app, or of all apps, oldest first.
  package func views(app: AppID? = nil) throws -> [View] {
    try reading { try Self.views($0, app: app) }
  }

  static func views(_ database: Database, app: AppID? = nil) throws -> [View] {
    let rows = try Row.fetchAll(
      database, sql: "SELECT * FROM view WHERE ?1 IS NULL OR app = ?1 ORDER BY id", arguments: [app?.rawValue])
    return try rows.map { try view($0, database) }
  }

  /// Returns the view with an ID, or `nil` if there is none.
  package func view(_ id: ViewID) throws -> View? {
    try reading { database in
      try Row.fetchOne(database, sql: "SELECT * FROM view WHERE id = ?", arguments: [id.rawValue])
        .map { try Self.view($0, database) }
    }
  }

  /// Returns the view with an ID, or throws if there is none.
  func existing(_ id: ViewID) throws -> View {
    guard let view = try view(id) else {
      throw WarehouseError(.invalid, "There is no view \(id). Run `tern views list` to see all views.")
    }
    return view
  }

  /// Throws if the rules are invalid.
  func check(_ rules: View.Rules) throws {
    if let filter = rules.filters.first(where: { !HitParameter.isKnownAndKept($0.parameter) }) {
      throw WarehouseError(
        .invalid,
        "Views can't filter by \"\(filter.parameter)\": it is no parameter of the Measurement Protocol that is "
          + "stored with hits. Use one such as av or cd1.")
    }
    if let fault = rules.settings.fault { throw WarehouseError(.invalid, fault) }
  }

  private static func view(_ row: Row, _ database: Database) throws -> View {
    let id: Int64 = row["id"]
    let zones = try Row.fetchAll(
      database, sql: "SELECT zone, start, zone_data FROM view_zone WHERE view = ? ORDER BY start", arguments: [id])
    let changes = try Row.fetchAll(
      database, sql: "SELECT * FROM view_rule WHERE view = ? ORDER BY day", arguments: [id])
    var stored = StoredZones()
    return View(
      id: ViewID(id), app: AppID(row["app"]), name: row["name"],
      zones: try zones.map {
        View.Zone(
          try stored.zone($0["zone"], $0["zone_data"], database), start: Timestamp(millisecondsSince1970: $0["start"]))
      },
      first: try rules(row, of: id, start: nil),
      changes: try changes.map { try rules($0, of: id, start: Day(number: $0["day"])) })
  }

  private static func rules(_ row: Row, of view: Int64, start: Day?) throws -> View.Rules {
    let filters: String = row["filters"]
    guard let lateness = View.Lateness(rawValue: row["lateness"]),
      let identity = ViewSettings.Identity(rawValue: row["identity"]),
      let texts = try? value([String].self, filters)
    else { throw WarehouseError(.damaged, "View \(view) is damaged. Restore catalog.sqlite.") }
    return View.Rules(
      start: start, lateness: lateness, filters: texts.compactMap { ViewFilter($0) },
      settings: ViewSettings(
        sessionTimeout: .seconds(row["timeout"] as Int64), campaignDays: row["campaign_days"],
        hasQuotas: row["quotas"], currency: row["currency"], identity: identity))
  }
}
