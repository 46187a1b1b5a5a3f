package import Warehouse
import WarehouseSQLite

extension Writer {
  private static let viewTables = ["view_day", "view_state", "view_order", "view_open_day"]

  /// Deletes the stored days of views, and stores no further ones: days may be counted already.
  func deleteDays(of views: [Int64]) throws {
    deletedViews.formUnion(views)
    // The triggers keep sealed days from changing, not from going with their view.
    try transact {
      for table in Self.viewTables where table != "view_open_day" {
        try connection.execute("DROP TRIGGER \(table)_delete")
      }
      for table in Self.viewTables {
        for view in views { try connection.prepare("DELETE FROM \(table) WHERE view = ?").bind(view).run() }
      }
      try connection.execute(WarehouseSchema.deletionTriggers)
    }
  }
}

extension SQLiteWarehouse {
  /// Deletes the stored days of a view that the catalog no longer has, and returns the space to the disk.
  ///
  /// If the process is killed, call it again: what is deleted already is no obstacle.
  package func delete(view: ViewID) async throws {
    try await perform { try $0.deleteDays(of: [view.rawValue]) }
    reader.viewDays.forget { $0.id == view }
    try await repeatWhile { try await self.perform { try $0.connection.returnPages() } }
  }
}
