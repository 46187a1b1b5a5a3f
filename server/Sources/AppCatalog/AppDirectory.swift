import GRDB
import TernEvents
import Warehouse

/// All apps in memory, read again when the catalog has changed.
///
/// A hit costs a dictionary look-up. A miss asks SQLite on a connection of its own whether anybody has committed since
/// (`PRAGMA data_version`, microseconds and no disk), so a flood of unknown keys is cheap and a new app known at once.
final class AppDirectory: Sendable {
  /// The apps by everything a client may name them with.
  struct Snapshot {
    var all: [App] = []
    var byID: [AppID: App] = [:]
    var byKey: [String: App] = [:]
    var bySecret: [String: App] = [:]
    var byTrackingID: [String: App] = [:]
    var version: Int64?
  }

  private let snapshot = Locked(Snapshot())
  private let queue: DatabaseQueue

  init(path: String) throws {
    var configuration = Configuration()
    configuration.busyMode = .timeout(10)
    configuration.label = "app directory"
    queue = try DatabaseQueue(path: path, configuration: configuration)
  }

  func close() throws { try queue.close() }

  /// All apps, oldest first.
  func all() throws -> [App] {
    try refresh()
    return snapshot.withLock { $0.all }
  }

  func find(_ look: (Snapshot) -> App?) throws -> App? {
    if let known = snapshot.withLock({ look($0) }) { return known }
    try refresh()
    return snapshot.withLock { look($0) }
  }

  private func refresh() throws {
    let known = snapshot.withLock { $0.version }
    do {
      let fresh: Snapshot? = try queue.read { database in
        let version = try Int64.fetchOne(database, sql: "PRAGMA data_version")
        guard version == nil || version != known else { return nil }
        return try Self.load(database, version: version)
      }
      guard let fresh else { return }
      snapshot.withLock { $0 = fresh }
    } catch {
      throw WarehouseError(code: .unavailable, message: "The catalog of apps cannot be read.", cause: error)
    }
  }

  private static func load(_ database: Database, version: Int64?) throws -> Snapshot {
    var snapshot = Snapshot(version: version)
    for row in try Row.fetchAll(database, sql: "SELECT * FROM app ORDER BY id") {
      let app = App(
        id: AppID(row["id"]), name: row["name"], key: row["key"], appSecret: row["app_secret"],
        trackingID: row["tracking_id"], timeZone: row["time_zone"],
        created: Timestamp(millisecondsSince1970: row["created"]))
      snapshot.all.append(app)
      snapshot.byID[app.id] = app
      snapshot.byKey[app.key] = app
      snapshot.bySecret[app.appSecret] = app
      snapshot.byTrackingID[app.trackingID] = app
    }
    return snapshot
  }
}
