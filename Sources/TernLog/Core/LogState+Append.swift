import TernEvents

extension LogState {
  /// Stores a record with one write, plus a new file when a segment begins.
  mutating func append(
    _ payload: UnsafeRawBufferPointer, _ header: RecordHeader, _ lane: Lane, _ context: LogContext,
    at uptimeMilliseconds: Int64
  ) -> AppendOutcome {
    guard isReady(at: uptimeMilliseconds) else { return drop(.storageFailed) }
    var index = openIndex(lane, context, for: header.recordBytes)
    if index == nil || diskBytes + header.recordBytes > maximumBytes {
      // Assume a new segment from here on, since making room may end the present one.
      let needed = header.recordBytes + SegmentHeader.size(of: context)
      guard needed + DropLedger.fileBytes <= maximumBytes else { return drop(.tooLarge) }
      if diskBytes + needed > maximumBytes {
        guard makeRoom(for: needed, lane) else { return drop(.queueFull) }
        index = openIndex(lane, context, for: header.recordBytes)
      }
    }
    do throws(FileError) {
      do throws(FileError) {
        try store(payload, header, lane, context, index)
      } catch {
        guard error.isFull, removeSettled() else { throw error }
        try store(payload, header, lane, context, openIndex(lane, context, for: header.recordBytes))
      }
      if lane == .critical, !readBackoffs.isEmpty { endWaits() }
      return stored()
    } catch {
      return drop(.storageFailed)
    }
  }

  /// The segment of this lane and context that is appended to, if a record of this size fits it.
  private func openIndex(_ lane: Lane, _ context: LogContext, for bytes: Int) -> Int? {
    guard let own = openSegments[Self.slot(lane, context)],
      let index = lanes[Int(lane.rawValue)].segments.index(of: own.number)
    else { return nil }
    let (_, end, _, ordinal) = lanes[Int(lane.rawValue)].segments[index].tail
    // In a small log the header alone may take most of a segment.
    let limit = max(segmentLimit, SegmentHeader.size(of: context) + (1 << 10))
    // Compared here: a method of the segment would copy it.
    return end + bytes <= limit && ordinal < configuration.segmentEvents
      && lanes[Int(lane.rawValue)].segments[index].header.context == context ? index : nil
  }

  private mutating func store(
    _ payload: UnsafeRawBufferPointer, _ header: RecordHeader, _ lane: Lane, _ context: LogContext, _ index: Int?
  ) throws(FileError) {
    if let index,
      let file = openSegments[Self.slot(lane, context)]?.file ?? reopen(lane, index)
    {
      return try extend(payload, header, lane, index, file)
    }
    if let own = openSegments[Self.slot(lane, context)],
      let index = lanes[Int(lane.rawValue)].segments.index(of: own.number)
    {
      seal(Int(lane.rawValue), index)
    }
    try begin(payload, header, lane, context)
  }

  /// Continues the segment that an earlier process of this boot began.
  private mutating func reopen(_ lane: Lane, _ index: Int) -> OpenFile? {
    let segment = lanes[Int(lane.rawValue)].segments[index]
    guard segment.header.bootID == configuration.bootID, segment.size == segment.end,
      let file = try? fileSystem.open(path(segment.name), .update)
    else { return nil }
    openSegments[Self.slot(lane, segment.header.context)]?.file = file
    return file
  }

  /// Appends to an open segment.
  private mutating func extend(
    _ payload: UnsafeRawBufferPointer, _ request: RecordHeader, _ lane: Lane, _ index: Int, _ file: OpenFile
  ) throws(FileError) {
    let lane = Int(lane.rawValue)
    let (number, end, salt, ordinal) = lanes[lane].segments[index].tail
    var header = request
    header.ordinal = ordinal
    do throws(FileError) {
      try write(payload, header, file, at: end, segment: nil, salt: salt)
    } catch {
      // If the torn bytes cannot be cut off now, a later record overwrites them.
      try? fileSystem.truncate(file, to: end)
      if !error.isFull { seal(lane, index) }
      throw error
    }
    lanes[lane].appended(index, recordBytes: header.recordBytes)
    lanes[lane].markUnsynced(number)
  }

  /// Begins a segment and writes its first record, with one write.
  private mutating func begin(
    _ payload: UnsafeRawBufferPointer, _ header: RecordHeader, _ lane: Lane, _ context: LogContext
  ) throws(FileError) {
    guard hasRoomForSegment(header.recordBytes) else { throw FileError.full(.write) }
    let (name, file) = try createSegment(lane)
    let segmentHeader = makeSegmentHeader(name, context, first: header)
    do throws(FileError) {
      try write(payload, header, file, at: segmentHeader.size, segment: segmentHeader, salt: segmentHeader.salt)
    } catch {
      fileSystem.close(file)
      try? fileSystem.remove(path(name))
      throw error
    }
    var segment = Segment(name: name, header: segmentHeader)
    segment.append(recordBytes: header.recordBytes)
    let lane = Int(lane.rawValue)
    lanes[lane].add(segment)
    openSegments[Self.slot(name.lane, context)] = OpenSegment(number: name.number, file: file)
    hasUnsyncedNames = true
  }

  /// False if the disk has less room than a segment takes.
  ///
  /// Some file systems accept writes that they store later, and lose those for which there is no room then.
  private func hasRoomForSegment(_ recordBytes: Int) -> Bool {
    guard let home, let free = fileSystem.freeBytes(home.path) else { return true }
    return free >= max(segmentLimit, recordBytes)
  }

  /// Creates a segment file, and its directory if that is gone.
  private mutating func createSegment(_ lane: Lane) throws(FileError) -> (SegmentName, OpenFile) {
    if let reused = reuseSpare(lane) { return reused }
    var failure = FileError.missing(.open)
    for _ in 0..<3 {
      let name = nextName(lane)
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
    let name = nextName(lane)
    guard (try? fileSystem.rename(home.path(spare), to: path(name))) != nil,
      let file = try? fileSystem.open(path(name), .update)
    else { return nil }
    return (name, file)
  }

  mutating func nextName(_ lane: Lane) -> SegmentName {
    defer { nextNumber += 1 }
    return SegmentName(number: nextNumber, lane: lane)
  }

  private func makeSegmentHeader(
    _ name: SegmentName, _ context: LogContext, first: RecordHeader
  ) -> SegmentHeader {
    let seed = UInt64(bitPattern: first.time.millisecondsSince1970) &+ first.uptimeMilliseconds << 24
    var generator = FastGenerator(seed: (seed ^ first.id.low) &+ name.number)
    return SegmentHeader(
      salt: UInt32(truncatingIfNeeded: generator.next()), created: first.time,
      createdUptimeMilliseconds: first.uptimeMilliseconds, bootID: configuration.bootID, lane: name.lane,
      context: context)
  }

  /// Writes a record with a single call, preceded by the segment's header if one is given.
  private func write(
    _ payload: UnsafeRawBufferPointer, _ header: RecordHeader, _ file: OpenFile, at offset: Int,
    segment: SegmentHeader?, salt: UInt32
  ) throws(FileError) {
    let prefix = segment?.size ?? 0
    let buffer = scratch.reserve(prefix + header.recordBytes)
    guard let start = buffer.baseAddress else { return }
    segment?.encode(to: start)
    header.encode(to: start + prefix, salt: salt, offset: offset)
    if let source = payload.baseAddress {
      (start + prefix + RecordHeader.size).copyMemory(from: source, byteCount: payload.count)
    }
    let written = try fileSystem.write(UnsafeRawBufferPointer(buffer), to: file, at: offset - prefix)
    scratch.trim(to: 16 << 10)
    if written != buffer.count { throw FileError.full(.write) }
  }
}

extension Segment {
  /// The values that an append needs.
  fileprivate var tail: (number: UInt64, end: Int, salt: UInt32, ordinal: Int) {
    (name.number, end, header.salt, nextOrdinal)
  }
}
