import TernEvents

extension LogState {
  /// Begins the erasure of a target's events that are in the log now: their segments get no further ones. They leave
  /// with `applyErasures`, once the erasure is saved.
  mutating func begin(_ target: ErasureTarget) {
    let found = lanes.indices.flatMap { lane in
      lanes[lane].segments.indices.filter { target.includes(lanes[lane].segments[$0].header.context) }
        .map { (lane, $0) }
    }
    if found.isEmpty, unread.isEmpty { return }
    erasures.removeAll { $0.target == target }
    erasures.append(Erasure(target: target, numbers: 0..<nextNumber))
    hasUnsavedErasures = true
    for (lane, index) in found { seal(lane, index) }
  }

  /// Takes the events of open erasures out of the log; their files go with the settled ones.
  mutating func applyErasures() {
    if erasures.isEmpty { return }
    for lane in lanes.indices {
      for index in lanes[lane].segments.indices {
        let segment = lanes[lane].segments[index]
        guard !segment.isSettled, erasures.contains(where: { $0.includes(segment.name, segment.header.context) }) else {
          continue
        }
        seal(lane, index)
        ledger.add(.erased, segment.records)
        lanes[lane].modify(index) { $0.clear() }
        settled.append(segment.name)
      }
    }
  }

  /// Ends the erasures that have no file left.
  mutating func endErasures() {
    let before = erasures.count
    erasures.removeAll(where: isComplete)
    if erasures.count < before { hasUnsavedErasures = true }
  }

  private func isComplete(_ erasure: Erasure) -> Bool {
    !unread.keys.contains(where: erasure.numbers.contains)
      && lanes.allSatisfy { lane in
        lane.segments.indices.allSatisfy { !erasure.includes(lane.segments[$0].name, lane.segments[$0].header.context) }
      }
  }

  /// Loads the erasures that an earlier process did not complete, before the first segment is loaded; false if their
  /// file cannot be read now.
  @discardableResult
  mutating func loadErasures() -> Bool {
    guard let home else { return false }
    let bound = unreadErasuresBelow ?? nextNumber
    do throws(FileError) {
      for erasure in try readErasures(of: home, below: bound) where !erasures.contains(erasure) {
        erasures.append(erasure)
      }
      // The segments may be gone already: later ones must not get their numbers.
      nextNumber = max(nextNumber, erasures.map(\.numbers.upperBound).max() ?? 0)
      unreadErasuresBelow = nil
      return true
    } catch {
      // The erasures may name higher numbers than those of the segments that are left, but not this much higher.
      if unreadErasuresBelow == nil { nextNumber = min(nextNumber + 1 << 32, SegmentName.highestNumber) }
      unreadErasuresBelow = bound
      return false
    }
  }

  /// Takes over the erasures of a dead process, with the numbers that its segments get here.
  ///
  /// They are saved here before the first segment moves: each segment is always in a directory that has its erasures.
  /// False if that fails; then the segments must stay where they are.
  mutating func takeOverErasures(of orphan: LogDirectory, _ names: [SegmentName]) -> Bool {
    guard let theirs = try? readErasures(of: orphan, below: .max) else { return false }
    let before = (erasures, hasUnsavedErasures)
    for erasure in theirs {
      let first = nextNumber + UInt64(names.count { $0.number < erasure.numbers.lowerBound })
      let count = names.count { erasure.numbers.contains($0.number) }
      if count > 0 { erasures.append(Erasure(target: erasure.target, numbers: first..<first + UInt64(count))) }
    }
    if erasures == before.0 || saveErasures() { return true }
    (erasures, hasUnsavedErasures) = before
    return false
  }

  /// Reads the erasures of a directory, which concern segments below a number.
  private func readErasures(of directory: LogDirectory, below bound: UInt64) throws(FileError) -> [Erasure] {
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
    if let erasures = ErasureFile.decode(UnsafeRawBufferPointer(rebasing: buffer[..<count])) { return erasures }
    // Any event may be one that had to be erased, and an erasure is a promise: none is kept.
    return LogContext.Part.allCases.map { Erasure(target: .part($0), numbers: 0..<bound) }
  }

  /// The content that brings the file up to date; `nil` while it cannot be read, as it may list other erasures.
  var erasureFile: FileReplacement? {
    guard let home, unreadErasuresBelow == nil else { return nil }
    return FileReplacement(path: home.path(ErasureFile.name), bytes: ErasureFile.encode(erasures), isFlushed: true)
  }

  /// Saves the open erasures, whole or not at all; false if they are not on the disk. Waits for the medium, so it is
  /// only for openings and adoptions.
  @discardableResult
  mutating func saveErasures() -> Bool {
    let isSaved = erasureFile?.write(fileSystem) ?? false
    hasUnsavedErasures = !isSaved
    return isSaved
  }
}
