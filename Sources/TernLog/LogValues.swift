package import TernEvents

/// The two priorities of stored events: claims take `critical` first, eviction takes `normal` first.
package enum Lane: UInt8, Sendable, CaseIterable {
  case normal = 0
  case critical = 1
}

/// One stored event of a claim.
package struct LogRecord: Sendable {
  /// The event's identifier, by which a batch is settled.
  package var id: UniqueID
  /// The wall time at which the event was appended.
  package var time: Timestamp
  /// The uptime at which the event was appended; comparable only between records of the same `bootID`.
  package var uptime: Duration
  /// The boot in which the event was appended; all zero if the writer did not know it.
  package var bootID: UniqueID
  /// The priority under which the event was appended.
  package var lane: Lane
  /// The facts that it shares with the other events of its segment.
  package var context: LogContext
  /// The encoded event, as appended; shares the memory of its segment.
  package var payload: ArraySlice<UInt8>

  /// The bytes by which batches are limited: those on disk, without the context.
  package var bytes: Int { RecordHeader.size + payload.count }

  /// Creates a record, for tests of code that consumes claims.
  package init(
    id: UniqueID, time: Timestamp, uptime: Duration = .zero, bootID: UniqueID = UniqueID(high: 0, low: 0),
    lane: Lane, context: LogContext = LogContext(identity: 0), payload: ArraySlice<UInt8>
  ) {
    self.id = id
    self.time = time
    self.uptime = uptime
    self.bootID = bootID
    self.lane = lane
    self.context = context
    self.payload = payload
  }
}

/// A batch claimed from the log, to be settled by its `id`.
package struct LogClaim: Sendable {
  /// Identifies one claim of one `EventLog`; never reused.
  package struct ID: Hashable, Sendable {
    let number: UInt64
    /// Changes when every open claim becomes void (erase, directory lost).
    let generation: UInt64
  }

  /// The identifier to settle this claim by.
  package var id: ID
  /// The events in the order in which they were appended, critical lane first.
  package var records: [LogRecord]

  /// Creates a claim from its parts.
  package init(id: ID, records: [LogRecord]) {
    self.id = id
    self.records = records
  }
}

/// The outcome of a claimed batch.
package enum BatchResolution: Sendable {
  /// All records leave the log.
  case delivered
  /// All records return to their places and can be claimed again.
  case returned
  /// By id; every record that is in neither set returns to its place.
  case partly(delivered: Set<UniqueID>, dropped: [UniqueID: DropReason])
}

/// The contents of the log, kept up to date with every call and never recounted.
package struct LogCounts: Sendable, Equatable {
  /// Events that no claim holds, in both lanes.
  package var waiting = 0
  /// The critical ones among `waiting`.
  package var waitingCritical = 0
  /// Those among `waiting` that cannot be claimed now, because their segments cannot be read.
  package var unreadable = 0
  /// The critical ones among `unreadable`.
  package var unreadableCritical = 0
  /// Segments that could not be read when they were found: how many events they hold is unknown, and none of them are
  /// counted.
  package var unreadSegments = 0
  /// The uptime at which the first of them is read again.
  package var unreadableUntil: Duration?
  /// Events in open claims.
  package var claimed = 0
  /// True while open claims hold as much of the log as they may: there is nothing to claim until one is settled.
  package var isClaimLimitReached = false
  /// Bytes on disk, everything in the log's directory included.
  package var bytes = 0
  /// Events delivered since the install's first launch; persisted best effort.
  package var delivered = 0
  /// Events delivered since this log was opened.
  package var deliveredHere = 0
  /// All events ever recorded: always the sum of waiting, claimed, delivered and dropped ones.
  package var tracked = 0
  /// Events that left without being delivered, by reason, since the install's first launch; persisted best effort.
  package var dropped: [DropReason: Int] = [:]
  /// The drops that have been reported to the server, by reason.
  package var reported: [DropReason: Int] = [:]
  /// All events that left without being delivered, for any reason.
  package var droppedTotal = 0

  /// Creates the counts of an empty log.
  package init() {}
}

/// The outcome of appending an event.
package enum AppendOutcome: Sendable, Equatable {
  /// The event is in the log and survives the end of the process. The counts include it, but no events of segments that
  /// are backing off. `dropped` is the number of events that have left without being delivered so far.
  case stored(waiting: Int, waitingCritical: Int, dropped: Int)
  /// The event is not in the log; the drop has been counted.
  case dropped(DropReason)
}
