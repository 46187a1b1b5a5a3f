import GRDB
import TernBase
import TernEvents
import Warehouse

/// An in-memory directory of all apps, reloaded when the catalog changes.
///
/// A hit is a dictionary look-up. A miss checks `PRAGMA data_version` on a separate connection (microseconds, no disk
/// access) to see if the catalog has changed, and so does the first hit of each second. A flood of unknown keys is
/// therefore cheap, a new app is found at once, and a change to an app takes effect within a second.
final class AppDirectory: Sendable {
  /// The apps, indexed by each identifier that a client can send.
  struct Snapshot {
    var all: [App] = []
    var byID: [AppID: App] = [:]
    var byKey: [String: App] = [:]
    var bySecret: [String: App] = [:]
    var byTrackingID: [String: App] = [:]
    var byWriteKey: [String: App] = [:]
    var version: Int64?
    var checked: Timestamp?
  }

  private let snapshot = Locked(Snapshot())
  private let queue: DatabaseQueue
  private let now: @Sendable () -> Timestamp

  init(path: String, now: @escaping @Sendable () -> Timestamp) throws {
    self.now = now
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
    let now = now()
    let (app, isRecent) = snapshot.withLock { snapshot in
      // A clock that was set back must not delay the check.
      (look(snapshot), snapshot.checked.map { (.zero ..< .seconds(1)).contains(now.since($0)) } ?? false)
    }
    if let app, isRecent { return app }
    try refresh()
    return snapshot.withLock { look($0) }
  }

  private func refresh() throws {
    let now = now()
    let currentVersion = snapshot.withLock { snapshot in
      snapshot.checked = now
      return snapshot.version
    }
    do {
      let fresh: Snapshot? = try queue.read { database in
        let version = try Int64.fetchOne(database.cachedStatement(sql: "PRAGMA data_version"))
        guard version == nil || version != currentVersion else { return nil }
        return try Self.load(database, version: version, now)
      }
      guard let fresh else { return }
      snapshot.withLock { $0 = fresh }
    } catch {
      throw WarehouseError(.unavailable, "The app catalog can't be read.", cause: error)
    }
  }

  static func load(_ database: Database, version: Int64? = nil, _ now: Timestamp? = nil) throws -> Snapshot {
    var snapshot = Snapshot(version: version, checked: now)
    var zones = StoredZones()
    let writeKeys = try Catalog.writeKeys(database)
    for row in try Row.fetchAll(database, sql: "SELECT * FROM app ORDER BY id") {
      var app = App(
        id: AppID(row["id"]), name: row["name"], key: row["key"], appSecret: row["app_secret"],
        trackingID: row["tracking_id"], zone: try zones.zone(row["time_zone"], row["zone_data"], database),
        created: Timestamp(millisecondsSince1970: row["created"]),
        keeping: (row["keeping"] as String?).flatMap { KeepingPeriod($0) })
      app.writeKeys = writeKeys[app.id] ?? []
      snapshot.all.append(app)
      snapshot.byID[app.id] = app
      snapshot.byKey[app.key] = app
      snapshot.bySecret[app.appSecret] = app
      snapshot.byTrackingID[app.trackingID] = app
      for key in app.writeKeys { snapshot.byWriteKey[key] = app }
    }
    return snapshot
  }
}
