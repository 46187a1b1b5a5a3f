import TernEvents

/// The start of a segment file: the context of its records, stored twice, so that one damaged byte does not cost it.
struct SegmentHeader: Equatable {
  /// The bytes in front of the facts, in each copy.
  static let fixedBytes = 64
  /// The size of a header without facts: no segment is smaller.
  static let minimumSize = 2 * fixedBytes
  static let version: UInt16 = 1
  /// "TLOG" in the order of the bytes.
  private static let magic: UInt32 = 0x474F_4C54
  private static let checkOffset = 60

  /// Part of every checksum of the segment; differs between segments.
  var salt: UInt32
  var created: Timestamp
  var createdUptimeMilliseconds: UInt64
  /// The boot of all records' uptimes; all zero if unknown.
  var bootID: UniqueID
  var lane: Lane
  var context: LogContext

  private var copyBytes: Int { Self.fixedBytes + context.facts.count }
  /// The bytes in front of the first record.
  var size: Int { Self.size(of: context) }

  static func size(of context: LogContext) -> Int { 2 * (fixedBytes + context.facts.count) }

  /// Writes both copies.
  func encode(to target: UnsafeMutableRawPointer) {
    for copy in [target, target + copyBytes] {
      copy.put(Self.magic, at: 0)
      copy.put(Self.version, at: 4)
      copy.put(lane.rawValue, at: 6)
      copy.put(context.part.rawValue, at: 7)
      copy.put(salt, at: 8)
      copy.put(UInt32(context.facts.count), at: 12)
      copy.put(created.millisecondsSince1970, at: 16)
      copy.put(createdUptimeMilliseconds, at: 24)
      copy.put(bootID.high.byteSwapped, at: 32)
      copy.put(bootID.low.byteSwapped, at: 40)
      copy.put(context.identity, at: 48)
      copy.put(UInt64(0), at: 52)
      context.facts.withUnsafeBytes { facts in
        if let source = facts.baseAddress {
          (copy + Self.fixedBytes).copyMemory(from: source, byteCount: facts.count)
        }
      }
      copy.put(Self.check(UnsafeRawPointer(copy), facts: context.facts.count), at: Self.checkOffset)
    }
  }

  /// Reads the first intact copy; `nil` if both are damaged, or if a later version wrote the file.
  init?(_ bytes: UnsafeRawBufferPointer) {
    if let header = Self.copy(in: bytes, at: 0) {
      self = header
      return
    }
    // The damaged byte may be one of the length, so look for the second copy. Facts cannot contain one: they are text.
    var offset = Self.fixedBytes
    while offset + Self.fixedBytes <= bytes.count {
      if let header = Self.copy(in: bytes, at: offset), offset == header.copyBytes {
        self = header
        return
      }
      offset += 1
    }
    return nil
  }

  init(
    salt: UInt32, created: Timestamp, createdUptimeMilliseconds: UInt64, bootID: UniqueID, lane: Lane,
    context: LogContext
  ) {
    self.salt = salt
    self.created = created
    self.createdUptimeMilliseconds = createdUptimeMilliseconds
    self.bootID = bootID
    self.lane = lane
    self.context = context
  }

  private static func copy(in bytes: UnsafeRawBufferPointer, at offset: Int) -> SegmentHeader? {
    guard bytes.count - offset >= fixedBytes, let start = bytes.baseAddress else { return nil }
    let copy = start + offset
    guard copy.get(UInt32.self, at: 0) == magic,
      let count = Int(exactly: copy.get(UInt32.self, at: 12)), count <= bytes.count - offset - fixedBytes,
      copy.get(UInt32.self, at: checkOffset) == check(copy, facts: count),
      copy.get(UInt16.self, at: 4) == version,
      let lane = Lane(rawValue: copy.get(UInt8.self, at: 6)),
      let part = LogContext.Part(rawValue: copy.get(UInt8.self, at: 7))
    else { return nil }
    return SegmentHeader(
      salt: copy.get(UInt32.self, at: 8), created: Timestamp(millisecondsSince1970: copy.get(Int64.self, at: 16)),
      createdUptimeMilliseconds: copy.get(UInt64.self, at: 24),
      bootID: UniqueID(
        high: copy.get(UInt64.self, at: 32).byteSwapped, low: copy.get(UInt64.self, at: 40).byteSwapped),
      lane: lane,
      context: LogContext(
        identity: copy.get(UInt32.self, at: 48), part: part,
        facts: [UInt8](UnsafeRawBufferPointer(start: copy + fixedBytes, count: count))))
  }

  private static func check(_ copy: UnsafeRawPointer, facts: Int) -> UInt32 {
    var checksum = Checksum()
    checksum.add(UnsafeRawBufferPointer(start: copy, count: checkOffset))
    checksum.add(UnsafeRawBufferPointer(start: copy + fixedBytes, count: facts))
    return checksum.value
  }
}
