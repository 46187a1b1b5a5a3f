import TernEvents

/// An erasure of the segments that had these numbers when it began.
struct Erasure: Equatable {
  var target: ErasureTarget
  var numbers: Range<UInt64>

  func includes(_ name: SegmentName, _ context: LogContext) -> Bool {
    numbers.contains(name.number) && target.includes(context)
  }
}

/// The file of open erasures, with which the next launch completes one that the end of the process interrupted.
enum ErasureFile {
  static let name = "erasing"
  /// "TERA" in the order of the bytes.
  private static let magic: UInt32 = 0x4152_4554
  private static let headBytes = 12
  private static let entryBytes = 24
  /// Older entries are dropped: an app that erases this often has long completed the first.
  private static let maximumEntries = 80
  static let maximumBytes = bytes(maximumEntries)

  static func bytes(_ entries: Int) -> Int { entries == 0 ? 0 : headBytes + min(entries, maximumEntries) * entryBytes }

  static func encode(_ erasures: [Erasure]) -> [UInt8] {
    let kept = erasures.suffix(maximumEntries)
    var bytes = [UInt8](repeating: 0, count: bytes(kept.count))
    bytes.withUnsafeMutableBytes { buffer in
      guard let target = buffer.baseAddress else { return }
      target.put(magic, at: 0)
      target.put(UInt32(kept.count), at: 8)
      for (index, erasure) in kept.enumerated() {
        let entry = target + headBytes + index * entryBytes
        switch erasure.target {
        case .identity(let number): entry.put(UInt64(number), at: 0)
        case .part(let part): entry.put(1 << 32 | UInt64(part.rawValue), at: 0)
        }
        entry.put(erasure.numbers.lowerBound, at: 8)
        entry.put(erasure.numbers.upperBound, at: 16)
      }
      target.put(check(UnsafeRawBufferPointer(buffer)), at: 4)
    }
    return bytes
  }

  /// Reads the file's bytes; empty if the check is wrong.
  static func decode(_ bytes: UnsafeRawBufferPointer) -> [Erasure] {
    guard bytes.count >= headBytes, let source = bytes.baseAddress, source.get(UInt32.self, at: 0) == magic,
      source.get(UInt32.self, at: 4) == check(bytes)
    else { return [] }
    let count = min(Int(source.get(UInt32.self, at: 8)), (bytes.count - headBytes) / entryBytes)
    return (0..<count).compactMap { index in
      let entry = source + headBytes + index * entryBytes
      let code = entry.get(UInt64.self, at: 0)
      let (first, end) = (entry.get(UInt64.self, at: 8), entry.get(UInt64.self, at: 16))
      let part = LogContext.Part(rawValue: UInt8(truncatingIfNeeded: code))
      // No log writes numbers this large; counting on from them could overflow.
      guard first <= end, end <= SegmentName.highestNumber,
        let target = code >> 32 == 0 ? .identity(UInt32(truncatingIfNeeded: code)) : part.map(ErasureTarget.part)
      else { return nil }
      return Erasure(target: target, numbers: first..<end)
    }
  }

  private static func check(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
    Checksum.of(UnsafeRawBufferPointer(rebasing: bytes[8...]))
  }
}

extension LogState {
  /// Takes the events of a target that are in the log now out of it; their files go with the settled ones.
  ///
  /// The erasure is saved first: if the process ends before the last file is gone, the next one removes the rest.
  mutating func begin(_ target: ErasureTarget) {
    let found = lanes.indices.flatMap { lane in
      lanes[lane].segments.indices.filter { target.includes(lanes[lane].segments[$0].header.context) }
        .map { (lane, $0) }
    }
    if found.isEmpty, unread.isEmpty { return }
    erasures.removeAll { $0.target == target }
    erasures.append(Erasure(target: target, numbers: 0..<nextNumber))
    saveErasures()
    for (lane, index) in found where !lanes[lane].segments[index].isSettled {
      seal(lane, index)
      ledger.add(.erased, lanes[lane].segments[index].records)
      lanes[lane].modify(index) { $0.clear() }
      settled.append(lanes[lane].segments[index].name)
    }
  }

  /// Ends the erasures of which no file is left; true if that includes all of `target`.
  @discardableResult
  mutating func endErasures(of target: ErasureTarget? = nil) -> Bool {
    let before = erasures.count
    erasures.removeAll(where: isComplete)
    if erasures.count < before { saveErasures() }
    return !erasures.contains { $0.target == target }
  }

  private func isComplete(_ erasure: Erasure) -> Bool {
    !unread.keys.contains(where: erasure.numbers.contains)
      && lanes.allSatisfy { lane in
        lane.segments.indices.allSatisfy { !erasure.includes(lane.segments[$0].name, lane.segments[$0].header.context) }
      }
  }

  /// Loads the erasures that an earlier process did not complete, before the first segment is loaded.
  mutating func loadErasures() {
    guard let home else { return }
    do throws(FileError) {
      for erasure in try readErasures(of: home) where !erasures.contains(erasure) { erasures.append(erasure) }
      // The segments may be gone already: later ones must not get their numbers.
      nextNumber = max(nextNumber, erasures.map(\.numbers.upperBound).max() ?? 0)
    } catch {
      // A later opening completes them. Later events must not go into segments that they may concern: their numbers
      // are unknown, but no log uses up so many in between.
      continuesSegments = false
      nextNumber = min(nextNumber + 1 << 32, SegmentName.highestNumber)
    }
  }

  /// Takes over the erasures of a dead process, with the numbers that its segments get here.
  ///
  /// They are saved here before the first segment moves: each segment is always in a directory that has its erasures.
  /// False if that fails; then the segments must stay where they are.
  mutating func takeOverErasures(of orphan: LogDirectory, _ names: [SegmentName]) -> Bool {
    guard let theirs = try? readErasures(of: orphan) else { return false }
    let before = erasures
    for erasure in theirs {
      let first = nextNumber + UInt64(names.count { $0.number < erasure.numbers.lowerBound })
      let count = names.count { erasure.numbers.contains($0.number) }
      if count > 0 { erasures.append(Erasure(target: erasure.target, numbers: first..<first + UInt64(count))) }
    }
    if erasures == before || saveErasures() { return true }
    erasures = before
    return false
  }

  private func readErasures(of directory: LogDirectory) throws(FileError) -> [Erasure] {
    let file: OpenFile
    do throws(FileError) {
      file = try fileSystem.open(directory.path(ErasureFile.name), .read)
    } catch {
      if error.isMissing || error.isIrregular { return [] }
      throw error
    }
    defer { fileSystem.close(file) }
    let buffer = scratch.reserve(ErasureFile.maximumBytes)
    let count = try fileSystem.read(into: buffer, from: file, at: 0)
    return ErasureFile.decode(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
  }

  /// Saves the open erasures, whole or not at all; false if they are not on the disk.
  @discardableResult
  private func saveErasures() -> Bool {
    guard let home else { return false }
    let path = home.path(ErasureFile.name)
    if erasures.isEmpty { return (try? fileSystem.remove(path)) != nil }
    return replace(path, with: ErasureFile.encode(erasures))
  }
}
