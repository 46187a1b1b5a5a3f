package import TernEvents

/// The two priorities of stored events; claims take `critical` first, eviction takes `normal` first.
package enum Lane: UInt8, Sendable, CaseIterable {
  case normal = 0
  case critical = 1
}

/// One stored event as a claim hands it out.
package struct LogRecord: Sendable {
  /// The event's identifier, by which a batch is settled.
  package var id: UniqueID
  /// What the wall clock showed when the event was appended.
  package var time: Timestamp
  /// Time since boot when the event was appended; comparable only between records of the same `bootID`.
  package var uptime: Duration
  /// The boot in which the event was appended; all zero when the writer did not know it.
  package var bootID: UniqueID
  /// The identity epoch in which the event was recorded.
  package var epoch: UInt32
  /// The priority under which the event was appended.
  package var lane: Lane
  /// The encoded event, exactly as appended.
  package var payload: [UInt8]

  /// Creates a record, as a test of what consumes claims needs it.
  package init(
    id: UniqueID, time: Timestamp, uptime: Duration = .zero, bootID: UniqueID = UniqueID(high: 0, low: 0),
    epoch: UInt32 = 0, lane: Lane, payload: [UInt8]
  ) {
    self.id = id
    self.time = time
    self.uptime = uptime
    self.bootID = bootID
    self.epoch = epoch
    self.lane = lane
    self.payload = payload
  }
}

/// A batch taken from the log, to be settled by its `id`.
package struct LogClaim: Sendable {
  /// Names one claim of one `EventLog`; never used twice.
  package struct ID: Hashable, Sendable {
    let number: UInt64
    /// Changes when every open claim becomes void (erase, directory lost).
    let generation: UInt64
  }

  /// The name to settle this claim by.
  package var id: ID
  /// The events in the order of their appending, critical lane first.
  package var records: [LogRecord]

  /// Creates a claim from its parts.
  package init(id: ID, records: [LogRecord]) {
    self.id = id
    self.records = records
  }
}

/// What became of a claimed batch.
package enum BatchResolution: Sendable {
  /// All records leave the log.
  case delivered
  /// All records go back in place and can be claimed again.
  case returned
  /// By id; every record named in neither is returned in place.
  case partly(delivered: Set<UniqueID>, dropped: [UniqueID: DropReason])
}

/// What the log holds, kept up to date with every call and never recounted.
package struct LogCounts: Sendable, Equatable {
  /// Events that no claim holds, in both lanes.
  package var waiting = 0
  /// The critical ones among `waiting`.
  package var waitingCritical = 0
  /// Those among `waiting` that no claim can have now, because their segments cannot be read.
  package var unreadable = 0
  /// The critical ones among `unreadable`.
  package var unreadableCritical = 0
  /// Files of which nobody knows how many events are in them, since they could not be read when they were found: those
  /// events count nowhere.
  package var unreadSegments = 0
  /// The uptime at which the first of them are tried again.
  package var unreadableUntil: Duration?
  /// Events in open claims.
  package var claimed = 0
  /// True while open claims hold as much of the log as they may: there is nothing to claim until one is settled.
  package var isClaimLimitReached = false
  /// Bytes on disk, everything in the log's directory included.
  package var bytes = 0
  /// The time of the event at the head of the queue (the earlier of the two lanes' heads); `nil` when none waits.
  package var oldestWaiting: Timestamp?
  /// Events that the server has, since the install's first launch; persisted best effort.
  package var delivered = 0
  /// Those of them that left since this log was opened.
  package var deliveredHere = 0
  /// Events ever recorded: always the sum of those that wait, are claimed, were delivered and were dropped.
  package var tracked = 0
  /// Events that left without being delivered, by reason, since the install's first launch; persisted best effort.
  package var dropped: [DropReason: Int] = [:]

  /// All events that left without being delivered, whatever the reason.
  package var droppedTotal = 0

  /// Creates the counts of an empty log.
  package init() {}
}

/// What became of an appended event.
package enum AppendOutcome: Sendable, Equatable {
  /// The event is in the log and survives the end of the process; the counts include it, but nothing that waits in a
  /// segment that could not be read lately. `dropped` events have left without being delivered so far.
  case stored(waiting: Int, waitingCritical: Int, dropped: Int)
  /// The event is not in the log; the drop has been counted.
  case dropped(DropReason)
}
