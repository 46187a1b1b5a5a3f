public import TernEvents

/// The newest ledgers of an app's installs, added up; sums beyond the largest integer are the largest integer.
public struct LedgerFigures: Sendable, Hashable {
  /// For how many days the ledger of an install that no longer reports is counted: as long as devices keep events.
  public static let lifetimeDays = 25
  package static let lifetimeMilliseconds = Int64(lifetimeDays) * 86_400_000

  /// Installs that have reported.
  public var installs: Int
  /// Events that apps have handed over.
  public var tracked: Int
  /// Events that devices know to be stored.
  public var delivered: Int
  /// Events that wait on devices.
  public var waiting: Int
  /// Events in requests of which devices had not seen the answer.
  public var inFlight: Int
  /// Events that devices have given up.
  public var dropped: Int
  /// When the latest ledger arrived; `nil` when there is none.
  public var updated: Timestamp?

  /// Creates figures.
  public init(
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
