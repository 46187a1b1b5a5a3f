package import Ingest
import TernBase
import TernEvents
import Warehouse

/// The latest ledger of each install.
///
/// Ledgers are replaced, not counted, so neither `verify` nor `rebuild` involves them.
package final class LedgerStore {
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

  package func add(_ ledger: DeviceLedger, app: Int64, slot: UInt32, received: Int64) throws {
    store.bind(
      app, Int64(slot), received, ledger.tracked.rawValue, ledger.delivered.rawValue, ledger.waiting.rawValue,
      ledger.inFlight.rawValue, ledger.dropped.rawValue)
    try store.run()
  }
}
