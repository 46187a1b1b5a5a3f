import Foundation
import GRDB
import Ingest
import TernEvents
public import Warehouse

extension Catalog {
  /// Creates a view of an app.
  ///
  /// - Parameters:
  ///   - app: the app whose hits it shows; an app may have many.
  ///   - name: 1 to 100 characters.
  ///   - timeZone: the IANA name of the zone whose civil days it counts.
  ///   - lateness: which hits come too late.
  ///   - filters: what its hits must have.
  ///   - settings: how sessions are cut and attributed, and who is a user.
  /// - Throws: ``WarehouseError`` with code `invalid` when a value cannot be used, `unknownApp` when there is no such app.
  public func createView(
    app: AppID, name: String, timeZone: String, lateness: View.Lateness = .cutoff, filters: [ViewFilter] = [],
    settings: ViewSettings = ViewSettings()
  ) throws -> View {
    guard try self.app(app) != nil else {
      throw WarehouseError(
        code: .unknownApp, message: "There is no app \(app). `tern apps list` shows those that there are.")
    }
    try check(name: name, timeZone: timeZone)
    let rules = View.Rules(lateness: lateness, filters: filters, settings: settings)
    try check(rules)
    let encoded = try Self.text(of: filters)
    return try writing { database in
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
        sql: "INSERT INTO view_zone (view, start, zone) VALUES (?, ?, ?)", arguments: [id.rawValue, 0, timeZone])
      return View(
        id: id, app: app, name: name,
        zones: [View.Zone(identifier: timeZone, start: Timestamp(millisecondsSince1970: 0))], first: rules)
    }
  }

  /// Changes the zone of a view from now on; what happened before keeps its days.
  public func setZone(of view: ViewID, to timeZone: String) throws -> View {
    let known = try existing(view)
    try check(name: known.name, timeZone: timeZone)
    guard timeZone != known.timeZone else { return known }
    let start = max(now().millisecondsSince1970, (known.zones.last?.start.millisecondsSince1970 ?? 0) + 1)
    try writing { database in
      try database.execute(
        sql: "INSERT INTO view_zone (view, start, zone) VALUES (?, ?, ?)",
        arguments: [view.rawValue, start, timeZone])
    }
    return try self.view(view) ?? known
  }

  /// The views of an app, or of all apps, oldest first.
  public func views(app: AppID? = nil) throws -> [View] {
    try reading { database in
      let rows = try Row.fetchAll(
        database, sql: "SELECT * FROM view WHERE ?1 IS NULL OR app = ?1 ORDER BY id", arguments: [app?.rawValue])
      return try rows.map { try Self.view($0, database) }
    }
  }

  /// The view with an id; `nil` when there is none.
  public func view(_ id: ViewID) throws -> View? {
    try reading { database in
      try Row.fetchOne(database, sql: "SELECT * FROM view WHERE id = ?", arguments: [id.rawValue])
        .map { try Self.view($0, database) }
    }
  }

  /// The view with an id; throws when there is none.
  func existing(_ id: ViewID) throws -> View {
    guard let view = try view(id) else {
      throw WarehouseError(code: .invalid, message: "There is no view \(id). `tern views list` shows all.")
    }
    return view
  }

  /// Throws when rules cannot be used.
  func check(_ rules: View.Rules) throws {
    if let filter = rules.filters.first(where: { !HitParameter.isKept($0.parameter) }) {
      throw WarehouseError(
        code: .invalid, message: "Hits are kept without \"\(filter.parameter)\", so no view can ask for it.")
    }
    if let fault = rules.settings.fault { throw WarehouseError(code: .invalid, message: fault) }
  }

  /// The stored form of filters.
  static func text(of filters: [ViewFilter]) throws -> String {
    String(decoding: try JSONEncoder().encode(filters.map(\.description)), as: UTF8.self)
  }

  private static func view(_ row: Row, _ database: Database) throws -> View {
    let id: Int64 = row["id"]
    let zones = try Row.fetchAll(
      database, sql: "SELECT zone, start FROM view_zone WHERE view = ? ORDER BY start", arguments: [id])
    let changes = try Row.fetchAll(
      database, sql: "SELECT * FROM view_rule WHERE view = ? ORDER BY day", arguments: [id])
    return View(
      id: ViewID(id), app: AppID(row["app"]), name: row["name"],
      zones: zones.map {
        View.Zone(identifier: $0["zone"], start: Timestamp(millisecondsSince1970: $0["start"]))
      },
      first: try rules(row, of: id, start: nil),
      changes: try changes.map { try rules($0, of: id, start: Day(number: $0["day"])) })
  }

  private static func rules(_ row: Row, of view: Int64, start: Day?) throws -> View.Rules {
    let filters: String = row["filters"]
    guard let lateness = View.Lateness(rawValue: row["lateness"]),
      let identity = ViewSettings.Identity(rawValue: row["identity"]),
      let texts = try? JSONDecoder().decode([String].self, from: Data(filters.utf8))
    else { throw WarehouseError(code: .damaged, message: "View \(view) is damaged. Restore catalog.sqlite.") }
    return View.Rules(
      start: start, lateness: lateness, filters: texts.compactMap { ViewFilter($0) },
      settings: ViewSettings(
        sessionTimeout: .seconds(row["timeout"] as Int64), campaignDays: row["campaign_days"],
        hasQuotas: row["quotas"], currency: row["currency"], identity: identity))
  }
}
