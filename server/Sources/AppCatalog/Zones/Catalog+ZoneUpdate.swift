import GRDB
import ServerBase
import TernEvents
import Views
package import Warehouse

/// The apps and views for which newer zone data change something.
package struct ZoneUpdate: Sendable, Hashable {
  /// The apps whose days are counted again.
  package var apps: [AppID] = []
  /// The views whose later days are counted by the newer data.
  package var views: [ViewID] = []
  /// The zones that the data of this computer don't have: they keep their rules.
  package var missing: Set<String> = []
}

extension Catalog {
  /// Takes the zone data of this computer where they are newer than those by which days are counted.
  ///
  /// Where clocks differ at a time that rows can have, an app gets the job of counting its days again. A view's
  /// sealed days stay as they were counted, and the newer data apply from the first moment after them.
  ///
  /// - Parameters:
  ///   - rowTimes: The times of all rows, in milliseconds since 1970; `nil` without rows.
  ///   - lastSealed: The last sealed day of each view that has one.
  package func takeZoneData(rowTimes: ClosedRange<Int64>?, lastSealed: [ViewID: Day]) throws -> ZoneUpdate {
    var update = ZoneUpdate()
    let times = rowTimes.map { flooredQuotient($0.lowerBound, 1_000)..<flooredQuotient($0.upperBound, 1_000) + 1 }
    func newer(than zone: ZoneRules) -> ZoneRules? {
      if zone.source != .always, zones.zone(zone.identifier) == nil { update.missing.insert(zone.identifier) }
      return self.newer(than: zone)
    }
    try writing { database in
      for app in try AppDirectory.load(database).all {
        guard let newer = newer(than: app.zone) else { continue }
        try database.execute(
          sql: "UPDATE app SET zone_data = ? WHERE id = ?",
          arguments: [try Self.store(newer, database), app.id.rawValue])
        guard let times, !newer.table.differences(from: app.zone.table, in: times).isEmpty else { continue }
        update.apps.append(app.id)
        _ = try Self.insertJob(.changeZone, app: app.id, argument: app.timeZone, database)
        try record(.appChanged, "\(app.id): zone data \(newer.source), days counted again", database)
      }
      for view in try Self.views(database) {
        guard let last = view.zones.last, let newer = newer(than: last.rules),
          let start = Self.start(of: newer, in: view, last, lastSealed: lastSealed[view.id])
        else { continue }
        try database.execute(
          sql: "INSERT OR REPLACE INTO view_zone (view, start, zone, zone_data) VALUES (?, ?, ?, ?)",
          arguments: [view.id.rawValue, start, newer.identifier, try Self.store(newer, database)])
        guard !newer.hasSameTimes(as: last.rules) else { continue }
        update.views.append(view.id)
        try record(.viewChanged, "\(view.id), zone data \(newer.source)", database)
      }
    }
    // This process sees the change at once.
    _ = try apps()
    return update
  }

  private func newer(than zone: ZoneRules) -> ZoneRules? {
    guard zone.source != .always, let found = zones.zone(zone.identifier) else { return nil }
    // Files that don't name their edition say what is new only by what is in them.
    let hasChanged =
      found.source.version == nil && !zones.isBuiltIn && found.source.place == zone.source.place
      && !found.hasSameTimes(as: zone)
    guard found.source.isNewer(than: zone.source) || hasChanged else { return nil }
    return ZoneRules(identifier: zone.identifier, table: found.table, source: found.source)
  }

  /// The moment from which newer data apply to a view: that of the data before if none of its days are sealed, or none that differ. `nil`
  /// if nothing differs after the sealed days.
  private static func start(
    of newer: ZoneRules, in view: View, _ last: View.Zone, lastSealed: Day?
  ) -> Int64? {
    let start = last.start.millisecondsSince1970
    guard let lastSealed, let end = ViewCalendar(view).bounds(of: lastSealed.number)?.upperBound, end > start else {
      return start
    }
    func differs(_ range: Range<Int64>) -> Bool {
      !newer.table.differences(from: last.rules.table, in: range.clamped(to: ZoneRules.years)).isEmpty
    }
    let second = flooredQuotient(end, 1_000)
    if !differs(flooredQuotient(start, 1_000)..<second) { return start }
    return differs(second..<ZoneRules.years.upperBound) ? end : nil
  }

  /// Returns the state of an app's latest change of time zone; `nil` if all days are counted in its time zone.
  package func zoneChange(of app: AppID) throws -> ZoneChange? {
    try reading { try Self.latestZoneJob(of: app, $0)?.state }
  }

  /// The latest job that counts an app's days again in a new time zone, with its state; `nil` inside if it is done.
  static func latestZoneJob(of app: AppID, _ database: Database) throws -> (job: DataJob, state: ZoneChange?)? {
    let row = try Row.fetchOne(
      database.cachedStatement(sql: "SELECT * FROM job WHERE app = ? AND kind = ? ORDER BY id DESC LIMIT 1"),
      arguments: [app.rawValue, DataJob.Kind.changeZone.rawValue])
    guard let row else { return nil }
    let job = DataJob(id: row["id"], kind: .changeZone, app: app, argument: row["argument"])
    guard let message: String = row["message"] else { return (job, .running(row["progress"])) }
    return (job, row["is_failed"] ? .failed(message) : nil)
  }
}
