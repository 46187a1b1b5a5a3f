import TernEvents

/// How the records of one log are told apart when some have to go: by identity, and by what they are about.
///
/// Both are in the four bytes of a record's epoch: the highest bit marks errors, the rest counts identities.
package enum RecordEpoch {
  private static let errorBit: UInt32 = 1 << 31
  package static let identityMask: UInt32 = (1 << 30) - 1

  /// Erases everything but errors, whoever it belongs to.
  package static let allUsage = errorBit - 1
  /// Erases all errors.
  package static let allErrors = UInt32.max

  /// The epoch of a record of this identity.
  package static func of(identity: UInt32, isError: Bool) -> UInt32 {
    isError ? identity & identityMask | errorBit : identity & identityMask
  }

  /// Whether an erasure of `target` concerns a record of `epoch`; one of an identity concerns its errors, too.
  static func erasure(of target: UInt32, concerns epoch: UInt32) -> Bool {
    switch target {
    case allUsage: epoch & errorBit == 0
    case allErrors: epoch & errorBit != 0
    default: epoch & ~errorBit == target & ~errorBit
    }
  }
}

/// An identity epoch whose records have to go.
struct Erasure: Equatable {
  var epoch: UInt32
  /// Segments from this number on were begun later and are not concerned.
  var firstToKeep: UInt64

  func concerns(_ header: RecordHeader, in name: SegmentName) -> Bool {
    concerns(header.epoch, in: name)
  }

  func concerns(_ recorded: UInt32, in name: SegmentName) -> Bool {
    RecordEpoch.erasure(of: epoch, concerns: recorded) && name.number < firstToKeep
  }
}

/// The file that remembers erasures that are under way, so that the next launch ends what a crash interrupted.
enum ErasureFile {
  static let name = "erasing"
  /// "TERA" in the order of the bytes.
  private static let magic: UInt32 = 0x4152_4554
  private static let entryBytes = 12
  private static let headBytes = 12
  /// More are not kept: an app that erases an identity that often has long ended the first.
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
        target.put(erasure.firstToKeep, at: headBytes + index * entryBytes + 4)
      }
      target.put(check(UnsafeRawBufferPointer(buffer)), at: 4)
    }
    return bytes
  }

  /// Reads the file's bytes; empty when they do not check out.
  static func decode(_ bytes: UnsafeRawBufferPointer) -> [Erasure] {
    guard bytes.count >= headBytes, let source = bytes.baseAddress, source.get(UInt32.self, at: 0) == magic,
      source.get(UInt32.self, at: 4) == check(bytes)
    else { return [] }
    let count = min(Int(source.get(UInt32.self, at: 8)), (bytes.count - headBytes) / entryBytes)
    return (0..<count).map { index in
      Erasure(
        epoch: source.get(UInt32.self, at: headBytes + index * entryBytes),
        firstToKeep: source.get(UInt64.self, at: headBytes + index * entryBytes + 4))
    }
  }

  private static func check(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
    Checksum.of(UnsafeRawBufferPointer(rebasing: bytes[8...]))
  }
}

extension LogState {
  /// Notes an erasure for everything that is in the log now.
  mutating func beginErasure(of epoch: UInt32) {
    erasures.removeAll { $0.epoch == epoch }
    erasures.append(Erasure(epoch: epoch, firstToKeep: nextNumber))
  }

  /// What an earlier process did not come to the end of.
  mutating func loadErasures() {
    guard let home, let file = try? fileSystem.open(home.path(ErasureFile.name), .read) else { return }
    defer { fileSystem.close(file) }
    let buffer = scratch.reserve(ErasureFile.maximumBytes)
    guard let count = try? fileSystem.read(into: buffer, from: file, at: 0) else { return }
    erasures += ErasureFile.decode(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
  }

  /// Writes down what is under way, whole or not at all; best effort.
  func saveErasures() {
    guard let home else { return }
    let path = home.path(ErasureFile.name)
    if erasures.isEmpty {
      try? fileSystem.remove(path)
      return
    }
    _ = replace(path, with: ErasureFile.encode(erasures))
  }
}
