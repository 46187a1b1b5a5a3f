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
      let voids = state.withLock { state -> [PendingVoid]? in
        guard state.generation == claim.generation else { return nil }
        return segments.flatMap { state.settle($0, claim.number, resolution) }
      }
      guard let voids else { return false }
      for void in voids { void.write(fileSystem) }
      removeSettled()
      shrink()
      state.withLock { $0.saveLedger() }
      return true
    }
  }

  /// Removes the files of settled segments, outside the lock.
  func removeSettled() {
    var removals = state.withLock { $0.takeSettled() }
    if removals.isEmpty { return }
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
    state.withLock { state in
      for removal in removals { state.finish(removal) }
    }
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

extension LogState {
  /// Takes the records of a claim out of a segment, or returns them to it; the result is to be written to its file.
  fileprivate mutating func settle(
    _ claimed: ClaimedSegment, _ claim: UInt64, _ resolution: BatchResolution
  ) -> [PendingVoid] {
    // Erased or lost meanwhile.
    guard let (lane, index) = place(of: claimed.name), lanes[lane].segments[index].claim == claim else { return [] }
    let leaving = leaving(claimed, resolution)
    lanes[lane].modify(index) { segment in
      segment.release()
      for run in leaving { segment.remove(run.run, records: run.records) }
    }
    let segment = lanes[lane].segments[index]
    if segment.isSettled {
      settled.append(segment.name)
      return []
    }
    return leaving.map { PendingVoid(segment: segment, path: path(segment.name), run: $0.run) }
  }

  /// The runs of records that leave, and their numbers: a run may span some that left before.
  private mutating func leaving(
    _ claimed: ClaimedSegment, _ resolution: BatchResolution
  ) -> [(run: RecordRun, records: Int)] {
    var runs: [(run: RecordRun, records: Int)] = []
    var isAdjoining = false
    for record in claimed.records {
      switch resolution.disposition(of: record.id) {
      case .returned:
        isAdjoining = false
        continue
      case .delivered:
        ledger.addDelivered(1)
        deliveredHere += 1
      case .dropped(let reason): ledger.add(reason, 1)
      }
      if isAdjoining, let last = runs.indices.last {
        runs[last].run.upper = record.run.upper
        runs[last].run.endOrdinal = record.run.endOrdinal
        runs[last].records += 1
      } else {
        runs.append((record.run, 1))
      }
      isAdjoining = true
    }
    return runs
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
