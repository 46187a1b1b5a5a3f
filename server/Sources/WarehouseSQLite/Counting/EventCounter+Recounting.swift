import ServerBase
import Warehouse

extension EventCounter {
  /// Counts some days of an app again from its rows.
  ///
  /// - Parameter days: The civil days of the app, ascending.
  /// - Parameter isStopped: Ends it with `CancellationError` when true; then the counts are as before.
  /// - Returns: The number of days counted, from the first one; at least one.
  package func recount(_ days: [Int], app: Int64, isStopped: () -> Bool = { false }) throws -> Int {
    guard let first = days.first else { return 0 }
    try count()
    forget()
    func spans() throws -> [StoredSpan] {
      try StoredSpan.all(connection, through: countedRow).filter { $0.apps.contains(app) }
    }
    let all = try spans()
    var (number, last) = (1, first)
    while number < days.count,
      all.reduce(0, { $0 + ($1.mayHave(first...days[number]) ? $1.rows : 0) }) <= recountedRows
    {
      last = days[number]
      number += 1
    }
    defer { forget() }
    try recount(
      Set(days.prefix(number)), app: app, { try spans().filter { $0.mayHave(first...last) } }, isStopped: isStopped)
    return number
  }

  /// Rows have moved to another segment since the transaction began, so they are not where it looks for them.
  struct MovedRows: Error {}

  /// Throws ``MovedRows`` if some segments of the open transaction have no more rows. Such segments look damaged.
  ///
  /// - Parameter path: The warehouse's file. The transaction itself sees only the state at its beginning.
  func checkForMovedRows(in path: String) throws {
    let present = try withExtendedLifetime(SQLDatabase(path)) { try StoredSpan.segments($0.connection) }
    guard try StoredSpan.segments(connection).isSubset(of: present) else { throw MovedRows() }
  }
}

extension EventCounter {
  /// Counts all rows, and returns the days of an app that must be counted again because its time zone has changed:
  /// those with counts, and those beside them, onto which rows may have moved. Ascending.
  package func daysOfChangedZone(app: Int64) throws -> [Int] {
    // Counts and calendars in memory are for the old time zone.
    forget()
    try count()
    let nextDimension = try connection.prepare("SELECT min(dim) FROM daily_count WHERE app = ? AND dim > ?")
    let nextDay = try connection.prepare("SELECT min(day) FROM daily_count WHERE app = ? AND dim = ? AND day > ?")
    func next(_ statement: SQLStatement) throws -> Int64? {
      try statement.first { $0.isNull(0) ? nil : $0.integer(0) }.flatMap { $0 }
    }
    var days: Set<Int> = []
    var dimension = Int64.min
    // From one day to the next by the primary key: a day may have millions of counts.
    while let found = try next(nextDimension.bind(app, dimension)) {
      dimension = found
      var day = Int64.min
      while let found = try next(nextDay.bind(app, dimension, day)) {
        day = found
        // The file has no checksums: it can be any number.
        guard TimeBounds.clamp(day: Int(found)) == Int(found) else { continue }
        // Zones are up to 26 hours apart.
        days.formUnion(Int(day) - 2...Int(day) + 2)
      }
    }
    return days.sorted()
  }
}

extension StoredSpan {
  /// True if rows may lie on civil days, in any time zone.
  fileprivate func mayHave(_ days: ClosedRange<Int>) -> Bool {
    let first = flooredQuotient(times.lowerBound, 86_400_000) - 2
    let last = flooredQuotient(times.upperBound, 86_400_000) + 2
    return first <= Int64(days.upperBound) && last >= Int64(days.lowerBound)
  }
}
