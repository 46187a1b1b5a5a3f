import TernEvents

/// The 48 bytes in front of each payload; `docs/log-format.md` specifies them.
///
/// The checksum includes the segment's salt and the record's offset, so bytes that only look like a record fail it: a
/// payload that quotes one, or a stale block that surfaces after power loss.
struct RecordHeader: Equatable {
  static let size = 48
  /// Two of the four bytes (F8, FB) never occur in UTF-8, so text payloads do not contain the marker.
  static let sync: UInt32 = 0xFB4E_54F8
  private static let uptimeMask: UInt64 = (1 << 48) - 1
  private static let checkedFrom = 8

  var payloadBytes: Int
  var payloadCheck: UInt32
  /// The record's index in its segment, which tells how many records a damaged span held.
  var ordinal = 0
  var time: Timestamp
  var uptimeMilliseconds: UInt64
  var id: UniqueID
  /// True for a span of records that have left the log; `payloadCheck` is their number.
  var isVoid = false

  /// The bytes of the whole record.
  var recordBytes: Int { Self.size + payloadBytes }

  /// Writes the header to 48 bytes.
  func encode(to target: UnsafeMutableRawPointer, salt: UInt32, offset: Int) {
    target.put(Self.sync, at: 0)
    target.put(UInt32(truncatingIfNeeded: payloadBytes) | (isVoid ? 1 << 24 : 0), at: 8)
    target.put(payloadCheck, at: 12)
    target.put(min(uptimeMilliseconds, Self.uptimeMask) << 16 | UInt64(UInt16(truncatingIfNeeded: ordinal)), at: 16)
    target.put(time.millisecondsSince1970, at: 24)
    target.put(id.high.byteSwapped, at: 32)
    target.put(id.low.byteSwapped, at: 40)
    target.put(Self.check(UnsafeRawPointer(target), salt: salt, offset: offset), at: 4)
  }

  /// Reads 48 bytes; `nil` if they are not a record's header at this offset.
  init?(_ source: UnsafeRawPointer, salt: UInt32, offset: Int) {
    guard source.get(UInt32.self, at: 0) == Self.sync,
      source.get(UInt32.self, at: 4) == Self.check(source, salt: salt, offset: offset)
    else { return nil }
    let length = source.get(UInt32.self, at: 8)
    payloadBytes = Int(length & 0xFF_FFFF)
    isVoid = length >> 24 == 1
    payloadCheck = source.get(UInt32.self, at: 12)
    let moment = source.get(UInt64.self, at: 16)
    ordinal = Int(moment & 0xFFFF)
    uptimeMilliseconds = moment >> 16
    time = Timestamp(millisecondsSince1970: source.get(Int64.self, at: 24))
    id = UniqueID(
      high: source.get(UInt64.self, at: 32).byteSwapped, low: source.get(UInt64.self, at: 40).byteSwapped)
  }

  init(payload: UnsafeRawBufferPointer, time: Timestamp, uptimeMilliseconds: UInt64, id: UniqueID) {
    payloadBytes = payload.count
    payloadCheck = Checksum.of(payload)
    self.time = time
    self.uptimeMilliseconds = uptimeMilliseconds
    self.id = id
  }

  /// Creates the header that replaces the first one of a run whose records have left the log.
  init(voiding run: RecordRun) {
    payloadBytes = run.upper - run.lower - Self.size
    payloadCheck = UInt32(clamping: run.records)
    ordinal = run.firstOrdinal
    time = Timestamp(millisecondsSince1970: 0)
    uptimeMilliseconds = 0
    id = UniqueID(high: 0, low: 0)
    isVoid = true
  }

  @inline(__always)
  private static func check(_ header: UnsafeRawPointer, salt: UInt32, offset: Int) -> UInt32 {
    var checksum = Checksum()
    checksum.add(UInt64(UInt32(truncatingIfNeeded: offset)) << 32 | UInt64(salt))
    checksum.add(UnsafeRawBufferPointer(start: header + checkedFrom, count: size - checkedFrom))
    return checksum.value
  }
}

/// Adjoining records of one segment.
struct RecordRun: Equatable {
  /// Offsets in the file.
  var lower: Int
  var upper: Int
  /// The indexes of the first record, and of the one after the last.
  var firstOrdinal: Int
  var endOrdinal: Int

  var records: Int { endOrdinal - firstOrdinal }
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
