package import TernEvents
package import Warehouse

extension WarehouseReader {
  /// Returns the sum of an app's ledgers; see ``MetricsStore/ledger(app:since:)``.
  package func ledger(app: AppID, since: Timestamp) async throws -> LedgerTotals {
    try await reading { connection in
      // Clients can send any numbers, and SQLite's `sum` fails on overflow; sums of the upper and lower halves can't
      // overflow.
      let sums = ["tracked", "delivered", "waiting", "in_flight", "dropped"].map {
        "sum(\($0) >> 32), sum(\($0) & \(UInt32.max))"
      }
      let statement = try connection.prepare(
        """
        SELECT count(*), max(received), \(sums.joined(separator: ", ")) FROM ledger WHERE app = ? AND received >= ?
        """)
      statement.bind(app.rawValue, since.millisecondsSince1970)
      guard try statement.step(), statement.integer(0) > 0 else { return LedgerTotals() }
      func sum(_ column: Int32) -> Int {
        let (upper, isTooLarge) = statement.integer(column).multipliedReportingOverflow(by: 1 << 32)
        let (sum, overflow) = upper.addingReportingOverflow(statement.integer(column + 1))
        return isTooLarge || overflow ? .max : Int(sum)
      }
      return LedgerTotals(
        installs: Int(statement.integer(0)), tracked: sum(2), delivered: sum(4), waiting: sum(6), inFlight: sum(8),
        dropped: sum(10), updated: Timestamp(millisecondsSince1970: statement.integer(1)))
    }
  }
}
