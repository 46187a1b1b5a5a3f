import TernBase
import TernEvents

extension LogState {
  /// The bytes of a segment whose file lost its name while it was open.
  struct Rescued {
    var name: SegmentName
    var bytes: [UInt8]
  }

  /// Locks a directory, loads its segments, and adopts the logs of dead processes.
  mutating func attach(rescued: [Rescued] = []) throws(FileError) {
    let directory = try LogDirectory.acquire(in: configuration.directory, fileSystem)
    home = directory
    do throws(FileError) {
      for file in rescued { write(file) }
      let found = try tidiedSegments()
      var names = found.filter { !$0.isStray }
      nextNumber = max(nextNumber, (names.last?.number ?? 0) &+ 1)
      names += found.filter(\.isStray).compactMap { renumber($0, from: path($0)) }
      loadErasures()
      loadLedger()
      loadAgeClock()
      load(names + moveOrphanedSegments())
      for target in pendingErasures { begin(target) }
      pendingErasures = []
      if hasUnsavedErasures { saveErasures() }
      applyErasures()
      _ = removeSettled()
      endErasures()
      if hasUnsavedErasures { saveErasures() }
      saveAgeClock()
      lastCheck = clock.uptime.wholeMilliseconds
      recountTracked()
    } catch {
      closeFiles()
      throw error
    }
  }

  /// Attaches for the first time; false if that was done, or if the log is closed.
  mutating func open() throws(LogError) -> Bool {
    guard !isClosed, !looksForHome else { return false }
    do throws(FileError) {
      try attach()
    } catch {
      throw LogError(
        code: .directoryUnavailable,
        message: "The queue directory \(configuration.directory) cannot be used; check that it can be written.",
        cause: error)
    }
    looksForHome = true
    return true
  }

  /// Adopts the logs of processes that died since this log was opened.
  mutating func adoptOrphans() {
    guard let home else { return }
    adopt(LogDirectory.orphans(in: configuration.directory, besides: home, fileSystem))
  }

  /// Adopts the segments in these directories of dead processes, and unlocks them.
  mutating func adopt(_ orphans: [LogDirectory]) {
    load(moveSegments(of: orphans))
    recountTracked()
  }

  /// Moves the segments of every directory of a dead process here.
  private mutating func moveOrphanedSegments() -> [SegmentName] {
    guard let home else { return [] }
    return moveSegments(of: LogDirectory.orphans(in: configuration.directory, besides: home, fileSystem))
  }

  private mutating func moveSegments(of orphans: [LogDirectory]) -> [SegmentName] {
    var names: [SegmentName] = []
    for orphan in orphans {
      names += moveSegments(of: orphan)
      fileSystem.close(orphan.lock)
    }
    return names
  }

  private mutating func load(_ names: [SegmentName]) {
    // Until the erasures are known, no event is handed out that may have been erased.
    guard unreadErasuresBelow == nil || loadErasures() else {
      for name in names { leaveUnread(name, bytes: size(of: path(name))) }
      return
    }
    let buffer = ScratchBuffer(capacity: configuration.segmentBytes + 1024)
    let ages = names.compactMap { load($0, buffer) }
    applyErasures()
    expire(ages)
    if !names.isEmpty { hasUnsyncedNames = true }
  }

  /// Retries the unread segments that are due.
  mutating func loadUnread(at uptime: Duration) {
    let due = unread.values.filter { $0.until <= uptime }.map(\.name).sorted { $0.number < $1.number }
    guard home != nil, !due.isEmpty else { return }
    load(due)
    recountTracked()
  }

  /// Lists the segments of the own directory, and removes the remains of interrupted replacements.
  private mutating func tidiedSegments() throws(FileError) -> [SegmentName] {
    guard let home else { return [] }
    var names: [SegmentName] = []
    for text in try fileSystem.list(home.path) {
      if let name = SegmentName(text) {
        names.append(name)
      } else if text.hasPrefix(SparePool.prefix) {
        // After power loss it may have its old content.
        if size(of: home.path(text)) > 0 || !spares.adopt(text) { try? fileSystem.remove(home.path(text)) }
      } else if text.hasSuffix(FileReplacement.temporarySuffix) {
        try? fileSystem.remove(home.path(text))
      } else if text.hasSuffix(SegmentName.unreadableSuffix) {
        countQuarantined(size(of: home.path(text)))
      }
    }
    return names.sorted { $0.number < $1.number }
  }

  private func size(of path: String) -> Int {
    guard let file = try? fileSystem.open(path, .read) else { return 0 }
    defer { fileSystem.close(file) }
    return (try? fileSystem.status(file).size) ?? 0
  }

  /// Moves the segments of a dead process's directory here, each by one rename: a crash leaves it there or here.
  private mutating func moveSegments(of orphan: LogDirectory) -> [SegmentName] {
    // A directory that cannot be listed, or whose erasures cannot be taken over, stays as it is.
    guard let names = try? orphan.segments(fileSystem), takeOverErasures(of: orphan, names) else { return [] }
    let adopted = names.compactMap { renumber($0, from: orphan.path($0.text)) }
    if adopted.count == names.count { try? fileSystem.remove(orphan.path(ErasureFile.name)) }
    takeOverLedger(of: orphan)
    return adopted
  }

  /// Adds the counts of a dead process to this log's.
  private mutating func takeOverLedger(of orphan: LogDirectory) {
    guard let drops = try? readLedger(of: orphan), !drops.counts.isEmpty || drops.delivered > 0 else { return }
    let before = ledger
    ledger.add(drops)
    // Saved here before they are removed there: a crash in between counts them twice rather than not at all. If that
    // fails they stay there, and are added at the next attempt.
    saveLedger()
    guard !ledger.isDirty else { return ledger = before }
    try? fileSystem.remove(orphan.path(DropLedger.fileName))
  }

  /// Gives a segment file the next number here; `nil` if it cannot be renamed and stays for the next launch.
  private mutating func renumber(_ name: SegmentName, from path: String) -> SegmentName? {
    let newName = nextName(name.lane)
    return (try? fileSystem.rename(path, to: self.path(newName))) == nil ? nil : newName
  }

  /// Counts a quarantined file. Its size can be anything, so the sum is bounded.
  mutating func countQuarantined(_ size: Int) {
    let bound = Int.max / 4
    quarantinedBytes = min(quarantinedBytes, bound) + min(size, bound)
  }

  /// Reads one segment file into the index; returns its age, unless it is empty.
  private mutating func load(_ name: SegmentName, _ buffer: ScratchBuffer) -> SegmentAge? {
    // A file that cannot be opened now (out of descriptors, say) stays where it is, and is retried.
    guard let file = openToLoad(name) else { return nil }
    defer { fileSystem.close(file) }
    guard let size = try? fileSystem.status(file).size else {
      leaveUnread(name)
      return nil
    }
    // A file without a whole header holds no record.
    guard size >= SegmentHeader.minimumSize else {
      endUnread(name)
      try? fileSystem.remove(path(name))
      return nil
    }
    guard size <= 4 << 20 else {
      endUnread(name)
      quarantine(name, size)
      return nil
    }
    let memory = buffer.reserve(size)
    guard let count = try? fileSystem.read(into: memory, from: file, at: 0), count == size else {
      leaveUnread(name, bytes: size)
      return nil
    }
    endUnread(name)
    let bytes = UnsafeRawBufferPointer(rebasing: memory[..<count])
    guard let header = SegmentHeader(bytes) else {
      quarantine(name, size)
      return nil
    }
    var scan = SegmentScan(name, header, SegmentReader(bytes: bytes, base: 0, salt: header.salt))
    ledger.add(.damaged, scan.damaged)
    for run in scan.damagedRuns {
      PendingVoid(segment: scan.segment, path: path(name), run: run).write(to: file, fileSystem)
    }
    if scan.hasTornTail, (try? fileSystem.truncate(file, to: scan.segment.end)) != nil {
      scan.segment.size = scan.segment.end
    }
    if scan.segment.isSettled, (try? fileSystem.remove(path(name))) != nil { return nil }
    keepOpen(&scan.segment)
    if scan.segment.isSettled { settled.append(name) }
    // What an earlier boot left was read from the medium; an earlier process of this boot may not have flushed it.
    let isOnMedium = isBootKnown && header.bootID != configuration.bootID
    lanes[Int(name.lane.rawValue)].add(scan.segment, isOnMedium: isOnMedium)
    return scan.age
  }

  /// Continues a segment of this boot, the last one of its lane and part, if its end is intact.
  private mutating func keepOpen(_ segment: inout Segment) {
    let slot = Self.slot(segment.name.lane, segment.header.context)
    guard segment.isOpenEnded, !segment.isSettled, segment.header.bootID == configuration.bootID,
      segment.name.lane == segment.header.lane,
      openSegments[slot].map({ $0.file == nil && $0.number < segment.name.number }) ?? true
    else {
      segment.isOpenEnded = false
      return
    }
    let lane = Int(segment.name.lane.rawValue)
    if let previous = openSegments[slot], let index = lanes[lane].segments.index(of: previous.number) {
      seal(lane, index)
    }
    openSegments[slot] = OpenSegment(number: segment.name.number)
  }

  /// Renames a segment that is beyond repair, so that it is kept but not read again.
  mutating func quarantine(_ name: SegmentName, _ size: Int) {
    guard (try? fileSystem.rename(path(name), to: path(name) + SegmentName.unreadableSuffix)) != nil else { return }
    countQuarantined(size)
    ledger.add(.damaged, 1)
  }

  mutating func write(_ rescued: Rescued) {
    // Its file still exists if only the lock was removed.
    guard let file = try? fileSystem.open(path(rescued.name), .create) else { return }
    rescued.bytes.withUnsafeBytes { _ = try? fileSystem.write($0, to: file, at: 0) }
    fileSystem.close(file)
    lanes[Int(rescued.name.lane.rawValue)].markUnsynced(rescued.name.number)
    hasUnsyncedNames = true
  }
}
