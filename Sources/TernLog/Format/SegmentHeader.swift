import TernEvents

/// The start of a segment file: 64 bytes, stored twice, so that one damaged byte does not cost the segment.
struct SegmentHeader: Equatable {
  /// The bytes of one copy.
  static let copyBytes = 64
  /// The bytes in front of the first record.
  static let size = 2 * copyBytes
  static let version: UInt16 = 1
  /// "TLOG" in the order of the bytes.
  private static let magic: UInt32 = 0x474F_4C54

  /// Part of every checksum of the segment; differs between segments.
  var salt: UInt32
  var created: Timestamp
  var createdUptimeMilliseconds: UInt64
  /// The boot of all records' uptimes; all zero if unknown.
  var bootID: UniqueID

  /// Writes both copies.
  func encode(to target: UnsafeMutableRawPointer) {
    for copy in [target, target + Self.copyBytes] {
      copy.put(Self.magic, at: 0)
      copy.put(Self.version, at: 4)
      copy.put(UInt16(Self.size), at: 6)
      copy.put(salt, at: 8)
      copy.put(UInt32(0), at: 12)
      copy.put(created.millisecondsSince1970, at: 16)
      copy.put(createdUptimeMilliseconds, at: 24)
      copy.put(bootID.high.byteSwapped, at: 32)
      copy.put(bootID.low.byteSwapped, at: 40)
      copy.put(UInt64(0), at: 48)
      copy.put(UInt32(0), at: 56)
      copy.put(Self.check(UnsafeRawPointer(copy)), at: 60)
    }
  }

  /// Reads the first intact copy; `nil` if both are damaged, or if a later version wrote the file.
  init?(_ bytes: UnsafeRawBufferPointer) {
    guard bytes.count >= Self.size, let start = bytes.baseAddress else { return nil }
    let copies = [start, start + Self.copyBytes]
    guard let copy = copies.first(where: { $0.get(UInt32.self, at: 60) == Self.check($0) }),
      copy.get(UInt32.self, at: 0) == Self.magic,
      copy.get(UInt16.self, at: 4) == Self.version,
      copy.get(UInt16.self, at: 6) == Self.size
    else { return nil }
    salt = copy.get(UInt32.self, at: 8)
    created = Timestamp(millisecondsSince1970: copy.get(Int64.self, at: 16))
    createdUptimeMilliseconds = copy.get(UInt64.self, at: 24)
    bootID = UniqueID(
      high: copy.get(UInt64.self, at: 32).byteSwapped, low: copy.get(UInt64.self, at: 40).byteSwapped)
  }

  init(salt: UInt32, created: Timestamp, createdUptimeMilliseconds: UInt64, bootID: UniqueID) {
    self.salt = salt
    self.created = created
    self.createdUptimeMilliseconds = createdUptimeMilliseconds
    self.bootID = bootID
  }

  private static func check(_ copy: UnsafeRawPointer) -> UInt32 {
    Checksum.of(UnsafeRawBufferPointer(start: copy, count: 60))
  }
}
