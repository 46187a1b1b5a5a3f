import TernBase
import TernEvents

/// A segment that is appended to.
struct OpenSegment {
  let number: UInt64
  /// `nil` if an earlier process of this boot began the segment, until it is continued.
  var file: OpenFile?
}

/// The state of the log behind one lock: the index of the files on disk, and the open ones.
struct LogState {
  let configuration: EventLog.Configuration
  let fileSystem: any FileSystem
  let clock: any TernClock
  var maximumBytes: Int
  /// The log's own directory; `nil` while there is none, and after closing.
  var home: LogDirectory?
  /// Indexed by `Lane.rawValue`.
  var lanes = [LaneIndex(), LaneIndex()]
  /// The segments that are appended to, one for each lane and part: usage and errors alternate.
  var openSegments: [OpenSegment?] = [nil, nil, nil, nil]
  var ledger = DropLedger()
  /// The number of events ever recorded: each waits, is claimed, was delivered, or was dropped.
  var tracked = 0
  /// The directory whose counts `ledger` includes.
  var ledgerHome: String?
  /// Events delivered since the log was opened; the ledger's number includes those of adopted logs.
  var deliveredHere = 0
  var nextNumber: UInt64 = 1
  /// Increases when all open claims become void.
  var generation: UInt64 = 0
  /// Segments without events, whose files can be removed.
  var settled: [SegmentName] = []
  /// The segments whose last read failed, by number.
  var readBackoffs: [UInt64: ReadBackoff] = [:]
  /// Segments that could not be read when they were found, by number.
  var unread: [UInt64: UnreadSegment] = [:]
  var spares = SparePool()
  var ageClock = AgeClock()
  /// The clock as saved, and the size of its file.
  var savedAgeClock: AgeClock?
  var ageClockBytes = 0
  /// Erasures that may have files left.
  var erasures: [Erasure] = []
  /// True if the file of erasures is not up to date.
  var hasUnsavedErasures = false
  /// While that file cannot be read: it concerns the segments below this number.
  var unreadErasuresBelow: UInt64?
  /// Erasures that were requested while there was no directory.
  var pendingErasures: [ErasureTarget] = []
  /// The size of settled files that are being removed.
  var leavingBytes = 0
  /// Bytes of files that were quarantined.
  var quarantinedBytes = 0
  /// The uptime of the last check of the directory, in milliseconds.
  var lastCheck: Int64 = 0
  var isClosed = false
  /// True once the log was opened: from then on a missing directory is created again.
  var looksForHome = true
  /// True if file names were added since the directory was last flushed.
  var hasUnsyncedNames = false
  /// True if the directory may be new, with its name not yet on the medium.
  var isHomeUnsynced = true
  let scratch = ScratchBuffer(capacity: 4 << 10)

  init(_ configuration: EventLog.Configuration, _ fileSystem: any FileSystem, _ clock: any TernClock) {
    self.configuration = configuration
    self.fileSystem = fileSystem
    self.clock = clock
    maximumBytes = configuration.maximumBytes
  }

  var waiting: Int { lanes[0].waiting + lanes[1].waiting }
  var claimed: Int { lanes[0].claimed + lanes[1].claimed }

  /// Bytes on disk. Quarantined files count for at most half of the limit, so that they never stop the log; settled
  /// ones that are being removed do not count, so that no event is evicted for room that is about to be there.
  var diskBytes: Int { lanes[0].fileBytes + lanes[1].fileBytes + unavailableBytes }
  /// Bytes that no event can have.
  private var unavailableBytes: Int { fixedBytes + min(quarantinedBytes, maximumBytes / 2) }
  /// Bytes on disk that hold no events.
  var fixedBytes: Int { DropLedger.fileBytes + ageClockBytes + ErasureFile.bytes(erasures.count) }

  /// The size from which a new segment is begun; at least 16 of them fit, since a full log gives up whole segments.
  var segmentLimit: Int { min(configuration.segmentBytes, maximumBytes / 16) }
  /// The most bytes of files that claims may hold: half of what events can have. A claimed event cannot be evicted, so
  /// the other half is what is left for critical events while normal ones are in flight.
  var claimLimit: Int { (maximumBytes - unavailableBytes) / 2 }

  /// Counts events as recorded.
  mutating func track(_ number: Int) { tracked = tracked.addingSaturated(max(number, 0)) }

  /// Recomputes `tracked` from the contents, since the number that earlier processes recorded is unknown.
  mutating func recountTracked() { tracked = [waiting, claimed, ledger.dropped, ledger.delivered].saturatingSum }

  func path(_ name: SegmentName) -> String { (home?.path ?? "") + "/" + name.text }

  /// The lane and the index of a segment; `nil` if it has left the log.
  func place(of name: SegmentName) -> (lane: Int, index: Int)? {
    let lane = Int(name.lane.rawValue)
    return lanes[lane].segments.index(of: name.number).map { (lane, $0) }
  }

  func stored() -> AppendOutcome {
    let unreadable = readBackoffs.isEmpty ? (normal: 0, critical: 0, until: nil) : unreadableEvents(at: nil)
    return .stored(
      waiting: waiting - unreadable.normal - unreadable.critical,
      waitingCritical: lanes[1].waiting - unreadable.critical,
      dropped: ledger.dropped)
  }

  mutating func drop(_ reason: DropReason) -> AppendOutcome {
    ledger.add(reason, 1)
    return .dropped(reason)
  }

  /// Drops an event before anything is written.
  mutating func refuse(_ reason: DropReason) -> AppendOutcome {
    track(1)
    return drop(reason)
  }

  // MARK: The ends of segments

  static func slot(_ lane: Lane, _ context: LogContext) -> Int {
    Int(lane.rawValue) * LogContext.Part.allCases.count + Int(context.part.rawValue)
  }

  /// Ends appending to a segment.
  mutating func seal(_ lane: Int, _ index: Int) {
    if let file = handOver(lane, index) { fileSystem.close(file) }
  }

  /// Ends appending to a segment and returns its file, which the caller closes.
  mutating func handOver(_ lane: Int, _ index: Int) -> OpenFile? {
    guard lanes[lane].segments[index].isOpenEnded else { return nil }
    lanes[lane].modify(index) { $0.isOpenEnded = false }
    let header = lanes[lane].segments[index].header
    let slot = Self.slot(header.lane, header.context)
    guard let own = openSegments[slot], own.number == lanes[lane].segments[index].name.number else { return nil }
    openSegments[slot] = nil
    return own.file
  }

  /// Ends appending to all segments.
  mutating func sealAll() {
    for slot in openSegments.indices {
      guard let own = openSegments[slot] else { continue }
      let lane = slot / LogContext.Part.allCases.count
      if let index = lanes[lane].segments.index(of: own.number) { seal(lane, index) }
    }
  }

  /// Closes all files.
  mutating func closeFiles() {
    for case let file? in openSegments.map({ $0?.file }) { fileSystem.close(file) }
    openSegments = [nil, nil, nil, nil]
    if let home { fileSystem.close(home.lock) }
    home = nil
  }
}
