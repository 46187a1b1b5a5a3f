import GRDB
import Warehouse

/// The most things of one kind that people and programs can create: each costs time or room whenever something else is done, so
/// one program without a limit could slow all others. The page on operations has the same table.
package struct CountLimit: Sendable, Hashable {
  /// The table with the things.
  let table: String
  /// The things in plural, with what they belong to.
  package let things: String
  package let maximum: Int
  /// The remedy, in a sentence.
  package let remedy: String

  private init(_ table: String, _ things: String, _ maximum: Int, _ remedy: String) {
    (self.table, self.things, self.maximum, self.remedy) = (table, things, maximum, remedy)
  }

  static let apps = CountLimit("app", "apps", 1_000, "Delete one that is not used.")
  static let users = CountLimit("account", "users", 1_000, "Remove one who doesn't need access.")
  static let tokens = CountLimit("token", "tokens", 1_000, "Revoke one that is not used.")
  static let sessions = CountLimit("session", "sessions of a user", 50, "The oldest session ends.")
  /// Each hit is counted in every view.
  static let views = CountLimit("view", "views of an app", 50, "Delete one that is not used.")
  static let viewZones = CountLimit(
    "view_zone", "successive time zones of a view", 100, "Create another view with the time zone.")
  static let definitionRules = CountLimit(
    "definition_rule", "changes of a dimension or metric", 100, "Use a dimension or metric with another number.")
  static let links = CountLimit("link", "shared links of an app", 200, "Revoke one that is not used.")
  /// Their names are on each of their pages.
  static let dashboards = CountLimit("dashboard", "dashboards of an app", 50, "Delete one that is not used.")
  /// Their names are on every page.
  static let segments = CountLimit("segment", "segments of an app", 200, "Delete one that is not used.")
  /// Those of a chart's days are listed below it.
  static let notes = CountLimit("annotation", "notes of an app", 1_000, "Delete one that is not needed.")
  static let alerts = CountLimit(
    "alert", "alerts of an app, or about the server", 100, "Delete one that is not needed.")
  static let mailReports = CountLimit(
    "mail_report", "reports by mail of an app", 50, "Delete one that is not needed.")
  static let jobs = CountLimit(
    "job", "unfinished jobs of an app", 10_000, "Wait until some are done.")

  /// All limits.
  package static let all = [
    apps, users, tokens, sessions, views, viewZones, definitionRules, links, dashboards, segments, notes, alerts,
    mailReports, jobs,
  ]
}

extension Catalog {
  /// The most things of a kind. Tests have less.
  func maximum(_ limit: CountLimit) -> Int { min(limit.maximum, maximumCount) }

  /// Throws ``WarehouseError`` if there is no room for one more thing.
  ///
  /// - Parameters:
  ///   - condition: The condition for those that count, in SQL.
  ///   - code: The code of the error.
  func checkRoom(
    for limit: CountLimit, where condition: String = "true", arguments: StatementArguments = [],
    code: WarehouseError.Code = .invalid, _ database: Database
  ) throws {
    let count = try Int.fetchOne(
      database, sql: "SELECT count(*) FROM \(limit.table) WHERE \(condition)", arguments: arguments)
    guard (count ?? 0) < maximum(limit) else {
      throw WarehouseError(code, "There can be at most \(maximum(limit)) \(limit.things). \(limit.remedy)")
    }
  }

  /// Throws ``WarehouseError`` with code `invalid` if an app, or the server, has no room for one more thing.
  func checkRoom(for limit: CountLimit, of app: AppID?, _ database: Database) throws {
    try checkRoom(for: limit, where: "app IS ?", arguments: [app?.rawValue], database)
  }
}
