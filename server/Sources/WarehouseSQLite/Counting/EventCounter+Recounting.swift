import ServerBase
import Warehouse

extension EventCounter {
  /// The number of rows read in one transaction, unless a single day needs more.
  private static let recountedRows = 2_000_000

  /// Counts some days of an app again from its rows.
  ///
  /// - Parameter days: The civil days of the app, ascending.
  /// - Parameter isStopped: Ends it with `CancellationError` when true; then the counts are as before.
  /// - Returns: The number of days counted, from the first one; at least one.
  func recount(_ days: [Int], app: Int64, isStopped: () -> Bool = { false }) throws -> Int {
    guard let first = days.first else { return 0 }
    try count()
    forget()
    let spans = try StoredSpan.all(connection, through: countedRow).filter { $0.apps.contains(app) }
    var (number, last) = (1, first)
    while number < days.count,
      spans.reduce(0, { $0 + ($1.mayHave(first...days[number]) ? $1.rows : 0) }) <= Self.recountedRows
    {
      last = days[number]
      number += 1
    }
    defer { forget() }
    try recount(Set(days.prefix(number)), app: app, spans.filter { $0.mayHave(first...last) }, isStopped: isStopped)
    return number
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
