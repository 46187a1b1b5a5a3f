import TernBase
public import TernEvents

extension TernClient {
  /// The balance of all events ever recorded in the queue's directory, at one moment.
  ///
  /// Sessions and reports of drops are events too. The numbers last over launches. They are exact while the process
  /// runs; after a crash ``tracked`` and ``delivered`` may both be short of what was settled in the last moment.
  public struct Ledger: Sendable, Hashable {
    /// Events recorded, those included that were dropped at once.
    public var tracked: Int
    /// Events that the collector has acknowledged.
    public var delivered: Int
    /// Events that wait in the queue.
    public var queued: Int
    /// Events in requests that are under way.
    public var inFlight: Int
    /// Events that left without being delivered, by reason.
    public var droppedByReason: [DropReason: Int]

    /// All dropped events, whatever the reason.
    public var dropped: Int { droppedByReason.saturatingTotal }

    /// True if every recorded event is delivered, queued, in flight or dropped; false would be a defect of Tern.
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

  /// The balance of all events ever recorded in the queue's directory.
  public var ledger: Ledger { engine.ledger }
}

extension [DropReason: Int] {
  var saturatingTotal: Int { values.saturatingSum }
}
