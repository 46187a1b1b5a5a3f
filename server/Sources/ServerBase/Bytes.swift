package import TernBase

extension [UInt8] {
  /// Appends a variable-length integer: seven bits per byte, low bits first.
  @inlinable
  package mutating func appendVarint(_ value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    append(UInt8(truncatingIfNeeded: rest))
  }

  /// Appends a signed integer, zigzag-encoded so that small magnitudes stay short.
  @inlinable
  package mutating func appendZigzag(_ value: Int64) {
    appendVarint(UInt64(bitPattern: value << 1 ^ value >> 63))
  }

  /// Appends a number, zigzag-encoded.
  package mutating func append(number: SaturatingInt64) { appendZigzag(number.rawValue) }

  /// Appends the length of a string and its UTF-8 bytes.
  package mutating func append(text: String) {
    withUTF8(text) { utf8 in
      appendVarint(UInt64(utf8.count))
      append(contentsOf: utf8)
    }
  }
}

/// Reads the warehouse's binary encodings. Every method returns `nil` instead of reading past the end.
@usableFromInline
package struct ByteReader {
  @usableFromInline let buffer: UnsafeRawBufferPointer
  /// The number of bytes read.
  @usableFromInline package var position = 0

  /// Creates a reader of bytes, which must stay valid.
  @inlinable package init(_ buffer: UnsafeRawBufferPointer) { self.buffer = buffer }

  /// True if all bytes have been read.
  @inlinable package var isAtEnd: Bool { position >= buffer.count }

  /// Reads a byte.
  @inlinable @inline(__always)
  package mutating func byte() -> UInt8? {
    guard position < buffer.count else { return nil }
    defer { position += 1 }
    return buffer[position]
  }

  /// Reads a variable-length integer.
  @inlinable @inline(__always)
  package mutating func varint() -> UInt64? {
    guard position < buffer.count else { return nil }
    // Most numbers are that short.
    let first = buffer[position]
    if first < 0x80 {
      position += 1
      return UInt64(first)
    }
    return longVarint()
  }

  @inlinable
  mutating func longVarint() -> UInt64? {
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while shift < 64, let byte = byte() {
      value |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return value }
      shift += 7
    }
    return nil
  }

  /// Reads a signed integer.
  @inlinable @inline(__always)
  package mutating func zigzag() -> Int64? {
    varint().map { Int64(bitPattern: $0 >> 1) ^ -Int64(bitPattern: $0 & 1) }
  }

  /// Reads a number that was stored as a signed integer.
  package mutating func number() -> SaturatingInt64? { zigzag().map { SaturatingInt64($0) } }

  /// Reads a number of bytes.
  @inlinable @inline(__always)
  package mutating func bytes(_ count: Int) -> UnsafeRawBufferPointer? {
    guard count >= 0, count <= buffer.count - position else { return nil }
    defer { position += count }
    return UnsafeRawBufferPointer(rebasing: buffer[position..<position + count])
  }

  /// Reads a length-prefixed string.
  package mutating func text() -> String? {
    guard let count = varint(), count <= UInt64(Int32.max), let bytes = bytes(Int(count)) else { return nil }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Returns the bytes read since a position.
  @inlinable package func slice(from start: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: buffer[start..<position])
  }
}

/// Calls `body` with the string's UTF-8 bytes, without copying native Swift strings.
@inlinable
package func withUTF8<Result>(_ text: String, _ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
  if let result = try text.utf8.withContiguousStorageIfAvailable({ try body(UnsafeRawBufferPointer($0)) }) {
    return result
  }
  var copy = text
  return try copy.withUTF8 { try body(UnsafeRawBufferPointer($0)) }
}
