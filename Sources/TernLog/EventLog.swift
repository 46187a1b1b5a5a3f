package import TernEvents

/// A queue of events on disk: an appended event survives the end of the process and leaves by being settled.
package final class EventLog: Sendable {
  /// The settings of a log; values out of range are corrected.
  package struct Configuration: Sendable {
    /// The directory that holds the log's own directories `log-0`, `log-1`, …; created when missing.
    package var directory: String
    /// The most the log may hold on disk, in bytes. The default is 10 MiB, the minimum 24 KiB.
    package var maximumBytes: Int
    /// The age from which an event is no longer worth sending. The default is 25 days.
    package var maximumAge: Duration
    /// The size from which a new segment file is begun, in bytes; smaller in a small log. The default is 64 KiB.
    package var segmentBytes: Int
    /// The largest payload that is stored, in bytes. The default is 64 KiB.
    package var maximumRecordBytes: Int
    /// When events are flushed to the medium. The default is `.onBackgroundAndCritical`.
    package var durability: Durability
    /// Names this boot of the machine, so that uptimes can be compared; all zero when unknown.
    package var bootID: UniqueID

    /// Creates a configuration; `maximumBytes` is raised to 24 KiB, `segmentBytes` kept within 1 KiB and 1 MiB,
    /// `maximumRecordBytes` within 1 byte and 1 MiB, `maximumAge` raised to a second.
    package init(
      directory: String, maximumBytes: Int = 10 << 20, maximumAge: Duration = .seconds(25 * 86_400),
      segmentBytes: Int = 64 << 10, maximumRecordBytes: Int = 64 << 10,
      durability: Durability = .onBackgroundAndCritical, bootID: UniqueID = UniqueID(high: 0, low: 0)
    ) {
      self.directory = directory
      self.maximumBytes = max(maximumBytes, 24 << 10)
      self.maximumAge = max(maximumAge, .seconds(1))
      self.segmentBytes = min(max(segmentBytes, 1 << 10), 1 << 20)
      self.maximumRecordBytes = min(max(maximumRecordBytes, 1), 1 << 20)
      self.durability = durability
      self.bootID = bootID
    }
  }

  let configuration: Configuration
  let fileSystem: any FileSystem
  let clock: any TernClock
  /// Taken first when both are: one claim, settlement or clean-up at a time, its reading and writing included.
  let operations: Locked<Operations>
  /// Taken for flushing alone, which may take long: whoever erases or settles must not wait for the medium.
  let flushing = Locked(false)
  /// Held for moments only, as `append` waits for it on the app's threads.
  let state: Locked<LogState>

  /// Opens the log, recovers what earlier processes left, and adopts the events of those that are gone.
  ///
  /// Throws `LogError.Code.directoryUnavailable` when no directory can be created and locked.
  package convenience init(
    _ configuration: Configuration, fileSystem: any FileSystem, clock: any TernClock
  ) throws(LogError) {
    self.init(unopened: configuration, fileSystem: fileSystem, clock: clock)
    try open()
  }

  /// Creates a log that touches no file before ``open()``; what is appended until then is dropped as `.storageFailed`.
  package init(unopened configuration: Configuration, fileSystem: any FileSystem, clock: any TernClock) {
    self.configuration = configuration
    self.fileSystem = fileSystem
    self.clock = clock
    operations = Locked(Operations())
    var state = LogState(configuration, fileSystem, clock)
    state.looksForHome = false
    state.lastCheck = clock.uptime
    self.state = Locked(state)
  }

  /// Opens the log like `init`, or begins without a directory and looks for one again with later calls.
  ///
  /// Until one is found, appended events are dropped as `.storageFailed` and counted.
  package static func openingWhenPossible(
    _ configuration: Configuration, fileSystem: any FileSystem, clock: any TernClock
  ) -> EventLog {
    let log = EventLog(unopened: configuration, fileSystem: fileSystem, clock: clock)
    try? log.open()
    log.state.withLock { $0.looksForHome = true }
    return log
  }

  /// Takes a directory, recovers what earlier processes left there, and adopts the events of those that are gone; does
  /// nothing when that was done. The limit that was set meanwhile holds.
  ///
  /// Throws `LogError.Code.directoryUnavailable` when no directory can be created and locked; it can be tried again.
  package func open() throws(LogError) {
    try operations.withLock { (operations) throws(LogError) in
      let isNew = try state.withLock { (state) throws(LogError) in try state.open() }
      guard isNew else { return }
      shrink()
      removeSettled()
      finishErasures(&operations)
      state.withLock { $0.saveLedger() }
    }
  }

  deinit { close() }

  /// Stores an event with one write; from any thread.
  ///
  /// When this returns `.stored`, the event survives the end of the process. `time` and `uptime` are when it happened,
  /// `epoch` is the identity it belongs to. Never flushes and never throws; what cannot be stored is dropped and
  /// counted, unless `isKept` says that the caller keeps what the disk refuses: then `.storageFailed` is not counted.
  package func append(
    _ payload: [UInt8], id: UniqueID, time: Timestamp, uptime: Duration, epoch: UInt32, lane: Lane, isKept: Bool = false
  ) -> AppendOutcome {
    if payload.count > configuration.maximumRecordBytes { return state.withLock { $0.refuse(.tooLarge) } }
    let header = RecordHeader(
      payloadBytes: payload.count, payloadCheck: payload.withUnsafeBytes { Checksum.of($0) }, lane: lane, ordinal: 0,
      epoch: epoch, time: time, uptimeMilliseconds: UInt64(clamping: uptime.wholeMilliseconds), id: id)
    return state.withLock { state in
      let outcome = state.append(payload, header, uptime: uptime)
      if isKept, outcome == .dropped(.storageFailed) {
        state.ledger.remove(.storageFailed, 1)
        return outcome
      }
      // Afterwards, since a directory that was lost on the way is taken stock of without this event.
      state.track(1)
      return outcome
    }
  }

  /// Whether it has a directory.
  package var isOpen: Bool { state.withLock { $0.home != nil } }

  /// How many events have left without being delivered, whatever the reason; costs no more than a lock.
  package var droppedTotal: Int { state.withLock { $0.ledger.dropped } }

  /// What the log holds.
  package var counts: LogCounts {
    state.withLock { state in
      var counts = LogCounts()
      counts.waiting = state.waiting
      counts.waitingCritical = state.lanes[1].waiting
      if !state.readBackoffs.isEmpty {
        let unreadable = state.unreadableEvents(at: clock.uptime)
        counts.unreadable = unreadable.normal + unreadable.critical
        counts.unreadableCritical = unreadable.critical
        counts.unreadableUntil = unreadable.until
      }
      if !state.unread.isEmpty {
        counts.unreadSegments = state.unread.count
        let until = state.unread.values.map(\.until).min()
        counts.unreadableUntil = [counts.unreadableUntil, until].compactMap { $0 }.min()
      }
      counts.claimed = state.claimed
      counts.isClaimLimitReached = state.isClaimLimitReached(at: clock.uptime)
      counts.bytes = state.home == nil ? 0 : state.diskBytes + state.leavingBytes
      counts.oldestWaiting = state.oldestWaiting()
      counts.dropped = state.ledger.counts
      counts.droppedTotal = state.ledger.dropped
      counts.delivered = state.ledger.delivered
      counts.deliveredHere = state.deliveredHere
      counts.tracked = state.tracked
      return counts
    }
  }

  /// Counts events that were dropped before they reached the log; a name with a colon is a note kept beside the drops.
  package func count(_ reason: DropReason, _ n: Int) {
    state.withLock { state in
      state.ledger.add(reason, n)
      if DropLedger.isDrop(reason) { state.track(n) }
    }
  }

  /// Whether normal events of these bytes can lie here together, if other normal ones go for them.
  package func hasRoom(forNormal records: Int, bytes: Int) -> Bool {
    state.withLock { state in
      let segments = min(records, bytes / (state.segmentLimit / 2)) + 2
      let needed = bytes + records * RecordHeader.size + segments * SegmentHeader.size
      return state.occupiedBytes - state.lanes[0].evictableBytes + needed <= state.occupiedLimit
    }
  }

  /// Writes the counts down if they changed, so that a crash does not take them along.
  package func saveCounts() {
    state.withLock { $0.saveLedger() }
  }

  /// Takes back what ``count(_:_:)`` counted.
  package func uncount(_ reason: DropReason, _ n: Int) {
    state.withLock { $0.ledger.remove(reason, n) }
  }
}
