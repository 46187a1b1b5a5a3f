import TernBase
import TernEvents

extension EventLog {
  /// Settles a claim; a claim that is settled already, or void, is ignored.
  ///
  /// The files of segments without further events are gone before this returns. Returns true if the claim was still
  /// open; the events of a void one have left already, and were counted then.
  @discardableResult
  package func settle(_ claim: LogClaim.ID, _ resolution: BatchResolution) -> Bool {
    operations.withLock { operations in
      guard claim.generation == operations.generation,
        let segments = operations.claims.removeValue(forKey: claim.number)
      else { return false }
      let leaving = segments.map { ($0.name, $0.leaving(by: resolution)) }
      let voids = state.withLock { state -> [PendingVoid]? in
        guard state.generation == claim.generation else { return nil }
        return leaving.flatMap { state.voids(for: $1, of: $0, claim.number) }
      }
      guard let voids else { return false }
      // While the claim holds the segments: a file that is evicted may become another segment in the middle of a write.
      for void in voids { void.write(fileSystem) }
      let isOpen = state.withLock { state in
        guard state.generation == claim.generation else { return false }
        for (name, leaving) in leaving { state.settle(name, claim.number, leaving) }
        return true
      }
      guard isOpen else { return false }
      removeSettled()
      shrink()
      saveCounts()
      return true
    }
  }

  /// Removes the files of settled segments, outside the lock, and ends the erasures that have no file left.
  func removeSettled() {
    var removals = state.withLock { $0.takeSettled() }
    for index in removals.indices {
      let path = removals[index].path
      do throws(FileError) {
        removals[index].isKept = try fileSystem.retire(path, keepAs: removals[index].sparePath)
        removals[index].isGone = true
      } catch {
        removals[index].isGone = error.isMissing
        guard !error.isMissing else { continue }
        let segment = removals[index].segment
        PendingVoid(segment: segment, path: path, run: segment.everything).write(fileSystem)
      }
    }
    let hasUnsavedErasures = state.withLock { state in
      for removal in removals { state.finish(removal) }
      state.endErasures()
      return state.hasUnsavedErasures
    }
    if hasUnsavedErasures { saveErasures() }
  }

  /// Shrinks the log to a limit that was lowered, one short step under the lock at a time.
  func shrink() {
    while state.withLock({ $0.shrinkStep() }) {}
  }
}

/// A settled segment whose file is being removed; the index no longer has it.
struct Removal {
  let segment: Segment
  let path: String
  let generation: UInt64
  let spare: String?
  let sparePath: String?
  var isGone = false
  /// The file is kept as a spare.
  var isKept = false
}

/// The outcome for one record of a settled claim.
private enum RecordDisposition {
  case delivered
  case returned
  case dropped(DropReason)
}

extension BatchResolution {
  fileprivate func disposition(of id: UniqueID) -> RecordDisposition {
    switch self {
    case .delivered: return .delivered
    case .returned: return .returned
    case .partly(let delivered, let dropped):
      if delivered.contains(id) { return .delivered }
      return dropped[id].map { .dropped($0) } ?? .returned
    }
  }
}

/// The records of one segment that leave the log when their claim is settled.
struct LeavingRecords {
  /// A run may span some that left before.
  var runs: [(run: RecordRun, records: Int)] = []
  var delivered = 0
  var dropped: [DropReason: Int] = [:]

  var count: Int { runs.reduce(0) { $0 + $1.records } }
}

extension ClaimedSegment {
  fileprivate func leaving(by resolution: BatchResolution) -> LeavingRecords {
    var leaving = LeavingRecords()
    var isAdjoining = false
    for record in records {
      switch resolution.disposition(of: record.id) {
      case .returned:
        isAdjoining = false
        continue
      case .delivered: leaving.delivered += 1
      case .dropped(let reason): leaving.dropped[reason, default: 0] += 1
      }
      if isAdjoining, let last = leaving.runs.indices.last {
        leaving.runs[last].run.upper = record.run.upper
        leaving.runs[last].run.endOrdinal = record.run.endOrdinal
        leaving.runs[last].records += 1
      } else {
        leaving.runs.append((record.run, 1))
      }
      isAdjoining = true
    }
    return leaving
  }
}

extension LogState {
  /// The voids to write before these records leave; none if the whole segment does, since its file is removed.
  fileprivate func voids(for leaving: LeavingRecords, of name: SegmentName, _ claim: UInt64) -> [PendingVoid] {
    guard let (lane, index) = claimedPlace(of: name, claim) else { return [] }
    let segment = lanes[lane].segments[index]
    if segment.records == leaving.count { return [] }
    return leaving.runs.map { PendingVoid(segment: segment, path: path(name), run: $0.run) }
  }

  /// Takes the records of a claim out of a segment, or returns them to it.
  fileprivate mutating func settle(_ name: SegmentName, _ claim: UInt64, _ leaving: LeavingRecords) {
    guard let (lane, index) = claimedPlace(of: name, claim) else { return }
    ledger.addDelivered(leaving.delivered)
    deliveredHere += leaving.delivered
    for (reason, number) in leaving.dropped { ledger.add(reason, number) }
    lanes[lane].modify(index) { segment in
      segment.release()
      for run in leaving.runs { segment.remove(run.run, records: run.records) }
    }
    if lanes[lane].segments[index].isSettled { settled.append(name) }
  }

  /// The place of a segment in an open claim; `nil` if it was erased or lost meanwhile.
  private func claimedPlace(of name: SegmentName, _ claim: UInt64) -> (lane: Int, index: Int)? {
    guard let (lane, index) = place(of: name), lanes[lane].segments[index].claim == claim else { return nil }
    return (lane, index)
  }

  /// Takes the settled segments whose files can go now out of the index, until `finish`.
  mutating func takeSettled() -> [Removal] {
    let names = settled
    settled = []
    var removals: [Removal] = []
    for name in names {
      guard let (lane, index) = place(of: name) else { continue }
      let segment = lanes[lane].segments[index]
      guard segment.isFree, segment.isSettled else {
        if segment.isSettled { settled.append(name) }
        continue
      }
      seal(lane, index)
      lanes[lane].remove(at: index)
      leavingBytes += segment.size
      let spare = spares.reserve()
      removals.append(
        Removal(
          segment: segment, path: path(name), generation: generation, spare: spare,
          sparePath: spare.flatMap { home?.path($0) }))
    }
    return removals
  }

  /// Ends a removal; a file that could not be removed is tried again later.
  mutating func finish(_ removal: Removal) {
    guard removal.generation == generation else { return }
    if let spare = removal.spare { spares.finish(spare, isInPlace: removal.isKept) }
    leavingBytes -= removal.segment.size
    let name = removal.segment.name
    if removal.isGone {
      endBackoff(name.number)
    } else {
      lanes[Int(name.lane.rawValue)].add(removal.segment)
      settled.append(name)
    }
  }
}
