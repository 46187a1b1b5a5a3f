import GRDB
public import Warehouse

extension Catalog {
  /// Returns the state of an app's latest change of time zone; `nil` if all days are counted in its time zone.
  public func zoneChange(of app: AppID) throws -> ZoneChange? {
    try reading { try Self.latestZoneJob(of: app, $0)?.state }
  }

  /// The latest job that counts an app's days again in a new time zone, with its state; `nil` inside if it is done.
  static func latestZoneJob(of app: AppID, _ database: Database) throws -> (job: DataJob, state: ZoneChange?)? {
    let row = try Row.fetchOne(
      database, sql: "SELECT * FROM job WHERE app = ? AND kind = ? ORDER BY id DESC LIMIT 1",
      arguments: [app.rawValue, DataJob.Kind.changeZone.rawValue])
    guard let row else { return nil }
    let job = DataJob(id: row["id"], kind: .changeZone, app: app, argument: row["argument"])
    guard let message: String = row["message"] else { return (job, .running(row["progress"])) }
    return (job, row["is_failed"] ? .failed(message) : nil)
  }
}
