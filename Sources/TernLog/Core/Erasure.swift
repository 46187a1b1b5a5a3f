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

  static func bytes(_ entries: Int) -> Int { entries == 0 ? 0 : 2 * copyBytes(min(entries, maximumEntries)) }

  private static func copyBytes(_ entries: Int) -> Int { headBytes + entries * entryBytes }

  /// Two copies of the list, so that one damaged byte does not cost it; nothing for an empty one.
  static func encode(_ erasures: [Erasure]) -> [UInt8] {
    if erasures.isEmpty { return [] }
    let kept = erasures.suffix(maximumEntries)
    var bytes = [UInt8](repeating: 0, count: copyBytes(kept.count))
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
    return bytes + bytes
  }

  /// Reads the first intact copy; `nil` if both are damaged.
  static func decode(_ bytes: UnsafeRawBufferPointer) -> [Erasure]? {
    let half = bytes.count / 2
    return decode(copy: UnsafeRawBufferPointer(rebasing: bytes[..<half]))
      ?? decode(copy: UnsafeRawBufferPointer(rebasing: bytes[half...]))
  }

  private static func decode(copy bytes: UnsafeRawBufferPointer) -> [Erasure]? {
    guard bytes.count >= headBytes, let source = bytes.baseAddress, source.get(UInt32.self, at: 0) == magic,
      source.get(UInt32.self, at: 4) == check(bytes)
    else { return nil }
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
