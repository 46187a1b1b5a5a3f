import TernEvents

/// The epoch of a record, which selects what is erased: the identity, and whether it is an error.
///
/// Both share four bytes: the highest bit marks errors, the rest counts identities.
package enum RecordEpoch {
  private static let errorBit: UInt32 = 1 << 31
  package static let identityMask: UInt32 = (1 << 30) - 1

  /// Erases everything but errors, of every identity.
  package static let allUsage = errorBit - 1
  /// Erases all errors, of every identity.
  package static let allErrors = UInt32.max

  /// The epoch of a record of this identity.
  package static func of(identity: UInt32, isError: Bool) -> UInt32 {
    isError ? identity & identityMask | errorBit : identity & identityMask
  }

  /// Returns true if an erasure of `target` concerns a record of `epoch`; that of an identity includes its errors.
  package static func erasure(of target: UInt32, concerns epoch: UInt32) -> Bool {
    switch target {
    case allUsage: epoch & errorBit == 0
    case allErrors: epoch & errorBit != 0
    default: epoch & ~errorBit == target & ~errorBit
    }
  }
}

/// An identity epoch whose records must be erased.
struct Erasure: Equatable {
  var epoch: UInt32
  /// Segments below this number were not in the log when the erasure began.
  var firstToErase: UInt64 = 0
  /// Segments from this number on were begun later and are kept.
  var firstToKeep: UInt64

  func concerns(_ name: SegmentName) -> Bool { firstToErase <= name.number && name.number < firstToKeep }

  func concerns(_ header: RecordHeader, in name: SegmentName) -> Bool { concerns(header.epoch, in: name) }

  func concerns(_ recorded: UInt32, in name: SegmentName) -> Bool {
    RecordEpoch.erasure(of: epoch, concerns: recorded) && concerns(name)
  }
}

/// The file of open erasures, so that the next launch completes one that a crash interrupted.
enum ErasureFile {
  static let name = "erasing"
  /// "TERA" in the order of the bytes.
  private static let magic: UInt32 = 0x4152_4554
  private static let entryBytes = 20
  private static let headBytes = 12
  /// Older entries are dropped: an app that erases this often has long completed the first.
  private static let maximumEntries = 80
  static let maximumBytes = headBytes + maximumEntries * entryBytes

  static func encode(_ erasures: [Erasure]) -> [UInt8] {
    let kept = erasures.suffix(maximumEntries)
    var bytes = [UInt8](repeating: 0, count: headBytes + kept.count * entryBytes)
    bytes.withUnsafeMutableBytes { buffer in
      guard let target = buffer.baseAddress else { return }
      target.put(magic, at: 0)
      target.put(UInt32(kept.count), at: 8)
      for (index, erasure) in kept.enumerated() {
        target.put(erasure.epoch, at: headBytes + index * entryBytes)
        target.put(erasure.firstToErase, at: headBytes + index * entryBytes + 4)
        target.put(erasure.firstToKeep, at: headBytes + index * entryBytes + 12)
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
    return (0..<count).map { index in
      Erasure(
        epoch: source.get(UInt32.self, at: headBytes + index * entryBytes),
        firstToErase: source.get(UInt64.self, at: headBytes + index * entryBytes + 4),
        firstToKeep: source.get(UInt64.self, at: headBytes + index * entryBytes + 12))
    }
  }

  private static func check(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
    Checksum.of(UnsafeRawBufferPointer(rebasing: bytes[8...]))
  }
}

extension LogState {
  /// Registers an erasure for all events that are in the log now.
  mutating func beginErasure(of epoch: UInt32) {
    erasures.removeAll { $0.epoch == epoch }
    erasures.append(Erasure(epoch: epoch, firstToKeep: nextNumber))
  }

  /// Loads the erasures that an earlier process did not complete.
  ///
  /// If the file cannot be read now, it is unknown which events must be erased: all present events are held back until
  /// it can be read (``holdBackUnreadErasures(at:)``).
  mutating func loadErasures() {
    guard let home else { return }
    do throws(FileError) {
      let stored = try readErasures(of: home)
      erasures += stored
      // The segments may be gone already: new segments must not get their numbers.
      nextNumber = max(nextNumber, stored.map(\.firstToKeep).max() ?? 0)
    } catch {
      nextNumber = min(nextNumber + Self.unreadGap, SegmentName.highestNumber)
      unreadErasures = nextNumber
    }
  }

  /// More segments than a log can begin and remove between an erasure and the next opening.
  private static let unreadGap: UInt64 = 1 << 32

  /// Retries reading the open erasures; true if that succeeds for the first time.
  mutating func readUnreadErasures() -> Bool {
    guard let limit = unreadErasures, let home, let stored = try? readErasures(of: home) else { return false }
    unreadErasures = nil
    for number in readBackoffs.keys where number < limit { endBackoff(number) }
    let begun = erasures.map(\.epoch)
    erasures += stored.filter { !begun.contains($0.epoch) }
    saveErasures()
    return true
  }

  /// Holds back events that may have to be erased, as if their segments could not be read.
  mutating func holdBackUnreadErasures(at uptime: Duration) {
    guard let limit = unreadErasures else { return }
    for lane in lanes.indices {
      for index in lanes[lane].segments.indices {
        let name = lanes[lane].segments[index].name
        if name.number < limit, !isBackingOff(name.number, at: uptime) { backOff(name, at: uptime, isOutOfFiles: true) }
      }
    }
  }

  /// Reads the open erasures of a directory.
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
    let erasures = ErasureFile.decode(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
    // No log writes numbers this large; counting on from them could overflow.
    return erasures.filter { $0.firstToErase <= $0.firstToKeep && $0.firstToKeep <= SegmentName.highestNumber }
  }

  /// Saves the open erasures, whole or not at all; best effort. False if they are not on the disk.
  @discardableResult
  func saveErasures() -> Bool {
    // Do not overwrite a file that could not be read.
    guard let home, unreadErasures == nil else { return false }
    let path = home.path(ErasureFile.name)
    if erasures.isEmpty { return (try? fileSystem.remove(path)) != nil }
    return replace(path, with: ErasureFile.encode(erasures))
  }

  /// Takes over the open erasures of a dead process, with the numbers that its segments get here.
  ///
  /// They are saved here before the first segment moves: whenever this process dies, each segment is in a directory
  /// that has its erasures. False if that fails; then the segments must stay where they are.
  mutating func takeOverErasures(of orphan: LogDirectory, _ names: [SegmentName]) -> Bool {
    guard let theirs = try? readErasures(of: orphan) else { return false }
    if theirs.isEmpty { return true }
    let before = erasures
    for erasure in theirs {
      // Segments move in the order of their numbers, so those to erase from stay contiguous.
      let skipped = names.count { $0.number < erasure.firstToErase }
      let concerned = names.count { erasure.concerns($0) }
      guard concerned > 0 else { continue }
      let first = nextNumber + UInt64(skipped)
      erasures.append(
        Erasure(epoch: erasure.epoch, firstToErase: first, firstToKeep: first + UInt64(concerned)))
    }
    if erasures == before || saveErasures() { return true }
    erasures = before
    return false
  }
}
