extension [UInt8] {
  /// Appends seven bits a byte, low bits first.
  @inline(__always)
  mutating func appendVarint(_ value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    append(UInt8(truncatingIfNeeded: rest))
  }

  /// Appends a signed number so that small magnitudes stay short.
  mutating func appendZigzag(_ value: Int64) {
    appendVarint(UInt64(bitPattern: value << 1 ^ value >> 63))
  }
}

/// Reads the warehouse's own encodings; every method answers `nil` instead of reading past the end.
struct ByteReader {
  private let buffer: UnsafeRawBufferPointer
  private(set) var position = 0

  init(_ buffer: UnsafeRawBufferPointer) { self.buffer = buffer }

  var isAtEnd: Bool { position >= buffer.count }

  @inline(__always)
  mutating func byte() -> UInt8? {
    guard position < buffer.count else { return nil }
    defer { position += 1 }
    return buffer[position]
  }

  @inline(__always)
  mutating func varint() -> UInt64? {
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while shift < 64, let byte = byte() {
      value |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return value }
      shift += 7
    }
    return nil
  }

  mutating func zigzag() -> Int64? {
    varint().map { Int64(bitPattern: $0 >> 1) ^ -Int64(bitPattern: $0 & 1) }
  }

  mutating func bytes(_ count: Int) -> UnsafeRawBufferPointer? {
    guard count >= 0, count <= buffer.count - position else { return nil }
    defer { position += count }
    return UnsafeRawBufferPointer(rebasing: buffer[position..<position + count])
  }

  func slice(from start: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: buffer[start..<position])
  }
}
