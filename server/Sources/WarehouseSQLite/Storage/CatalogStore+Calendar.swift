package import ServerBase
package import Warehouse

extension CatalogStore {
  /// Returns the calendar of an app's time zone.
  package func calendar(_ app: AppID) throws -> ZoneCalendar {
    guard let record = try self.app(app) else {
      throw WarehouseError(.unknownApp, "There is no app \(app). Run `tern apps list` to see all apps.")
    }
    return ZoneCalendar(record.zone)
  }
}
