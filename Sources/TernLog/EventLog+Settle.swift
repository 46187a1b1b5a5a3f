import TernBase
import TernEvents

extension EventLog {
  /// Settles a claim; a claim that is settled already, or void, is ignored.
  ///
  /// The tombstones of events that leave the log are on disk before this returns. Returns true if the claim was still
  /// open; the events of a void one have left already, and were counted then.
  @discardableResult
  package func settle(_ claim: LogClaim.ID, _ settlement: BatchResolution) -> Bool {
    operations.withLock { operations in
      guard claim.generation == operations.generation,
        let records = operations.claims.removeValue(forKey: claim.number)
      else { return false }
      let verdicts = records.map { settlement.verdict(on: $0.id) }
      let outcome = state.withLock { state -> (tombstones: [PendingTombstone], pinned: [SegmentName])? in
        state.generation == claim.generation ? state.settle(claim.number, records, verdicts) : nil
      }
      guard let outcome else { return false }
      write(outcome.tombstones)
      state.withLock { $0.unpin(outcome.pinned) }
      removeSettled()
      shrink()
      state.withLock { $0.saveLedger() }
      return true
    }
  }

  /// Writes tombstones, opening each file once.
  func write(_ tombstones: [PendingTombstone]) {
    var current: (path: String, file: OpenFile)?
    for tombstone in tombstones {
      if current?.path != tombstone.path {
        if let current { fileSystem.close(current.file) }
        current = (try? fileSystem.open(tombstone.path, .update)).map { (tombstone.path, $0) }
      }
      if let current { tombstone.write(to: current.file, fileSystem) }
    }
    if let current { fileSystem.close(current.file) }
  }

  /// Removes the files of settled segments, outside the lock.
  func removeSettled() {
    var removals = state.withLock { $0.takeSettled() }
    if removals.isEmpty { return }
    for index in removals.indices {
      let tombstone = removals[index].tombstone
      do throws(FileError) {
        removals[index].isKept = try fileSystem.retire(tombstone.path, keepAs: removals[index].sparePath)
        removals[index].isGone = true
      } catch {
        removals[index].isGone = error.isMissing
        if !error.isMissing { write([tombstone]) }
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
  /// The tombstone over the whole segment, in case its file cannot be removed.
  let tombstone: PendingTombstone
  let generation: UInt64
  let spare: String?
  let sparePath: String?
  var isGone = false
  /// The file is kept as a spare.
  var isKept = false
}

/// The outcome for one record of a settled claim.
enum Verdict {
  case delivered
  case returned
  case dropped(DropReason)
}

extension BatchResolution {
  func verdict(on id: UniqueID) -> Verdict {
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
  /// Removes the claimed records from the log or returns them; segments stay pinned until the tombstones are written.
  mutating func settle(
    _ claim: UInt64, _ records: [ClaimedRecord], _ verdicts: [Verdict]
  ) -> (tombstones: [PendingTombstone], pinned: [SegmentName]) {
    var tombstones: [PendingTombstone] = []
    var pinned: [SegmentName] = []
    var start = 0
    while start < records.count {
      let name = records[start].name
      let end = records[start...].firstIndex { $0.name != name } ?? records.count
      let lane = Int(name.lane.rawValue)
      if let index = lanes[lane].segments.index(of: name.number) {
        if evictionCursor?.name == name { closeEvictionCursor() }
        lanes[lane].modify(index) {
          $0.release(claim: claim)
          $0.isPinned = true
        }
        pinned.append(name)
        for run in gone(records[start..<end], verdicts) {
          let merged = lanes[lane].modify(index) { $0.insert(run) }
          let header = lanes[lane].segments[index].header
          tombstones.append(PendingTombstone(name: name, header: header, path: path(name), run: merged))
        }
        let segment = lanes[lane].segments[index]
        // A segment that is removed as a whole needs no tombstones.
        if segment.isSettled, !segment.isOpenEnded { tombstones.removeAll { $0.name == name } }
      }
      start = end
    }
    return (tombstones, pinned)
  }

  /// The runs of records that leave, with adjoining ones merged, so that a batch costs one tombstone, not one per
  /// event.
  private mutating func gone(_ records: ArraySlice<ClaimedRecord>, _ verdicts: [Verdict]) -> [Run] {
    var runs: [Run] = []
    for index in records.indices {
      switch verdicts[index] {
      case .returned: continue
      case .delivered:
        ledger.addDelivered(1)
        deliveredHere += 1
      case .dropped(let reason): ledger.add(reason, 1)
      }
      runs.append(records[index].run)
    }
    return runs.joined(owner: Run.gone)
  }

  /// Takes the settled segments whose files can go now out of the index, until `finish`.
  mutating func takeSettled() -> [Removal] {
    let names = settled
    settled = []
    var removals: [Removal] = []
    for name in names {
      let lane = Int(name.lane.rawValue)
      guard let index = lanes[lane].segments.index(of: name.number) else { continue }
      let segment = lanes[lane].segments[index]
      guard segment.isFree, segment.isSettled else {
        if segment.isSettled { settled.append(name) }
        continue
      }
      lanes[lane].remove(at: index)
      leavingBytes += segment.size
      let everything = Run(
        lower: SegmentHeader.size, upper: segment.end, firstOrdinal: 0, endOrdinal: segment.nextOrdinal,
        owner: Run.gone)
      let tombstone = PendingTombstone(name: name, header: segment.header, path: path(name), run: everything)
      let spare = spares.reserve()
      removals.append(
        Removal(
          segment: segment, tombstone: tombstone, generation: generation, spare: spare,
          sparePath: spare.flatMap { home?.path($0) })
      )
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
