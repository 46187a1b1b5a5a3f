import TernEvents

extension LogState {
  /// Evicts segments so that a new event fits: the oldest of the lowest priority, none of a higher one.
  mutating func makeRoom(for bytes: Int, _ lane: Lane) -> Bool {
    let allowed = lane == .critical ? [0, 1] : [0]
    // Evicting too little would lose events for nothing.
    guard canFree(bytes, allowed) else { return false }
    while diskBytes + bytes > maximumBytes {
      guard removeSettled() || evictOldest(allowed) else { return false }
    }
    return true
  }

  /// The bytes of files that can be removed for an event; those of open claims must stay.
  func freeableBytes(_ allowed: [Int]) -> Int {
    var bytes = 0
    for lane in lanes.indices {
      for index in lanes[lane].segments.indices {
        let segment = lanes[lane].segments[index]
        if segment.isFree, allowed.contains(lane) || segment.isSettled { bytes += segment.size }
      }
    }
    return bytes
  }

  private func canFree(_ bytes: Int, _ allowed: [Int]) -> Bool {
    diskBytes + bytes - freeableBytes(allowed) <= maximumBytes
  }

  /// Takes one step towards a lowered limit; false if no further step is possible or necessary.
  mutating func shrinkStep() -> Bool {
    diskBytes > maximumBytes && (removeSettled() || evictOldest([0, 1]))
  }

  /// Drops the oldest segment that no claim holds; true if its file is gone.
  private mutating func evictOldest(_ allowed: [Int]) -> Bool {
    for lane in allowed {
      guard let index = lanes[lane].firstEvictable else { continue }
      ledger.add(.queueFull, lanes[lane].segments[index].records)
      return removeFile(lane, index)
    }
    return false
  }

  /// Removes a segment and its file; true if the file is gone.
  @discardableResult
  mutating func removeFile(_ lane: Int, _ index: Int) -> Bool {
    seal(lane, index)
    let name = lanes[lane].segments[index].name
    let spare = spares.reserve()
    do throws(FileError) {
      let isKept = try fileSystem.retire(path(name), keepAs: spare.flatMap { home?.path($0) })
      if let spare { spares.finish(spare, isInPlace: isKept) }
    } catch {
      if let spare { spares.finish(spare, isInPlace: false) }
      guard error.isMissing else {
        keepRefused(lane, index)
        return false
      }
    }
    endBackoff(name.number)
    lanes[lane].remove(at: index)
    return true
  }

  /// Settles a segment whose file could not be removed; removal is retried later.
  private mutating func keepRefused(_ lane: Int, _ index: Int) {
    let segment = lanes[lane].segments[index]
    lanes[lane].modify(index) { $0.clear() }
    if !settled.contains(segment.name) { settled.append(segment.name) }
    PendingVoid(segment: segment, path: path(segment.name), run: segment.everything).write(fileSystem)
  }

  /// Removes the files of settled segments; true if at least one is gone.
  mutating func removeSettled() -> Bool {
    let names = settled
    settled = []
    var isAnyGone = false
    for name in names {
      guard let (lane, index) = place(of: name) else { continue }
      guard lanes[lane].segments[index].isFree else {
        settled.append(name)
        continue
      }
      if removeFile(lane, index) { isAnyGone = true }
    }
    return isAnyGone
  }
}

/// A run of records that have left the log, to be marked in its file: a process that opens the file skips it.
struct PendingVoid {
  let path: String
  private let salt: UInt32
  private let run: RecordRun

  init(segment: Segment, path: String, run: RecordRun) {
    self.path = path
    salt = segment.header.salt
    self.run = run
  }

  /// Writes the header that voids the run. If that fails, the records come back with the next process.
  func write(_ fileSystem: any FileSystem) {
    guard let file = try? fileSystem.open(path, .update) else { return }
    write(to: file, fileSystem)
    fileSystem.close(file)
  }

  func write(to file: OpenFile, _ fileSystem: any FileSystem) {
    guard run.upper - run.lower >= RecordHeader.size else { return }
    withUnsafeTemporaryAllocation(byteCount: RecordHeader.size, alignment: 8) { buffer in
      guard let start = buffer.baseAddress else { return }
      RecordHeader(voiding: run).encode(to: start, salt: salt, offset: run.lower)
      _ = try? fileSystem.write(UnsafeRawBufferPointer(buffer), to: file, at: run.lower)
    }
  }
}
