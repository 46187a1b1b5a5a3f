import ServerBase
import TernBase
package import TernEvents
import Views
package import Warehouse

extension SQLiteWarehouse {
  /// Counts the new hits of the open days of views, so that reports don't have to wait for it. Days to which hits can't be
  /// added are recounted while reports use the last count.
  ///
  /// Views for whose days the cache has no room are counted when a report is requested. A cancelled task stops within one
  /// step.
  ///
  /// - Throws: The first failure, after all other views have had their turn.
  package func countOpenDays(of views: [View], now: Timestamp) async throws {
    let failure = await withCancellationFlag { flag in
      var failure: (any Error)?
      for view in views where !Task.isCancelled {
        do {
          try await countOpenDays(of: view, now: now.millisecondsSince1970) { flag.isSet }
          failures.record("Counting view \(view.id)", nil)
        } catch {
          failures.record("Counting view \(view.id)", error)
          failure = failure ?? error
        }
      }
      return failure
    }
    FreedMemory.giveBack()
    if let failure { throw failure }
  }

  private func countOpenDays(
    of view: View, now: Int64, isCancelled: @escaping @Sendable () -> Bool
  ) async throws {
    guard try reader.hasRoom(for: view) else { return }
    let days = try await reader.withTurn(view, now: now) { reading in
      reading.isCancelled = isCancelled
      do { return try reading.continueOpenDays() } catch is CancellationError { return [] }
    }
    for day in days { try await reader.count(openDay: day, of: view, now: now, isCancelled: isCancelled) }
  }

  /// Stores the open days as counted so far, so that the next start can continue from them.
  func storeOpenDays() async throws {
    try await perform { try $0.connection.execute("DELETE FROM view_open_day") }
    for (key, live) in reader.viewDays.liveViews {
      let days = try await reader.reading(takingTurnsOn: live) { _ in
        live.withLock { $0.days.mapValues(\.encoded) }
      }
      try await perform { try $0.store(days, of: key) }
    }
  }
}

extension WarehouseReader {
  fileprivate func count(
    openDay day: Int, of view: View, now: Int64, isCancelled: @escaping @Sendable () -> Bool
  ) async throws {
    let rules = CustomRules(try catalog.definitions(app: view.app))
    let key = LiveView.Key(view: view, rules: rules)
    let live = viewDays.live(key)
    try await reading { [self] connection in
      let reading = try ViewReading(view, connection, self, rules: rules, now: now)
      reading.isCancelled = isCancelled
      do { try reading.count(openDay: day, for: live) } catch is CancellationError {}
      viewDays.note(key, bytes: live.withLock(\.byteCount))
    }
  }

  fileprivate func hasRoom(for view: View) throws -> Bool {
    let rules = CustomRules(try catalog.definitions(app: view.app))
    return viewDays.hasRoom(for: LiveView.Key(view: view, rules: rules))
  }
}

extension Writer {
  fileprivate func store(_ days: [Int: [UInt8]], of key: LiveView.Key) throws {
    guard !deletedViews.contains(key.view.id.rawValue) else { return }
    try transact {
      let insert = try connection.prepare(
        "INSERT OR REPLACE INTO view_open_day (view, day, rules, counted) VALUES (?, ?, ?, ?)")
      for (day, bytes) in days {
        insert.bind(key.view.id.rawValue, Int64(day))
        insert.bind(key.text, at: 3)
        insert.bind(bytes, at: 4)
        try insert.run()
      }
    }
  }
}
