import TernEvents

/// A segment that a claim reads; pinned meanwhile.
struct ClaimSource {
  let path: String
  /// The segment as it was when the claim was planned.
  let segment: Segment
}

/// The segments that a claim is going to read, chosen in one step.
struct ClaimPlan {
  let sources: [ClaimSource]
  let generation: UInt64
  let expiry: ExpiryRule
  let erasures: [Erasure]
}

/// The records that a claim found in one segment.
struct ClaimFinding {
  let name: SegmentName
  let header: SegmentHeader
  let path: String
  var claimed: [ClaimedRecord] = []
  var records: [LogRecord] = []
  /// Records that leave the log without being handed out.
  var gone: [(run: Run, reason: DropReason)] = []
  /// The time of the first record that keeps waiting, if it was read.
  var nextTime: Timestamp?
  /// The file no longer exists.
  var isMissing = false
  /// The error that kept the file from being read.
  var failure: FileError?

  /// True if another pass would find something else.
  var isProgress: Bool { isMissing || failure != nil || !gone.isEmpty }
}

/// One record of an open claim.
struct ClaimedRecord {
  let name: SegmentName
  let run: Run
  let id: UniqueID
  let epoch: UInt32
}

extension LogState {
  /// Chooses and pins the segments that hold the next records, critical lane first, as far as claims may hold them.
  mutating func planClaim(events: Int, bytes: Int, skipping: Set<UInt64>, uptime: Duration) -> [ClaimSource] {
    var sources: [ClaimSource] = []
    var missingEvents = events
    var missingBytes = bytes
    for lane in [1, 0] {
      for index in lanes[lane].segments.indices {
        if missingEvents <= 0 || missingBytes <= 0 { return sources }
        let segment = lanes[lane].segments[index]
        let number = segment.name.number
        guard segment.waiting > 0, !skipping.contains(number), !isBackingOff(number, at: uptime) else { continue }
        guard mayClaim(from: segment) else { return sources }
        lanes[lane].modify(index) { $0.isPinned = true }
        if evictionCursor?.name == segment.name { closeEvictionCursor() }
        sources.append(ClaimSource(path: path(segment.name), segment: segment))
        missingEvents -= segment.waiting
        missingBytes -= segment.waitingBytes - segment.waiting * RecordHeader.size
      }
    }
    return sources
  }

  /// True if claims may hold this segment: it fits within their limit, or they hold it or nothing else, since one that
  /// is larger than the limit must be claimable too.
  private func mayClaim(from segment: Segment) -> Bool {
    let held = lanes[0].heldBytes + lanes[1].heldBytes
    // The segment that is appended to keeps growing while it is held.
    let size = max(segment.size, segment.isOpenEnded ? segmentLimit : 0)
    return !segment.isFree || held == 0 || held + size <= claimLimit
  }

  /// True if something waits that a claim could read, and claims may not hold it before one of them is settled.
  func isClaimLimitReached(at uptime: Duration) -> Bool {
    for lane in [1, 0] {
      let segments = lanes[lane].segments
      let next = segments.indices.first {
        segments[$0].waiting > 0 && !isBackingOff(segments[$0].name.number, at: uptime)
      }
      if let next { return !mayClaim(from: segments[next]) }
    }
    return false
  }

  /// Applies the findings to the index; returns the tombstones to write.
  mutating func commit(_ findings: [ClaimFinding], claim: UInt64) -> [PendingTombstone] {
    var tombstones: [PendingTombstone] = []
    for finding in findings {
      let lane = Int(finding.name.lane.rawValue)
      guard let index = lanes[lane].segments.index(of: finding.name.number) else { continue }
      if finding.isMissing {
        ledger.add(.storageFailed, lanes[lane].segments[index].waiting)
        lanes[lane].modify(index) { $0.loseWaiting() }
        // Events appended to an unlinked file would be lost.
        if index == lanes[lane].segments.lastIndex { seal(lane) }
      }
      for (run, reason) in finding.gone {
        ledger.add(reason, run.records)
        let merged = lanes[lane].modify(index) { $0.insert(run) }
        tombstones.append(PendingTombstone(name: finding.name, header: finding.header, path: finding.path, run: merged))
      }
      for run in finding.claimed.map(\.run).joined(owner: claim) {
        lanes[lane].modify(index) { _ = $0.insert(run) }
      }
      if let time = finding.nextTime { lanes[lane].modify(index) { $0.headTime = time } }
    }
    return tombstones
  }

  /// Unpins segments and queues those with nothing left for removal.
  mutating func unpin(_ names: [SegmentName]) {
    for name in names {
      let lane = Int(name.lane.rawValue)
      guard let index = lanes[lane].segments.index(of: name.number) else { continue }
      lanes[lane].modify(index) { $0.isPinned = false }
      let segment = lanes[lane].segments[index]
      // The segment that is appended to stays: a new file for each batch would slow down the callers of `append`.
      if segment.isSettled, !segment.isOpenEnded, !settled.contains(name) { settled.append(name) }
    }
  }
}

/// A settled run whose end must be written to its file.
struct PendingTombstone {
  let name: SegmentName
  let header: SegmentHeader
  let path: String
  let run: Run

  /// Writes the tombstone to the run's first record; true if it succeeds. A lost tombstone only brings events back.
  @discardableResult
  func write(to file: OpenFile, _ fileSystem: any FileSystem) -> Bool {
    guard run.bytes >= RecordHeader.size else { return false }
    var tombstone = Tombstone.encoded(end: run.upper, salt: header.salt, offset: run.lower).littleEndian
    return withUnsafeBytes(of: &tombstone) { bytes in
      (try? fileSystem.write(bytes, to: file, at: run.lower + RecordHeader.tombstoneOffset)) == bytes.count
    }
  }
}
