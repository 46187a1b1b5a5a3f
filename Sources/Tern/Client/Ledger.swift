import TernBase
public import TernValues

extension TernClient {
  /// The counts of all events ever recorded in the queue's directory, at one moment.
  ///
  /// Session starts and drop reports count as events. The counts persist across launches. They are exact while the
  /// process runs; after a crash, ``tracked`` and ``delivered`` may both lack the events settled last.
  public struct Ledger: Sendable, Hashable {
    /// Recorded events, including those dropped immediately.
    public var tracked: Int
    /// Events that the collector has acknowledged.
    public var delivered: Int
    /// Events waiting in the queue.
    public var queued: Int
    /// Events in active requests.
    public var inFlight: Int
    /// Dropped events, by reason.
    public var droppedByReason: [DropReason: Int]

    /// The total number of dropped events.
    public var dropped: Int { droppedByReason.saturatingTotal }

    /// True if every recorded event is delivered, queued, in flight or dropped; false indicates a bug in Tern.
    public var balances: Bool { [delivered, queued, inFlight, dropped].saturatingSum == tracked }

    /// Creates a ledger; useful in previews and tests.
    public init(
      tracked: Int = 0, delivered: Int = 0, queued: Int = 0, inFlight: Int = 0, droppedByReason: [DropReason: Int] = [:]
    ) {
      self.tracked = tracked
      self.delivered = delivered
      self.queued = queued
      self.inFlight = inFlight
      self.droppedByReason = droppedByReason
    }
  }

  /// The counts of all events ever recorded in the queue's directory.
  public var ledger: Ledger { engine.ledger }
}

extension [DropReason: Int] {
  var saturatingTotal: Int { values.saturatingSum }
}
