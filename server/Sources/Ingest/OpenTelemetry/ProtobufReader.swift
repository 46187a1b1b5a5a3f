/// Reads the fields of a message in Protocol Buffers' wire format. It never reads past its end, and a damaged field ends the message.
struct ProtobufReader {
  enum Value {
    case number(UInt64)
    /// The bits of a `fixed64`, `sfixed64` or `double`.
    case fixed64(UInt64)
    case fixed32(UInt32)
    case bytes(UnsafeRawBufferPointer)
  }

  private let bytes: UnsafeRawBufferPointer
  private var position = 0
  /// True after a field that can't be read.
  private(set) var isDamaged = false

  init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  /// Returns the next field; `nil` at the end and after damage.
  mutating func next() -> (number: Int, value: Value)? {
    guard position < bytes.count, !isDamaged else { return nil }
    guard let tag = varint(), tag >> 3 > 0, tag >> 3 <= 0x1FFF_FFFF, let value = value(ofType: tag & 7) else {
      isDamaged = true
      return nil
    }
    return (Int(tag >> 3), value)
  }

  private mutating func value(ofType type: UInt64) -> Value? {
    switch type {
    case 0: varint().map { .number($0) }
    case 1: fixed(UInt64.self).map { .fixed64($0) }
    case 2: block().map { .bytes($0) }
    case 5: fixed(UInt32.self).map { .fixed32($0) }
    // Groups are none of the messages that are read.
    default: nil
    }
  }

  private mutating func varint() -> UInt64? {
    var value: UInt64 = 0
    for shift in stride(from: UInt64(0), to: 70, by: 7) {
      guard position < bytes.count else { return nil }
      let byte = bytes[position]
      position += 1
      value |= shift < 64 ? UInt64(byte & 0x7F) << shift : 0
      if byte < 0x80 { return value }
    }
    return nil
  }

  private mutating func fixed<Number: FixedWidthInteger & BitwiseCopyable>(_ type: Number.Type) -> Number? {
    let size = MemoryLayout<Number>.size
    guard bytes.count - position >= size else { return nil }
    defer { position += size }
    return Number(littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: Number.self))
  }

  private mutating func block() -> UnsafeRawBufferPointer? {
    guard let length = varint(), length <= UInt64(bytes.count - position) else { return nil }
    defer { position += Int(length) }
    return UnsafeRawBufferPointer(rebasing: bytes[position..<position + Int(length)])
  }
}

extension ProtobufReader {
  /// Calls `body` with each field; false after damage.
  @discardableResult
  static func forEachField(of bytes: UnsafeRawBufferPointer, _ body: (Int, Value) -> Void) -> Bool {
    var reader = ProtobufReader(bytes)
    while let (number, value) = reader.next() { body(number, value) }
    return !reader.isDamaged
  }
}

extension ProtobufReader.Value {
  var block: UnsafeRawBufferPointer? { if case .bytes(let bytes) = self { bytes } else { nil } }
  var fixed: UInt64? { if case .fixed64(let bits) = self { bits } else { nil } }
}
