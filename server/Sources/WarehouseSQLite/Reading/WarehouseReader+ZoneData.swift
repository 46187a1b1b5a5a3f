import ServerBase
package import Warehouse

// The facts that decide which days newer zone data can change.
extension WarehouseReader {
  /// The times of all rows, in milliseconds since 1970; `nil` without rows.
  package func rowTimes() async throws -> ClosedRange<Int64>? {
    try await reading { connection in
      let statement = try connection.prepare(kept: "SELECT min(min_t), max(max_t) FROM span")
      return try statement.first { row in
        guard !row.isNull(0) else { return nil as ClosedRange<Int64>? }
        let first = TimeBounds.clamp(row.integer(0))
        return first...max(first, TimeBounds.clamp(row.integer(1)))
      } ?? nil
    }
  }

  /// The last sealed day of each view that has one.
  package func lastSealedDays() async throws -> [ViewID: Day] {
    try await reading { connection in
      let statement = try connection.prepare(kept: "SELECT view, max(day) FROM view_day GROUP BY view")
      let days = try statement.all { (ViewID($0.integer(0)), Day(number: TimeBounds.clamp(day: Int($0.integer(1))))) }
      return Dictionary(uniqueKeysWithValues: days)
    }
  }
}
