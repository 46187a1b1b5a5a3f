import Foundation
import GRDB
import Ingest
import TernEvents

extension Catalog {
  /// Creates a view of an app.
  ///
  /// - Parameters:
  ///   - app: the app whose hits it shows; an app may have many.
  ///   - name: 1 to 100 characters.
  ///   - timeZone: the IANA name of the zone whose civil days it counts.
  ///   - lateness: which hits come too late; cannot be changed later, as days that are final must stay as they are.
  ///   - filters: what its hits must have; cannot be changed later.
  ///   - settings: how sessions are cut and attributed, and who is a user; cannot be changed later.
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
    if let filter = filters.first(where: { !HitParameter.isKept($0.parameter) }) {
      throw WarehouseError(
        code: .invalid, message: "Hits are kept without \"\(filter.parameter)\", so no view can ask for it.")
    }
    if let fault = settings.fault { throw WarehouseError(code: .invalid, message: fault) }
    let encoded = String(decoding: try JSONEncoder().encode(filters.map(\.description)), as: UTF8.self)
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
        id: id, app: app, name: name, lateness: lateness, filters: filters,
        zones: [View.Zone(identifier: timeZone, start: Timestamp(millisecondsSince1970: 0))], settings: settings)
    }
  }

  /// Changes the zone of a view from now on; what happened before keeps its days.
  public func setZone(of view: ViewID, to timeZone: String) throws -> View {
    guard let known = try self.view(view) else {
      throw WarehouseError(code: .invalid, message: "There is no view \(view). `tern views list` shows all.")
    }
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

  private static func view(_ row: Row, _ database: Database) throws -> View {
    let id: Int64 = row["id"]
    let zones = try Row.fetchAll(
      database, sql: "SELECT zone, start FROM view_zone WHERE view = ? ORDER BY start", arguments: [id])
    let filters: String = row["filters"]
    guard let lateness = View.Lateness(rawValue: row["lateness"]),
      let identity = ViewSettings.Identity(rawValue: row["identity"]),
      let texts = try? JSONDecoder().decode([String].self, from: Data(filters.utf8))
    else { throw WarehouseError(code: .damaged, message: "View \(id) is damaged. Restore catalog.sqlite.") }
    return View(
      id: ViewID(id), app: AppID(row["app"]), name: row["name"], lateness: lateness,
      filters: texts.compactMap { ViewFilter($0) },
      zones: zones.map {
        View.Zone(identifier: $0["zone"], start: Timestamp(millisecondsSince1970: $0["start"]))
      },
      settings: ViewSettings(
        sessionTimeout: .seconds(row["timeout"] as Int64), campaignDays: row["campaign_days"],
        hasQuotas: row["quotas"], currency: row["currency"], identity: identity))
  }
}
