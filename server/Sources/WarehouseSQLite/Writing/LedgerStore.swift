import Ingest
import TernBase
package import TernEvents
package import Warehouse

/// The latest ledger of each install.
///
/// Ledgers are replaced, not counted, so neither `verify` nor `rebuild` involves them.
final class LedgerStore {
  private let store: SQLStatement

  init(_ connection: SQLConnection) throws {
    // Requests can overtake each other, so the last to arrive needn't be the newest; the larger counts win. A ledger
    // that restarts from zero would never catch up, so one older than its lifetime is always replaced.
    store = try connection.prepare(
      """
      INSERT INTO ledger (app, slot, received, tracked, delivered, waiting, in_flight, dropped)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
      ON CONFLICT (app, slot) DO UPDATE SET
        received = ?3, tracked = ?4, delivered = ?5, waiting = ?6, in_flight = ?7, dropped = ?8
      WHERE ?4 + ?5 + ?8 > tracked + delivered + dropped
        OR ?4 + ?5 + ?8 = tracked + delivered + dropped AND ?3 >= received
        OR received < ?3 - \(LedgerTotals.lifetimeMilliseconds)
      """)
  }

  func add(_ ledger: DeviceLedger, app: Int64, slot: UInt32, received: Int64) throws {
    store.bind(
      app, Int64(slot), received, ledger.tracked.rawValue, ledger.delivered.rawValue, ledger.waiting.rawValue,
      ledger.inFlight.rawValue, ledger.dropped.rawValue)
    try store.run()
  }
}

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
