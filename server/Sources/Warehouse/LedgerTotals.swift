package import TernEvents

/// The sum of the latest ledgers of an app's installs. Sums saturate at the largest integer.
package struct LedgerTotals: Sendable, Hashable {
  /// The number of days for which an install's last ledger counts: as long as devices keep events.
  package static let lifetimeDays = 25
  package static let lifetimeMilliseconds = Int64(lifetimeDays) * 86_400_000

  /// Installs that have reported a ledger.
  package var installs: Int
  /// Events that apps have recorded.
  package var tracked: Int
  /// Events acknowledged as stored.
  package var delivered: Int
  /// Events waiting on devices.
  package var waiting: Int
  /// Events in requests without a response so far.
  package var inFlight: Int
  /// Events dropped by devices.
  package var dropped: Int
  /// The arrival of the latest ledger; `nil` if there is none.
  package var updated: Timestamp?

  /// Creates a sum of ledgers.
  package init(
    installs: Int = 0, tracked: Int = 0, delivered: Int = 0, waiting: Int = 0, inFlight: Int = 0, dropped: Int = 0,
    updated: Timestamp? = nil
  ) {
    self.installs = installs
    self.tracked = tracked
    self.delivered = delivered
    self.waiting = waiting
    self.inFlight = inFlight
    self.dropped = dropped
    self.updated = updated
  }
}
