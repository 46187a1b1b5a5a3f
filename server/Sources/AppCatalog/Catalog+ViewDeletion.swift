import GRDB
public import Warehouse

extension Catalog: CatalogEditor {
  /// Deletes a view with its shared links, and adds the job of deleting its stored days.
  ///
  /// The view is gone at once, so that nothing counts its days again while the job waits. Numbers of views are never
  /// used again.
  @discardableResult
  public func deleteView(_ view: View) throws -> DataJob {
    try writing { database in
      for table in ["view_zone", "view_rule", "imported"] {
        try database.execute(sql: "DELETE FROM \(table) WHERE view = ?", arguments: [view.id.rawValue])
      }
      try database.execute(sql: "DELETE FROM view WHERE id = ?", arguments: [view.id.rawValue])
      try database.execute(
        sql: "DELETE FROM link WHERE app = ? AND '&' || query || '&' LIKE '%&view=' || ? || '&%'",
        arguments: [view.app.rawValue, view.id.rawValue])
      try record(.viewDeleted, "\(view.id) \(view.name)", database)
      return try Self.insertJob(.deleteView, app: view.app, argument: view.id.description, database)
    }
  }
}
