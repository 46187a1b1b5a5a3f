import GRDB
public import Warehouse

extension Catalog {
  /// Changes an app's time zone, and adds the job of counting its days again.
  ///
  /// Both are one transaction: whatever happens next, the days are counted again.
  ///
  /// - Throws: ``WarehouseError`` with code `invalid` if there is no such time zone.
  @discardableResult
  public func changeZone(of app: AppID, to timeZone: String) throws -> DataJob {
    guard try self.app(app) != nil else {
      throw WarehouseError(
        code: .unknownApp, message: "There is no app \(app). Run `tern apps list` to see all apps.")
    }
    try check(timeZone: timeZone)
    let job = try addJob(
      .changeZone, app: app, argument: timeZone, audit: .appChanged, "\(app): time_zone \(timeZone), days counted again"
    ) { database in
      try database.execute(
        sql: "UPDATE app SET time_zone = ? WHERE id = ?", arguments: [timeZone, app.rawValue])
    }
    // This process sees the change at once.
    _ = try apps()
    return job
  }

  /// Returns the state of an app's latest change of time zone; `nil` if all days are counted in its time zone.
  public func zoneChange(of app: AppID) throws -> ZoneChange? {
    try reading { database in
      let row = try Row.fetchOne(
        database,
        sql: "SELECT message, is_failed, progress FROM job WHERE app = ? AND kind = ? ORDER BY id DESC LIMIT 1",
        arguments: [app.rawValue, DataJob.Kind.changeZone.rawValue])
      guard let row else { return nil }
      guard let message: String = row["message"] else { return .running(row["progress"]) }
      return row["is_failed"] ? .failed(message) : nil
    }
  }
}
