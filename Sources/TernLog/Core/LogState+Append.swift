import TernEvents

extension LogState {
  /// Stores a record with one write, plus a new file when a segment begins.
  mutating func append(_ payload: [UInt8], _ request: RecordHeader, uptime: Duration) -> AppendOutcome {
    guard isReady(at: uptime) else { return drop(.storageFailed) }
    let lane = Int(request.lane.rawValue)
    if !fits(request.recordBytes, lane) || !hasRoom(for: request.recordBytes) {
      // Assume a new segment from here on, since making room may end the present one.
      let needed = request.recordBytes + SegmentHeader.size
      guard needed + DropLedger.fileBytes <= maximumBytes else { return drop(.tooLarge) }
      guard hasRoom(for: needed) || makeRoom(for: needed, request.lane) else { return drop(.queueFull) }
    }
    do throws(FileError) {
      do throws(FileError) {
        try store(payload, request, lane)
      } catch {
        guard error.isFull, freeSettled() else { throw error }
        try store(payload, request, lane)
      }
      if request.lane == .critical { endWait(ofLast: lane) }
      return stored()
    } catch {
      return drop(.storageFailed)
    }
  }

  /// Removes the files of settled segments, including those that are appended to; true if there were any.
  ///
  /// The latter are kept while there is room, to save creating a file. On a full disk they would block the log for the
  /// life of the process.
  mutating func freeSettled() -> Bool {
    for lane in lanes.indices where lanes[lane].segments.last?.isSettled == true { seal(lane) }
    return removeSettled()
  }

  private func hasRoom(for bytes: Int) -> Bool {
    occupiedBytes + bytes <= occupiedLimit && diskBytes + bytes <= maximumBytes
  }

  /// True if a record of this size fits the lane's last segment.
  private func fits(_ bytes: Int, _ lane: Int) -> Bool {
    guard let index = lanes[lane].segments.lastIndex else { return false }
    let end = lanes[lane].segments[index].end
    return lanes[lane].segments[index].isOpenEnded && end + bytes <= segmentLimit
      && lanes[lane].segments[index].nextOrdinal < Int(UInt16.max)
  }

  private mutating func store(_ payload: [UInt8], _ request: RecordHeader, _ lane: Int) throws(FileError) {
    if fits(request.recordBytes, lane) {
      if lanes[lane].active != nil || reopenActive(lane) {
        return try extend(payload, request, lane)
      }
    }
    seal(lane)
    try begin(payload, request, lane)
  }

  /// Continues the segment that an earlier process of this boot began.
  private mutating func reopenActive(_ lane: Int) -> Bool {
    guard let segment = lanes[lane].segments.last, segment.header.bootID == configuration.bootID,
      segment.size == segment.end, let file = try? fileSystem.open(path(segment.name), .update)
    else { return false }
    lanes[lane].active = file
    return true
  }

  /// Appends to the lane's last segment.
  private mutating func extend(_ payload: [UInt8], _ request: RecordHeader, _ lane: Int) throws(FileError) {
    guard let file = lanes[lane].active, let index = lanes[lane].segments.lastIndex else { return }
    let end = lanes[lane].segments[index].end
    let salt = lanes[lane].segments[index].header.salt
    var header = request
    header.ordinal = lanes[lane].segments[index].nextOrdinal
    do throws(FileError) {
      try write(payload, header, file, at: end, segment: nil, salt: salt)
    } catch {
      // If the torn bytes cannot be cut off now, a later record overwrites them.
      try? fileSystem.truncate(file, to: end)
      if !error.isFull { seal(lane) }
      throw error
    }
    let number = lanes[lane].segments[index].name.number
    lanes[lane].appended(index, recordBytes: header.recordBytes, time: header.time)
    if lanes[lane].unsyncedFrom == nil { lanes[lane].unsyncedFrom = number }
  }

  /// Begins a segment and writes its first record, with one write.
  private mutating func begin(_ payload: [UInt8], _ request: RecordHeader, _ lane: Int) throws(FileError) {
    let (name, file) = try createSegment(request.lane)
    let segmentHeader = makeSegmentHeader(name, request)
    var header = request
    header.ordinal = 0
    do throws(FileError) {
      try write(payload, header, file, at: SegmentHeader.size, segment: segmentHeader, salt: segmentHeader.salt)
    } catch {
      fileSystem.close(file)
      try? fileSystem.remove(path(name))
      throw error
    }
    var segment = Segment(name: name, header: segmentHeader)
    segment.append(recordBytes: header.recordBytes, time: header.time)
    lanes[lane].add(segment)
    lanes[lane].active = file
    hasUnsyncedNames = true
    if lanes[lane].unsyncedFrom == nil { lanes[lane].unsyncedFrom = name.number }
  }

  /// Creates a segment file, and its directory if that is gone.
  private mutating func createSegment(_ lane: Lane) throws(FileError) -> (SegmentName, OpenFile) {
    if let reused = reuseSpare(lane) { return reused }
    var failure = FileError.missing(.open)
    for _ in 0..<3 {
      let name = SegmentName(number: nextNumber, lane: lane)
      nextNumber += 1
      do throws(FileError) {
        return (name, try fileSystem.open(path(name), .create))
      } catch {
        failure = error
        if error.isExisting { continue }
        guard error.isMissing, reattachIfLost() else { throw error }
      }
    }
    throw failure
  }

  private mutating func reuseSpare(_ lane: Lane) -> (SegmentName, OpenFile)? {
    guard let home, let spare = spares.take() else { return nil }
    let name = SegmentName(number: nextNumber, lane: lane)
    nextNumber += 1
    guard (try? fileSystem.rename(home.path(spare), to: path(name))) != nil,
      let file = try? fileSystem.open(path(name), .update)
    else { return nil }
    return (name, file)
  }

  func makeSegmentHeader(_ name: SegmentName, _ first: RecordHeader) -> SegmentHeader {
    let seed = UInt64(bitPattern: first.time.millisecondsSince1970) &+ first.uptimeMilliseconds << 24
    var generator = FastGenerator(seed: (seed ^ first.id.low) &+ name.number)
    return SegmentHeader(
      salt: UInt32(truncatingIfNeeded: generator.next()), created: first.time,
      createdUptimeMilliseconds: first.uptimeMilliseconds, bootID: configuration.bootID)
  }

  /// Writes a record with a single call, preceded by the segment's header if one is given.
  private func write(
    _ payload: [UInt8], _ header: RecordHeader, _ file: OpenFile, at offset: Int, segment: SegmentHeader?, salt: UInt32
  ) throws(FileError) {
    let prefix = segment == nil ? 0 : SegmentHeader.size
    let buffer = scratch.reserve(prefix + header.recordBytes)
    guard let start = buffer.baseAddress else { return }
    segment?.encode(to: start)
    header.encode(to: start + prefix, salt: salt, offset: offset)
    payload.withUnsafeBytes { bytes in
      guard let source = bytes.baseAddress else { return }
      (start + prefix + RecordHeader.size).copyMemory(from: source, byteCount: bytes.count)
    }
    let written = try fileSystem.write(UnsafeRawBufferPointer(buffer), to: file, at: offset - prefix)
    scratch.trim(to: 16 << 10)
    if written != buffer.count { throw FileError.full(.write) }
  }
}
