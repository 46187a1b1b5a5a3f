import GRDB
package import Warehouse

extension AuditEntry.Action {
  static let appDeleted = Self("app deleted")
}

/// Deleting an app with everything. Numbers of apps and views are never used again.
extension Catalog {
  /// Adds the job of deleting an app with everything.
  @discardableResult
  package func requestDeletion(of app: App) throws -> DataJob {
    try addJob(.deleteApp, app: app.id, audit: .appDeleted, "\(app.id) \(app.name)")
  }

  /// Deletes an app with everything that belongs to it, and stores the result of the job that does it.
  package func finishDeletion(of app: AppID, job: Int64, _ result: DataJob.Result) throws {
    try writing { database in
      for table in try Self.tables(with: "view", database) {
        try database.execute(
          sql: "DELETE FROM \(table) WHERE view IN (SELECT id FROM view WHERE app = ?)", arguments: [app.rawValue])
      }
      // With their notifications, whose tables name neither app nor view.
      try Self.removeAlerts("app = ?", [app.rawValue], database)
      try Self.removeMailReports("app = ?", [app.rawValue], database)
      // Jobs stay with their results, among them this one.
      for table in try Self.tables(with: "app", database) where table != "job" {
        try database.execute(sql: "DELETE FROM \(table) WHERE app = ?", arguments: [app.rawValue])
      }
      for name in [Self.newNames(app), Self.limits(app), Self.releaseConversions(app)] {
        try database.execute(sql: "DELETE FROM setting WHERE name = ?", arguments: [name])
      }
      try Self.removeFromAccounts(app, database)
      try database.execute(sql: "DELETE FROM app WHERE id = ?", arguments: [app.rawValue])
      try Self.finishJob(job, result, database)
    }
    // Done when their rows are gone for good. The next start deletes what is left.
    try? removeUnusedSymbols()
  }

  /// Takes an app out of the rights of all accounts; one that had no other app sees none from now on.
  private static func removeFromAccounts(_ app: AppID, _ database: Database) throws {
    for row in try Row.fetchAll(database, sql: "SELECT * FROM account WHERE apps IS NOT NULL") {
      let account = try account(row)
      guard var apps = account.apps, apps.remove(app) != nil else { continue }
      try database.execute(
        sql: "UPDATE account SET apps = ? WHERE id = ?", arguments: [text(of: apps), account.id])
    }
  }

  /// Returns the tables that have a column with a name, so that a new table of what belongs to an app is in no list.
  static func tables(with column: String, _ database: Database) throws -> [String] {
    try String.fetchAll(
      database,
      sql: """
        SELECT found.name FROM sqlite_schema AS found WHERE found.type = 'table'
        AND EXISTS (SELECT 1 FROM pragma_table_info(found.name) AS info WHERE info.name = ?) ORDER BY found.name
        """, arguments: [column])
  }
}
