import TernEvents

/// A segment that a claim reads; pinned meanwhile.
struct ClaimSource {
  let path: String
  /// The segment as it was when the claim was planned.
  let segment: Segment
  /// The file of a segment that was appended to until now.
  let file: OpenFile?
}

/// The segments that a claim is going to read, chosen in one step.
struct ClaimPlan {
  let sources: [ClaimSource]
  let generation: UInt64
  let expiry: ExpiryRule
}

/// The records of one segment in an open claim.
struct ClaimedSegment {
  let name: SegmentName
  let records: [ClaimedRecord]
}

/// One record of an open claim.
struct ClaimedRecord {
  let id: UniqueID
  let run: RecordRun
}

/// The records that a claim found in one segment.
struct ClaimFinding {
  let name: SegmentName
  var claimed: [ClaimedRecord] = []
  var records: [LogRecord] = []
  /// Records that leave the log without being handed out.
  var gone: [(run: RecordRun, reason: DropReason)] = []
  /// True if the segment was read to its end.
  var isComplete = false
  /// The file no longer exists.
  var isMissing = false
  /// The error that kept the file from being read.
  var failure: FileError?

  /// True if another pass would find something else.
  var isProgress: Bool { isMissing || failure != nil || !gone.isEmpty || isComplete }
}

extension LogState {
  /// Chooses, closes and pins the segments that hold the next records, critical lane first, as far as claims may.
  mutating func planClaim(events: Int, bytes: Int, skipping: Set<UInt64>, uptime: Duration) -> [ClaimSource] {
    var sources: [ClaimSource] = []
    var events = events
    var bytes = bytes
    for lane in [1, 0] {
      for index in lanes[lane].segments.indices {
        let segment = lanes[lane].segments[index]
        guard segment.waiting > 0, !skipping.contains(segment.name.number),
          !isBackingOff(segment.name.number, at: uptime)
        else { continue }
        let fits = segment.records <= events && segment.recordBytes <= bytes
        guard fits || sources.isEmpty, mayClaim(from: segment) else { return sources }
        lanes[lane].modify(index) { $0.isPinned = true }
        let file = handOver(lane, index)
        sources.append(ClaimSource(path: path(segment.name), segment: segment, file: file))
        events -= segment.records
        bytes -= segment.recordBytes
        if events <= 0 || bytes <= 0 { return sources }
      }
    }
    return sources
  }

  /// True if no claim holds a part of this segment, and claims may hold it: it fits within their limit, or they hold
  /// nothing else, since one that is larger than the limit must be claimable too.
  private func mayClaim(from segment: Segment) -> Bool {
    let held = lanes[0].heldBytes + lanes[1].heldBytes
    return segment.isFree && (held == 0 || held + segment.size <= claimLimit)
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

  /// Applies the findings to the index; the result is to be written to the files.
  mutating func commit(_ findings: [ClaimFinding], claim: UInt64) -> [PendingVoid] {
    var voids: [PendingVoid] = []
    for finding in findings {
      guard let (lane, index) = place(of: finding.name) else { continue }
      if finding.isMissing {
        ledger.add(.storageFailed, lanes[lane].segments[index].records)
        lanes[lane].modify(index) { $0.clear() }
      }
      guard finding.failure == nil, !finding.isMissing else { continue }
      reconcile(finding, lane, index)
      lanes[lane].modify(index) { segment in
        for (run, _) in finding.gone { segment.remove(run, records: 0) }
        if !finding.claimed.isEmpty { segment.hold(by: claim, records: finding.claimed.count) }
      }
      let segment = lanes[lane].segments[index]
      if segment.isSettled { continue }
      voids += finding.gone.map { PendingVoid(segment: segment, path: path(segment.name), run: $0.run) }
    }
    return voids
  }

  /// Counts the records that leave; what damage makes of the others' number is known only at the end of the file.
  private mutating func reconcile(_ finding: ClaimFinding, _ lane: Int, _ index: Int) {
    let known = lanes[lane].segments[index].records
    let isDamaged = { (gone: (run: RecordRun, reason: DropReason)) in gone.reason == .damaged }
    let others = finding.gone.lazy.filter { !isDamaged($0) }
    for (run, reason) in others { ledger.add(reason, run.records) }
    let left = known - others.reduce(0) { $0 + $1.run.records } - finding.claimed.count
    let damaged = finding.gone.lazy.filter(isDamaged).reduce(0) { $0 + $1.run.records }
    // More than are left come to light when the mark of records that left before is damaged.
    let lost = finding.isComplete ? max(left, 0) : min(damaged, max(left, 0))
    ledger.add(.damaged, lost)
    if left < 0 { track(-left) }
    lanes[lane].modify(index) { $0.correct(to: max(left, 0) - lost + finding.claimed.count) }
  }

  /// Unpins segments and queues those with nothing left for removal.
  mutating func unpin(_ names: [SegmentName]) {
    for name in names {
      guard let (lane, index) = place(of: name) else { continue }
      lanes[lane].modify(index) { $0.isPinned = false }
      if lanes[lane].segments[index].isSettled, !settled.contains(name) { settled.append(name) }
    }
  }
}
