import TernEvents

/// The position of event-by-event eviction in a segment, whose records are read once.
struct EvictionCursor {
  let name: SegmentName
  let file: OpenFile
  /// Its waiting records, in reverse order; damaged ones are marked.
  var items: [(run: Run, isDamaged: Bool)]
}

extension LogState {
  /// Evicts events so that a new one fits: the oldest of the lowest priority, none of a higher one.
  mutating func makeRoom(for bytes: Int, _ lane: Lane) -> Bool {
    let allowed = lane == .critical ? [0, 1] : [0]
    let evictable = allowed.reduce(0) { $0 + lanes[$1].evictableBytes }
    let isAlone = lanes[0].waiting + lanes[0].claimed + lanes[1].waiting + lanes[1].claimed == 0
    let limit = isAlone || occupiedBytes - evictable <= fixedBytes ? maximumBytes : occupiedLimit
    // Evicting too little would lose events for nothing.
    guard occupiedBytes - evictable + bytes <= limit, canFree(bytes, allowed) else { return false }
    while occupiedBytes + bytes > occupiedLimit, evictOldest(allowed) {}
    while diskBytes + bytes > maximumBytes {
      if freeSettled() || compactOne(atLeast: bytes) { continue }
      guard dropOldestSegment(allowed) else { return false }
    }
    return true
  }

  /// True if enough files can be removed or compacted for these bytes.
  ///
  /// Files of open claims must stay, even if they also hold evictable events.
  private func canFree(_ bytes: Int, _ allowed: [Int]) -> Bool {
    var excess = diskBytes + bytes - maximumBytes
    for lane in lanes.indices {
      for index in lanes[lane].segments.indices {
        if excess <= 0 { return true }
        let segment = lanes[lane].segments[index]
        guard segment.isFree else { continue }
        if allowed.contains(lane) || segment.isSettled {
          excess -= segment.size
        } else if segment.deadBytes >= bytes {
          excess -= segment.deadBytes
        }
      }
    }
    return excess <= 0
  }

  /// Takes one step towards a lowered limit; false if no further step is possible or necessary.
  mutating func shrinkStep() -> Bool {
    let excess = occupiedBytes - occupiedLimit
    if excess > 0 {
      for lane in [0, 1] {
        guard let index = lanes[lane].firstEvictable else { continue }
        if lanes[lane].segments[index].waitingBytes <= excess { return dropSegment(lane, index) }
        break
      }
      if evictOldest([0, 1]) { return true }
    }
    if diskBytes <= maximumBytes { return false }
    return removeSettled() || compactOne(atLeast: 1)
  }

  /// Evicts one event and writes its tombstone, so that it does not come back after a restart.
  private mutating func evictOldest(_ allowed: [Int]) -> Bool {
    for lane in allowed {
      guard let index = lanes[lane].firstEvictable else { continue }
      let name = lanes[lane].segments[index].name
      if evictionCursor?.name != name { openEvictionCursor(lane, index) }
      guard let file = evictionCursor?.file, let item = evictionCursor?.items.popLast() else {
        // Its file cannot be read: drop the whole segment or nothing.
        return dropSegment(lane, index)
      }
      ledger.add(item.isDamaged ? .damaged : .queueFull, item.run.records)
      let run = lanes[lane].modify(index) { $0.insert(item.run) }
      if lanes[lane].segments[index].isSettled {
        closeEvictionCursor()
        removeFile(lane, index)
      } else {
        pendingTombstone(run, lanes[lane].segments[index]).write(to: file, fileSystem)
      }
      return true
    }
    return false
  }

  private mutating func openEvictionCursor(_ lane: Int, _ index: Int) {
    closeEvictionCursor()
    if index == lanes[lane].segments.lastIndex { seal(lane) }
    let segment = lanes[lane].segments[index]
    guard let file = try? fileSystem.open(path(segment.name), .update) else { return }
    var items: [(run: Run, isDamaged: Bool)] = []
    guard
      withItems(
        of: segment, file,
        { item, _ in
          switch item {
          case .record(_, let run): items.append((run, false))
          case .damaged(let run): items.append((run, true))
          }
        })
    else { return fileSystem.close(file) }
    items.reverse()
    evictionCursor = EvictionCursor(name: segment.name, file: file, items: items)
  }

  mutating func closeEvictionCursor() {
    if let evictionCursor { fileSystem.close(evictionCursor.file) }
    evictionCursor = nil
  }

  /// Calls `body` with each waiting record of a segment; false if the file cannot be read.
  private func withItems(
    of segment: Segment, _ file: OpenFile, _ body: (WaitingWalker.Item, SegmentReader) -> Void
  ) -> Bool {
    let buffer = scratch.reserve(segment.end)
    defer { scratch.trim(to: 16 << 10) }
    guard let count = try? fileSystem.read(into: buffer, from: file, at: 0), count == segment.end else { return false }
    let reader = SegmentReader(bytes: UnsafeRawBufferPointer(buffer), base: 0, salt: segment.header.salt)
    var walker = WaitingWalker(segment, reader)
    while let item = walker.peek() {
      body(item, reader)
      walker.take(item)
    }
    return true
  }

  /// Drops the oldest segment that no claim holds, with all its waiting events.
  private mutating func dropOldestSegment(_ allowed: [Int]) -> Bool {
    for lane in allowed {
      if let index = lanes[lane].firstEvictable { return dropSegment(lane, index) }
    }
    return false
  }

  private mutating func dropSegment(_ lane: Int, _ index: Int) -> Bool {
    ledger.add(.queueFull, lanes[lane].segments[index].waiting)
    return removeFile(lane, index)
  }

  /// Removes a segment and its file; true if the file is gone.
  @discardableResult
  mutating func removeFile(_ lane: Int, _ index: Int) -> Bool {
    let segment = lanes[lane].segments[index]
    if segment.name == evictionCursor?.name { closeEvictionCursor() }
    if index == lanes[lane].segments.lastIndex { seal(lane) }
    let spare = spares.reserve()
    do throws(FileError) {
      let isKept = try fileSystem.retire(path(segment.name), keepAs: spare.flatMap { home?.path($0) })
      if let spare { spares.finish(spare, isInPlace: isKept) }
    } catch {
      if let spare { spares.finish(spare, isInPlace: false) }
      guard error.isMissing else {
        keepRefused(lane, index)
        return false
      }
    }
    endBackoff(segment.name.number)
    lanes[lane].remove(at: index)
    return true
  }

  /// Settles a segment whose file could not be removed; removal is retried later.
  private mutating func keepRefused(_ lane: Int, _ index: Int) {
    let name = lanes[lane].segments[index].name
    lanes[lane].modify(index) { $0.clear() }
    if !settled.contains(name) { settled.append(name) }
    guard let file = try? fileSystem.open(path(name), .update) else { return }
    let segment = lanes[lane].segments[index]
    let everything = Run(
      lower: SegmentHeader.size, upper: segment.end, firstOrdinal: 0, endOrdinal: segment.nextOrdinal, owner: Run.gone)
    pendingTombstone(everything, segment).write(to: file, fileSystem)
    fileSystem.close(file)
  }

  private func pendingTombstone(_ run: Run, _ segment: Segment) -> PendingTombstone {
    PendingTombstone(name: segment.name, header: segment.header, path: path(segment.name), run: run)
  }

  /// Removes the files of settled segments; true if at least one is gone.
  mutating func removeSettled() -> Bool {
    let names = settled
    settled = []
    var isAnyGone = false
    for name in names {
      let lane = Int(name.lane.rawValue)
      guard let index = lanes[lane].segments.index(of: name.number) else { continue }
      guard lanes[lane].segments[index].isFree else {
        settled.append(name)
        continue
      }
      if removeFile(lane, index) { isAnyGone = true }
    }
    return isAnyGone
  }

  /// Compacts the oldest segment with enough dead bytes; true if there was one.
  mutating func compactOne(atLeast bytes: Int) -> Bool {
    for lane in [0, 1] {
      if let index = lanes[lane].firstCompactable(atLeast: bytes), compact(lane, index) { return true }
    }
    return false
  }

  private mutating func compact(_ lane: Int, _ index: Int) -> Bool {
    if index == lanes[lane].segments.lastIndex { seal(lane) }
    let old = lanes[lane].segments[index]
    if old.name == evictionCursor?.name { closeEvictionCursor() }
    guard let source = try? fileSystem.open(path(old.name), .update) else { return false }
    defer { fileSystem.close(source) }
    var writer = SegmentWriter(copyOf: old)
    guard withItems(of: old, source, { writer.add($0, from: $1) }) else { return false }
    guard replace(path(old.name), with: writer.bytes) else { return false }
    ledger.add(.damaged, writer.damaged)
    lanes[lane].replace(index, with: writer.segment)
    // The next flush includes it; a caller of `append` must not wait for one here.
    lanes[lane].unsyncedFrom = min(lanes[lane].unsyncedFrom ?? old.name.number, old.name.number)
    hasUnsyncedNames = true
    if writer.segment.isSettled { settled.append(old.name) }
    return true
  }

  /// Replaces a file's content, whole or not at all.
  func replace(_ path: String, with bytes: [UInt8]) -> Bool {
    let temporary = path + SegmentName.temporarySuffix
    do throws(FileError) {
      try? fileSystem.remove(temporary)
      let file = try fileSystem.open(temporary, .create)
      defer { fileSystem.close(file) }
      let written = bytes.withUnsafeBytes { try? fileSystem.write($0, to: file, at: 0) }
      guard written == bytes.count else { throw FileError.full(.write) }
      try fileSystem.rename(temporary, to: path)
      return true
    } catch {
      try? fileSystem.remove(temporary)
      return false
    }
  }
}
