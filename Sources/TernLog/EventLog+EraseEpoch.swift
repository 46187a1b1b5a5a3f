import TernBase
import TernEvents

extension EventLog {
  /// Removes the events of one identity epoch, or of one part (``RecordEpoch``), that are in either lane now.
  ///
  /// Their bytes are overwritten, and flushed unless the durability is `.never`. They are counted as `.erased`,
  /// including those in open claims, which settling then skips. Later events are kept, even those of the epoch.
  /// Logs of dead processes are adopted first. Reads all segments, so it must not run on the caller of `track`;
  /// appending continues meanwhile.
  ///
  /// Returns true if nothing of the epoch is left on the disk. Events that could not be erased are not handed out
  /// either; erasing is retried with the next call and at the next launch, on this log or one that adopts it, even
  /// after a crash.
  @discardableResult
  package func erase(epoch: UInt32) -> Bool {
    operations.withLock { operations in
      readErasures(&operations)
      let isPossible = state.withLock { state -> Bool in
        guard state.checkHome(at: clock.uptime) else {
          // Applies to the events that are found once there is a directory.
          state.pendingEpochs.insert(epoch)
          return false
        }
        for lane in state.lanes.indices { state.seal(lane) }
        state.adoptOrphans()
        for lane in state.lanes.indices { state.seal(lane) }
        state.beginErasure(of: epoch)
        state.saveErasures()
        return true
      }
      return isPossible && finishErasures(&operations)
    }
  }

  /// Continues the erasures that could not be read when the log was opened, once they can be read.
  func readErasures(_ operations: inout Operations) {
    if state.withLock({ $0.readUnreadErasures() }) { finishErasures(&operations) }
  }

  /// Completes the open erasures; true if none is left.
  @discardableResult
  func finishErasures(_ operations: inout Operations) -> Bool {
    let (erasures, names, generation) = state.withLock { state in
      let names =
        state.erasures.isEmpty
        ? [] : state.lanes.flatMap { lane in lane.segments.indices.map { lane.segments[$0].name } }
      return (state.erasures, names, state.generation)
    }
    if erasures.isEmpty { return true }
    operations.forgetVoidClaims(generation: generation)
    var isComplete = true
    for name in names where erasures.contains(where: { $0.concerns(name) }) {
      if !erase(erasures, name, generation, &operations) { isComplete = false }
    }
    removeSettled()
    shrink()
    operations.buffer.trim(to: 64 << 10)
    // Otherwise power loss could bring back files that were removed long before.
    if configuration.durability != .never, let home = state.withLock({ $0.home?.path }) {
      do throws(FileError) { try fileSystem.synchronize(home) } catch { isComplete = false }
    }
    return state.withLock { state in
      state.saveLedger()
      // A segment that is on the disk but not in the index is one that could not be read.
      guard isComplete, state.generation == generation, state.isIndexWhole(for: erasures) else { return false }
      state.erasures.removeAll { erasures.contains($0) }
      state.saveErasures()
      return true
    }
  }

  /// Erases the matching events of one segment; false if some are left.
  private func erase(
    _ erasures: [Erasure], _ name: SegmentName, _ generation: UInt64, _ operations: inout Operations
  ) -> Bool {
    guard let source = state.withLock({ $0.generation == generation ? $0.pin(name) : nil }) else { return true }
    defer { state.withLock { if $0.generation == generation { $0.unpin([name]) } } }
    do throws(FileError) {
      let file = try fileSystem.open(source.path, .update)
      defer { fileSystem.close(file) }
      let buffer = operations.buffer.reserve(source.segment.end)
      let count = try fileSystem.read(into: buffer, from: file, at: 0)
      let reader = SegmentReader(
        bytes: UnsafeRawBufferPointer(rebasing: buffer[..<count]), base: 0, salt: source.segment.header.salt)
      let waiting = source.segment.waitingRuns(reader) { header in erasures.contains { $0.concerns(header, in: name) } }
      let claimed = operations.takeClaimed(name) { record in
        erasures.contains { $0.concerns(record.epoch, in: name) }
      }
      let runs = state.withLock { $0.generation == generation ? $0.erase(name, waiting, claimed) : [] }
      // Cut off the bytes that a torn write may have left behind the last record.
      if try fileSystem.status(file).size > source.segment.end { try fileSystem.truncate(file, to: source.segment.end) }
      for run in runs { try wipe(run, source, file, operations.buffer) }
      if configuration.durability != .never, !runs.isEmpty { try fileSystem.synchronize(source.path) }
      return true
    } catch {
      return error.isMissing
    }
  }

  /// Overwrites a span without live records: a filler record in front, zeros behind.
  private func wipe(_ run: Run, _ source: ClaimSource, _ file: OpenFile, _ buffer: ScratchBuffer) throws(FileError) {
    let bytes = buffer.reserve(run.bytes)
    bytes.initializeMemory(as: UInt8.self, repeating: 0)
    if run.bytes >= RecordHeader.size, let start = bytes.baseAddress {
      // First the tombstone alone: recovery then skips the span even if the rest of this write fails.
      let tombstone = PendingTombstone(
        name: source.segment.name, header: source.segment.header, path: source.path, run: run)
      guard tombstone.write(to: file, fileSystem) else { throw FileError.full(.write) }
      RecordHeader(fillerFor: run, lane: source.segment.name.lane)
        .encode(to: start, salt: source.segment.header.salt, offset: run.lower)
      start.put(
        Tombstone.encoded(end: run.upper, salt: source.segment.header.salt, offset: run.lower),
        at: RecordHeader.tombstoneOffset)
    }
    let written = try fileSystem.write(UnsafeRawBufferPointer(bytes), to: file, at: run.lower)
    if written != run.bytes { throw FileError.full(.write) }
  }
}

extension Operations {
  /// Removes the matching records of one segment from all open claims; returns the removed and the remaining runs.
  mutating func takeClaimed(
    _ name: SegmentName, _ isTaken: (ClaimedRecord) -> Bool
  ) -> [(claim: UInt64, taken: [Run], kept: [Run])] {
    var result: [(claim: UInt64, taken: [Run], kept: [Run])] = []
    for (number, records) in claims {
      let taken = records.filter { $0.name == name && isTaken($0) }
      if taken.isEmpty { continue }
      let kept = records.filter { $0.name == name && !isTaken($0) }
      claims[number]?.removeAll { $0.name == name && isTaken($0) }
      result.append((number, taken.map(\.run), kept.map(\.run)))
    }
    return result
  }
}

extension Segment {
  /// The waiting records whose headers match, as runs.
  func waitingRuns(_ reader: SegmentReader, where matches: (RecordHeader) -> Bool) -> [Run] {
    var runs: [Run] = []
    var walker = WaitingWalker(self, reader)
    while let item = walker.peek() {
      if case .record(let header, let run) = item, matches(header) { runs.append(run) }
      walker.take(item)
    }
    return runs
  }
}

extension LogState {
  /// Protects a segment from changes until `unpin`.
  mutating func pin(_ name: SegmentName) -> ClaimSource? {
    let lane = Int(name.lane.rawValue)
    guard let index = lanes[lane].segments.index(of: name.number) else { return nil }
    if evictionCursor?.name == name { closeEvictionCursor() }
    lanes[lane].modify(index) { $0.isPinned = true }
    return ClaimSource(path: path(name), segment: lanes[lane].segments[index])
  }

  /// Removes records from the log as erased; returns every span of the segment without live records.
  ///
  /// Spans are not merged: an existing tombstone is never changed, so that no torn write undoes it.
  mutating func erase(
    _ name: SegmentName, _ waiting: [Run], _ claimed: [(claim: UInt64, taken: [Run], kept: [Run])]
  ) -> [Run] {
    let lane = Int(name.lane.rawValue)
    guard let index = lanes[lane].segments.index(of: name.number) else { return [] }
    var gone = waiting
    // Include records that left before: delivered events of the epoch are among them.
    let before = lanes[lane].segments[index].runs.filter { $0.owner == Run.gone }
    lanes[lane].modify(index) { segment in
      for (claim, taken, kept) in claimed {
        segment.release(claim: claim)
        for run in kept.joined(owner: claim) { segment.insert(run) }
        gone += taken
      }
      gone = gone.sorted { $0.lower < $1.lower }.joined(owner: Run.gone)
      for run in gone { segment.insert(run) }
    }
    ledger.add(.erased, gone.reduce(0) { $0 + $1.records })
    return before + gone
  }

  /// True if every segment file that the erasures concern is in the index.
  func isIndexWhole(for erasures: [Erasure]) -> Bool {
    guard let home, let names = try? home.segments(fileSystem) else { return false }
    return names.allSatisfy { name in
      !erasures.contains { $0.concerns(name) } || lanes[Int(name.lane.rawValue)].segments.index(of: name.number) != nil
    }
  }
}
