import TernEvents

/// The 64 bytes in front of each payload; `docs/log-format.md` specifies them.
///
/// The checksum includes the segment's salt and the record's offset, so bytes that only look like a record fail it: a
/// payload that quotes one, or a stale block that surfaces after power loss.
struct RecordHeader: Equatable {
  static let size = 64
  /// Two of the four bytes (F8, FB) never occur in UTF-8, so text payloads do not contain the marker.
  static let sync: UInt32 = 0xFB4E_54F8
  /// The offset of the tombstone within the header; it is written when the record is settled.
  static let tombstoneOffset = 8
  private static let maximumPayloadBytes = 4 << 20

  var payloadBytes: Int
  var payloadCheck: UInt32
  var lane: Lane
  /// The record's index in its segment, which tells how many records a damaged span held.
  var ordinal: Int
  var epoch: UInt32
  var time: Timestamp
  var uptimeMilliseconds: UInt64
  var id: UniqueID
  /// True for an overwritten span instead of an event; `payloadCheck` is the number of records that it held.
  var isFiller = false

  /// The bytes of the whole record.
  var recordBytes: Int { Self.size + payloadBytes }

  /// Writes the header, with no tombstone set, to 64 bytes.
  func encode(to target: UnsafeMutableRawPointer, salt: UInt32, offset: Int) {
    target.put(Self.sync, at: 0)
    target.put(UInt64(0), at: Self.tombstoneOffset)
    target.put(UInt32(truncatingIfNeeded: payloadBytes), at: 16)
    target.put(payloadCheck, at: 20)
    target.put(lane.rawValue, at: 24)
    target.put(UInt8(isFiller ? 1 : 0), at: 25)
    target.put(UInt16(truncatingIfNeeded: ordinal), at: 26)
    target.put(epoch, at: 28)
    target.put(time.millisecondsSince1970, at: 32)
    target.put(uptimeMilliseconds, at: 40)
    target.put(id.high.byteSwapped, at: 48)
    target.put(id.low.byteSwapped, at: 56)
    target.put(Self.check(UnsafeRawPointer(target), salt: salt, offset: offset), at: 4)
  }

  /// Reads 64 bytes; `nil` if they are not a record's header at this offset.
  init?(_ source: UnsafeRawPointer, salt: UInt32, offset: Int) {
    guard source.get(UInt32.self, at: 0) == Self.sync,
      source.get(UInt32.self, at: 4) == Self.check(source, salt: salt, offset: offset),
      let lane = Lane(rawValue: source.get(UInt8.self, at: 24))
    else { return nil }
    payloadBytes = Int(truncatingIfNeeded: source.get(UInt32.self, at: 16))
    // No segment is larger, and offsets would overflow a 32-bit `Int`.
    guard (0...Self.maximumPayloadBytes).contains(payloadBytes) else { return nil }
    payloadCheck = source.get(UInt32.self, at: 20)
    self.lane = lane
    isFiller = source.get(UInt8.self, at: 25) == 1
    ordinal = Int(source.get(UInt16.self, at: 26))
    epoch = source.get(UInt32.self, at: 28)
    time = Timestamp(millisecondsSince1970: source.get(Int64.self, at: 32))
    uptimeMilliseconds = source.get(UInt64.self, at: 40)
    id = UniqueID(
      high: source.get(UInt64.self, at: 48).byteSwapped, low: source.get(UInt64.self, at: 56).byteSwapped)
  }

  init(
    payloadBytes: Int, payloadCheck: UInt32, lane: Lane, ordinal: Int, epoch: UInt32, time: Timestamp,
    uptimeMilliseconds: UInt64, id: UniqueID
  ) {
    self.payloadBytes = payloadBytes
    self.payloadCheck = payloadCheck
    self.lane = lane
    self.ordinal = ordinal
    self.epoch = epoch
    self.time = time
    self.uptimeMilliseconds = uptimeMilliseconds
    self.id = id
  }

  /// Creates the header of a filler, which replaces an overwritten span.
  init(fillerFor run: Run, lane: Lane) {
    self.init(
      payloadBytes: run.bytes - Self.size, payloadCheck: UInt32(clamping: run.records), lane: lane,
      ordinal: run.firstOrdinal, epoch: 0, time: Timestamp(millisecondsSince1970: 0), uptimeMilliseconds: 0,
      id: UniqueID(high: 0, low: 0))
    isFiller = true
  }

  @inline(__always)
  private static func check(_ header: UnsafeRawPointer, salt: UInt32, offset: Int) -> UInt32 {
    var checksum = Checksum()
    checksum.add(UInt64(UInt32(truncatingIfNeeded: offset)) << 32 | UInt64(salt))
    checksum.add(UnsafeRawBufferPointer(start: header + 16, count: size - 16))
    return checksum.value
  }
}

/// The tombstone at the first record of a settled run: the end of the run, and a check so that damage hides no events.
struct Tombstone {
  static let size = 8

  /// The tombstone's eight bytes, as a little-endian number.
  static func encoded(end: Int, salt: UInt32, offset: Int) -> UInt64 {
    UInt64(check(end: UInt32(truncatingIfNeeded: end), salt: salt, offset: offset)) << 32
      | UInt64(UInt32(truncatingIfNeeded: end))
  }

  /// The end of the run that starts at `offset`; `nil` if there is none or the check is wrong.
  static func end(_ tombstone: UInt64, salt: UInt32, offset: Int) -> Int? {
    let bits = UInt32(truncatingIfNeeded: tombstone)
    guard let end = Int(exactly: bits), end > offset,
      UInt32(tombstone >> 32) == check(end: bits, salt: salt, offset: offset)
    else { return nil }
    return end
  }

  private static func check(end: UInt32, salt: UInt32, offset: Int) -> UInt32 {
    var checksum = Checksum()
    checksum.add(UInt64(UInt32(truncatingIfNeeded: offset)) << 32 | UInt64(salt))
    checksum.add(end)
    return checksum.value
  }
}

extension UnsafeMutableRawPointer {
  @inline(__always)
  func put<Value: FixedWidthInteger & BitwiseCopyable>(_ value: Value, at offset: Int) {
    storeBytes(of: value.littleEndian, toByteOffset: offset, as: Value.self)
  }
}

extension UnsafeRawPointer {
  @inline(__always)
  func get<Value: FixedWidthInteger & BitwiseCopyable>(_ type: Value.Type, at offset: Int) -> Value {
    Value(littleEndian: loadUnaligned(fromByteOffset: offset, as: Value.self))
  }
}
