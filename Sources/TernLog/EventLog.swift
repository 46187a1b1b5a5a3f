import TernBase
package import TernEvents

/// A queue of events on disk: an appended event survives the end of the process and stays until it is settled.
package final class EventLog: Sendable {
  /// The settings of a log; values out of range are corrected.
  package struct Configuration: Sendable {
    /// The directory that holds the log's own directories `log-0`, `log-1`, …; created when missing.
    package var directory: String
    /// The most the log may hold on disk, in bytes. The default is 10 MiB, the minimum 24 KiB.
    package var maximumBytes: Int
    /// The age at which an event expires. The default is 25 days.
    package var maximumAge: Duration
    /// The size at which a new segment file begins, in bytes; smaller in a small log. The default is 64 KiB.
    package var segmentBytes: Int
    /// The most events of a segment: those of a batch, so that batches consist of whole segments. The default is 500.
    package var segmentEvents: Int
    /// The largest payload that is stored, in bytes. The default is 64 KiB.
    package var maximumRecordBytes: Int
    /// The moments at which events are flushed to the medium. The default is `.onBackgroundAndCritical`.
    package var durability: Durability
    /// Identifies this boot of the machine, so that uptimes can be compared; all zero if unknown.
    package var bootID: UniqueID

    /// Creates a configuration; `maximumBytes` is raised to 24 KiB, `segmentBytes` kept within 1 KiB and 1 MiB,
    /// `segmentEvents` within 1 and 65,535, `maximumRecordBytes` within 1 byte and 1 MiB, `maximumAge` raised to a second.
    package init(
      directory: String, maximumBytes: Int = 10 << 20, maximumAge: Duration = .seconds(25 * 86_400),
      segmentBytes: Int = 64 << 10, segmentEvents: Int = 500, maximumRecordBytes: Int = 64 << 10,
      durability: Durability = .onBackgroundAndCritical, bootID: UniqueID = UniqueID(high: 0, low: 0)
    ) {
      self.directory = directory
      self.maximumBytes = max(maximumBytes, 24 << 10)
      self.maximumAge = max(maximumAge, .seconds(1))
      self.segmentBytes = min(max(segmentBytes, 1 << 10), 1 << 20)
      self.segmentEvents = min(max(segmentEvents, 1), Int(UInt16.max))
      self.maximumRecordBytes = min(max(maximumRecordBytes, 1), 1 << 20)
      self.durability = durability
      self.bootID = bootID
    }
  }

  let configuration: Configuration
  let fileSystem: any FileSystem
  let clock: any TernClock
  /// Taken before `state` if both are needed: one claim, settlement or clean-up at a time, including its I/O.
  let operations: Locked<Operations>
  /// Taken before `state` and after `operations`: one save of the counts at a time, so that none overwrites a later one.
  let savingCounts = Locked(false)
  /// Taken only for flushing, which may be slow: erasing and settling must not wait for the medium.
  let flushing = Locked(false)
  /// Held for moments only, because `append` waits for it on the app's threads.
  let state: Locked<LogState>

  /// Opens the log, recovers the events of earlier processes, and adopts the logs of dead ones.
  ///
  /// Throws `LogError.Code.directoryUnavailable` when no directory can be created and locked.
  package convenience init(
    _ configuration: Configuration, fileSystem: any FileSystem, clock: any TernClock
  ) throws(LogError) {
    self.init(unopened: configuration, fileSystem: fileSystem, clock: clock)
    try open()
  }

  /// Creates a log that touches no file before ``open()``; events appended until then are dropped as `.storageFailed`.
  package init(unopened configuration: Configuration, fileSystem: any FileSystem, clock: any TernClock) {
    self.configuration = configuration
    self.fileSystem = fileSystem
    self.clock = clock
    operations = Locked(Operations())
    var state = LogState(configuration, fileSystem, clock)
    state.looksForHome = false
    state.lastCheck = clock.uptime.wholeMilliseconds
    self.state = Locked(state)
  }

  /// Locks a directory, recovers the events of earlier processes, and adopts the logs of dead ones; does nothing if the
  /// log is open. A limit that was set meanwhile applies.
  ///
  /// Throws `LogError.Code.directoryUnavailable` if no directory can be created and locked; the call can be repeated.
  package func open() throws(LogError) {
    try operations.withLock { (_) throws(LogError) in
      let isNew = try state.withLock { (state) throws(LogError) in try state.open() }
      guard isNew else { return }
      shrink()
      removeSettled()
      saveCounts()
    }
  }

  deinit { close() }

  /// Stores an event with one write; from any thread.
  ///
  /// Once this returns `.stored`, the event survives the end of the process. `time` and `uptimeMilliseconds` are the moment
  /// of the event, `context` is what it shares with others. Never flushes and never throws; an event that cannot be stored is
  /// dropped and counted. With `isKept` the caller keeps events that the disk refuses: `.storageFailed` is not counted.
  package func append(
    _ payload: [UInt8], id: UniqueID, time: Timestamp, uptimeMilliseconds: Int64, lane: Lane, context: LogContext,
    isKept: Bool = false
  ) -> AppendOutcome {
    if payload.count > configuration.maximumRecordBytes { return state.withLock { $0.refuse(.tooLarge) } }
    return payload.withUnsafeBytes { payload in
      let header = RecordHeader(
        payload: payload, time: time, uptimeMilliseconds: UInt64(clamping: uptimeMilliseconds), id: id)
      return state.withLock { state in
        let outcome = state.append(payload, header, lane, context, at: uptimeMilliseconds)
        if isKept, outcome == .dropped(.storageFailed) {
          state.ledger.remove(.storageFailed, 1)
          return outcome
        }
        // Afterwards: if the directory was lost on the way, the recount does not include this event.
        state.track(1)
        return outcome
      }
    }
  }

  /// True while the log has a directory.
  package var isOpen: Bool { state.withLock { $0.home != nil } }

  /// The number of events that left without being delivered, for any reason; costs no more than a lock.
  package var droppedTotal: Int { state.withLock { $0.ledger.dropped } }

  /// The contents of the log.
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
      counts.dropped = state.ledger.counts
      counts.reported = state.ledger.reported
      counts.droppedTotal = state.ledger.dropped
      counts.delivered = state.ledger.delivered
      counts.deliveredHere = state.deliveredHere
      counts.tracked = state.tracked
      return counts
    }
  }

  /// Counts events that were dropped before they reached the log.
  package func count(_ reason: DropReason, _ n: Int) {
    state.withLock { state in
      state.ledger.add(reason, n)
      state.track(n)
    }
  }

  /// Counts drops that have been reported to the server.
  package func countReported(_ reason: DropReason, _ n: Int) {
    state.withLock { $0.ledger.addReported(reason, n) }
  }

  /// True if normal events of this total size fit together, possibly by evicting other normal ones.
  package func hasRoom(forNormal records: Int, bytes: Int, context: LogContext) -> Bool {
    state.withLock { state in
      let header = SegmentHeader.size(of: context)
      let segments = min(records, bytes / max(state.segmentLimit / 2 - header, 1)) + 2
      let needed = bytes + records * RecordHeader.size + segments * header
      return state.diskBytes - state.freeableBytes([0]) + needed <= state.maximumBytes
    }
  }

  /// Reverts ``countReported(_:_:)``.
  package func uncountReported(_ reason: DropReason, _ n: Int) {
    state.withLock { $0.ledger.removeReported(reason, n) }
  }
}
