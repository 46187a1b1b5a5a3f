import RowFiles
import ServerBase
import Views
package import Warehouse
import WarehouseSQLite

extension SQLiteWarehouse {
  /// Removes the rows of an app before a day, with the texts and attachments of errors, and returns the space to the disk.
  /// Counts of whole days stay. From then on, events before that day are refused.
  ///
  /// Rows of days that a view will still seal are kept until it has. If the process is killed, call it again.
  ///
  /// - Returns: True if rows were removed.
  /// - Throws: A `WarehouseError` with code `rowsAway` if some rows must wait for the cluster, and with `damaged` if the files of some
  ///   can't be read; all others were removed.
  @discardableResult
  package func removeRows(of app: AppID, before day: Day, views: [View]) async throws -> Bool {
    let number = app.rawValue
    guard let time = try await horizon(of: app, before: day, views) else { return false }
    try await perform { try $0.raiseHorizon(of: number, to: time) }
    guard let time = try await perform({ try $0.horizonTime(of: number) }) else { return false }
    let (segments, unread) = try await segments(with: number, before: time)
    guard !segments.isEmpty else {
      // An attempt before may have ended just here.
      try await forgetLostRows()
      if let unread { throw unread }
      return false
    }
    try await perform { try $0.expireErrors(of: number, before: time) }
    try await keepCounts(of: number)
    let kept = try await forEachSegment(of: segments) { first in
      _ = try await rewriting(rows: [first]) { try $0.expireRows(of: number, before: time, segment: $1[0]) }
    }
    try await forgetLostRows()
    reader.updateColumns()
    try await repeatWhile { try await self.perform { try $0.connection.returnPages() } }
    if let error = unread ?? kept { throw error }
    return true
  }

  /// Makes the counts of the days before the horizon final, once they include all rows that can be read. They must be on disk before
  /// the rows they were made from are removed.
  private func keepCounts(of app: Int64) async throws {
    try await counting.perform { _ = try $0.count() }
    repeat {
      try Task.checkCancellation()
      guard try reader.catalog.app(AppID(app)) != nil else {
        throw WarehouseError(.unknownApp, "There is no app \(app).")
      }
      try await recountChangedDays(of: app)
      // Rows may have come back meanwhile.
    } while try await !perform({ try $0.keepCounts(of: app) })
  }

  /// Returns the time before which rows can go; `nil` if none can.
  private func horizon(of app: AppID, before day: Day, _ views: [View]) async throws -> Int64? {
    let calendar = try reader.catalog.calendar(app)
    // A day that a zone has skipped has no bounds; its neighbours have.
    guard var time = (0...2).lazy.compactMap({ calendar.bounds(of: day.number + $0)?.lowerBound }).first else {
      return nil
    }
    for view in views where view.latest.lateness != .none {
      if let open = try await reader.firstOpenTime(of: view) { time = min(time, open) }
    }
    return time
  }

  /// Returns a row of each segment with rows of an app before a time, and the error if some segments can't be read now.
  private func segments(
    with app: Int64, before time: Int64
  ) async throws -> (found: [Int64], unread: WarehouseError?) {
    let candidates = try await reader.reading { connection in
      Dictionary(
        grouping: try StoredSpan.all(connection).filter { $0.apps.contains(app) && $0.times.lowerBound < time },
        by: \.segment)
    }
    var found: [Int64] = []
    let firsts = candidates.values.compactMap { $0.first?.ids.lowerBound }.sorted()
    let unread = try await forEachSegment(of: firsts) { first in
      // Rows that come back after the counts are final would never be counted.
      let isFound = try await hasRows(inSegmentOf: first, app: app, readsAll: true) { row, _ in row.time < time }
      if isFound { found.append(first) }
    }
    return (found, unread)
  }
}

extension WarehouseReader {
  /// Returns the start of the first day that a view has not sealed; `nil` if the app has no rows.
  fileprivate func firstOpenTime(of view: View) async throws -> Int64? {
    try await reading { [self] connection in
      let reading = try ViewReading(view, connection, self)
      guard let day = try reading.lastSealed().map({ $0 + 1 }) ?? reading.firstDay() else { return nil }
      return (0...2).lazy.compactMap { reading.calendar.bounds(of: day + $0)?.lowerBound }.first
    }
  }
}
