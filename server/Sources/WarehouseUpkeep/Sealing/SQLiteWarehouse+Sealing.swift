import Ingest
import ServerBase
import TernBase
package import TernEvents
import Views
package import Warehouse
import WarehouseSQLite

extension SQLiteWarehouse {
  /// The number of a view's days sealed in one step, so that the writer, and the end of the process, wait only briefly.
  private static let sealedAtOnce = 20

  /// Seals every day of every view that has become final.
  ///
  /// Days are sealed in order, one by one; failures are retried at the next call. A day is not sealed while a request
  /// received before its cutoff is still in progress (``pendingRequests``). If such a hit still arrives later,
  /// because the clock was set back, it is late: the last row that the day could count is stored with the day.
  ///
  /// Each step counts a limited number of days and hits. A cancelled task stops within one step.
  ///
  /// - Parameters:
  ///   - views: The views of the catalog.
  ///   - now: The wall-clock time.
  /// - Returns: The number of days sealed.
  /// - Throws: The first failure, after all other views have had their turn.
  @discardableResult
  package func sealDays(of views: [View], now: Timestamp) async throws -> Int {
    var count = 0
    let oldest = pendingRequests.oldest?.millisecondsSince1970 ?? .max
    // Batches that are already queued are stored or rejected when this returns.
    try await perform { _ in }
    // Views take turns, so that one with a long history doesn't hold up the others.
    failures.keep(views: views)
    var open = views
    var failure: (any Error)?
    while !open.isEmpty, !Task.isCancelled {
      var left: [View] = []
      for view in open where !Task.isCancelled {
        do {
          let sealed = try await sealDays(of: view, now: now, oldest: oldest)
          count += sealed
          if sealed > 0 { left.append(view) }
          failures.record("Sealing view \(view.id)", nil)
        } catch {
          failures.record("Sealing view \(view.id)", error)
          failure = failure ?? error
        }
      }
      open = left
    }
    if count > 0 { FreedMemory.giveBack() }
    if let failure { throw failure }
    return count
  }

  private func sealDays(of view: View, now: Timestamp, oldest: Int64) async throws -> Int {
    let days = try await reader.unsealedDays(
      view, now: now.millisecondsSince1970, oldest: oldest, limit: Self.sealedAtOnce)
    guard !days.isEmpty, try await perform({ try $0.store(days, of: view.id) }) else { return 0 }
    return days.count
  }
}

extension Writer {
  /// Returns false if the view was deleted while its days were counted.
  fileprivate func store(_ days: [SealableDay], of view: ViewID) throws -> Bool {
    guard !deletedViews.contains(view.rawValue) else { return false }
    try transact {
      let insert = try connection.prepare(
        "INSERT OR IGNORE INTO view_day (view, day, row, present, metrics) VALUES (?, ?, ?, ?, ?)")
      for day in days {
        insert.bind(view.rawValue, Int64(day.number), day.row)
        insert.bind(day.present, at: 4)
        insert.bind(day.metrics, at: 5)
        try insert.run()
        // The changes of a day that was already sealed are stored.
        guard try connection.integer("SELECT changes()") == 1 else { continue }
        try ViewMemory.store(day.changes, of: view, day: day.number, connection)
      }
    }
    return true
  }
}

/// The stored form of a day that is about to be sealed.
struct SealableDay: Sendable {
  var number: Int
  var present: [UInt8]
  var metrics: [UInt8]
  /// The last row at the time of counting.
  var row: Int64
  /// The state changes of the day.
  var changes: ViewChanges
}

extension WarehouseReader {
  /// The number of hits after which a step ends, once it has a day.
  private static let sealedHits: SaturatingInt64 = 200_000

  /// Returns the next days of a view that are final but not sealed, in order, and only those with a cutoff up to
  /// `oldest`.
  ///
  /// - Parameter limit: The maximum number of days. Days with many hits, or a cancelled task, end the list earlier.
  func unsealedDays(_ view: View, now: Int64, oldest: Int64, limit: Int) async throws -> [SealableDay] {
    try await withCancellationFlag { flag in
      try await unsealedDays(view, now: now, oldest: oldest, limit: limit) { flag.isSet }
    }
  }

  private func unsealedDays(
    _ view: View, now: Int64, oldest: Int64, limit: Int, isCancelled: @escaping @Sendable () -> Bool
  ) async throws -> [SealableDay] {
    try await reading { [self] connection in
      let reading = try ViewReading(view, connection, self)
      reading.isCancelled = isCancelled
      var hits: SaturatingInt64 = 0
      guard let first = try reading.firstDay() else { return [] }
      var days: [SealableDay] = []
      var number = try reading.lastSealed().map { $0 + 1 } ?? first
      let today = reading.calendar.day(of: now)
      while number <= today, days.count < limit, hits < Self.sealedHits {
        if isCancelled() { break }
        if reading.calendar.bounds(of: number) != nil {
          guard reading.isFinal(number, now: now), reading.calendar.final(number) ?? .max <= oldest else { break }
          guard let day = try counted(number, reading) else { break }
          hits += day.totals.hits
          days.append(
            SealableDay(
              number: number, present: day.encodedPresent, metrics: day.encodedMetrics, row: reading.lastRow,
              changes: day.changes))
        }
        number += 1
      }
      return days
    }
  }

  /// Counts a day, or returns `nil` if the result is no longer wanted.
  private func counted(_ day: Int, _ reading: ViewReading) throws -> ViewDay? {
    do {
      return try reading.counted(day)
    } catch is CancellationError {
      return nil
    }
  }
}
