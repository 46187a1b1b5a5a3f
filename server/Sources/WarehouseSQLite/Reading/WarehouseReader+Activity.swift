import ServerBase
package import Warehouse

extension WarehouseReader {
  /// Returns active installs per day, week and month; see ``MetricsStore/activity(app:days:)``.
  package func activity(app: AppID, days: ClosedRange<Day>) async throws -> [DailyActivity] {
    let earliest = Day(number: days.lowerBound.number - 29)
    return try await reading { [self] connection in
      let sets = try dailySets(app, earliest...days.upperBound, connection)
      let weekly = RollingUnion.counts(sets, window: 7)
      let monthly = RollingUnion.counts(sets, window: 30)
      return days.map { day in
        let index = day.number - earliest.number
        return DailyActivity(
          day: day, daily: sets[index]?.count ?? 0, weekly: weekly[index], monthly: monthly[index])
      }
    }
  }

  /// Returns the installs active on each day; `nil` for days without any.
  func dailySets(_ app: AppID, _ days: ClosedRange<Day>, _ connection: SQLConnection) throws -> [SlotSet?] {
    let statement = try connection.prepare(
      kept: "SELECT day, slots FROM daily_users WHERE app = ? AND dim = ? AND day BETWEEN ? AND ? AND key = 0")
    bind(statement, app, .total, days)
    var sets: [Int: SlotSet] = [:]
    while try statement.step() { sets[statement.day(0)] = try SlotSet.stored(statement.bytes(1)) }
    return (days.lowerBound.number...days.upperBound.number).map { sets[$0] }
  }
}

/// The sizes of unions over a sliding window, at three unions per step regardless of the window's length.
///
/// Days are split into blocks as long as the window. A window is the end of one block plus the beginning of the next;
/// both are known once each block has been united backwards from its end and forwards from its beginning.
enum RollingUnion {
  /// Returns, for each position, the size of the union of the `window` sets ending there.
  static func counts(_ sets: [SlotSet?], window: Int) -> [Int] {
    let backwards = unions(sets, window: window, backwards: true)
    let forwards = unions(sets, window: window, backwards: false)
    return sets.indices.map { end in
      let start = end - window + 1
      // A window that begins before the first set lies within the first block.
      let left = start > 0 ? backwards[start] : nil
      let right = forwards[end]
      if start > 0, start % window == 0 { return left?.count ?? 0 }
      guard let left else { return right?.count ?? 0 }
      return right.map { left.unionCount($0) } ?? left.count
    }
  }

  /// Returns the unions from each block's border to each position. An empty day shares its neighbour's set.
  private static func unions(_ sets: [SlotSet?], window: Int, backwards: Bool) -> [SlotSet?] {
    var unions = [SlotSet?](repeating: nil, count: sets.count)
    var running: SlotSet?
    for index in backwards ? Array(sets.indices.reversed()) : Array(sets.indices) {
      let startsBlock = backwards ? index % window == window - 1 : index % window == 0
      if startsBlock { running = nil }
      if let set = sets[index] { running = running?.union(set) ?? set }
      unions[index] = running
    }
    return unions
  }
}
