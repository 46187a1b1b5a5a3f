import ServerBase
import TernBase
package import Warehouse
import WarehouseSQLite

extension SQLiteWarehouse {
  /// Counts all days of an app again from its rows, because its time zone has changed. Events are stored and counted
  /// meanwhile. Days whose rows are no longer kept stay as they are, and so do those of dropped events and of views.
  ///
  /// If it ends early or the process is killed, call it again.
  ///
  /// - Parameter progress: Receives the number of days that are counted again, and that of all.
  package func recountDays(of app: AppID, progress: (Int, Int) -> Void) async throws {
    recounting.withLock { _ = $0.insert(app.rawValue) }
    defer { recounting.withLock { _ = $0.remove(app.rawValue) } }
    let days = try await counting.perform { try $0.daysOfChangedZone(app: app.rawValue) }
    // A day that has been counted again may have no counts any more, by which the work would find those beside it when it is
    // repeated.
    try await perform { writer in
      try writer.transact { try UncountedDays.add(Set(days), app: app.rawValue, writer.connection) }
    }
    try await recountChangedDays(of: app.rawValue, progress: progress)
  }

  /// Counts days of an app again, as many in one transaction as fit.
  func recount(_ days: [Int], app: Int64, progress: (Int, Int) -> Void = { _, _ in }) async throws {
    var rest = days[...]
    while !rest.isEmpty {
      try Task.checkCancellation()
      let counted = try await withCancellationFlag { flag in
        try await counting.perform { [rest] counter -> Int? in
          do {
            return try counter.recount(Array(rest), app: app) { flag.isSet }
          } catch is CancellationError {
            return nil
          }
        }
      }
      guard let counted else { throw CancellationError() }
      rest.removeFirst(counted)
      progress(days.count - rest.count, days.count)
    }
  }

  /// Counts days of an app again whose rows were set aside, have come back or have changed, or that differ in a new time zone.
  func recountChangedDays(of app: Int64, progress: (Int, Int) -> Void = { _, _ in }) async throws {
    for row in try await reader.reading({ try QuarantinedRow.uncounted($0) }) where row.app == app {
      try await counting.perform { counter in
        guard counter.countedRow >= row.id else { return }
        for day in row.days { _ = try counter.recount([day], app: row.app) }
      }
      try await perform { try $0.didCount(without: row) }
      reader.updateColumns()
    }
    let uncounted = try await reader.reading { try UncountedDays($0) }
    // The days of an app that is being deleted go with it.
    guard let days = uncounted.days[app], try reader.catalog.app(AppID(app)) != nil else { return }
    try await recount(days.sorted(), app: app, progress: progress)
    try await perform { try uncounted.remove(app: app, $0.connection) }
  }
}
