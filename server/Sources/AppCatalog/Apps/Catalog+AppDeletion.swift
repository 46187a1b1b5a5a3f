import GRDB
package import Warehouse

/// Deleting an app with everything. Numbers of apps and views are never used again.
extension Catalog {
  /// Adds the job of deleting an app with everything.
  @discardableResult
  package func requestDeletion(of app: App) throws -> DataJob {
    try addJob(.deleteApp, app: app.id, audit: .appDeleted, "\(app.id) \(app.name)")
  }

  /// Deletes an app with its views, definitions, segments, links, tokens, alerts and reports by mail, and stores the
  /// result of the job that does it.
  package func finishDeletion(of app: AppID, job: Int64, _ result: DataJob.Result) throws {
    try writing { database in
      for table in ["view_zone", "view_rule", "imported"] {
        try database.execute(
          sql: "DELETE FROM \(table) WHERE view IN (SELECT id FROM view WHERE app = ?)", arguments: [app.rawValue])
      }
      let tables = [
        "view", "definition", "definition_rule", "link", "token", "segment", "dashboard", "annotation", "error_state",
        "symbols",
      ]
      for table in tables {
        try database.execute(sql: "DELETE FROM \(table) WHERE app = ?", arguments: [app.rawValue])
      }
      try Self.removeAlerts("app = ?", [app.rawValue], database)
      try Self.removeMailReports("app = ?", [app.rawValue], database)
      for name in [Self.newNames(app), Self.limits(app)] {
        try database.execute(sql: "DELETE FROM setting WHERE name = ?", arguments: [name])
      }
      try removeUnusedSymbols(database)
      try database.execute(sql: "DELETE FROM app WHERE id = ?", arguments: [app.rawValue])
      try Self.finishJob(job, result, database)
    }
  }
}
